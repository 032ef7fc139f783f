import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as SchemaValidator from "../src/SchemaValidator.ts"

const check = (schema: Parameters<typeof SchemaValidator.compile>[0], value: unknown) =>
  SchemaValidator.compile(schema).validate(value).map(({ message, path }) => `${path}: ${message}`)

const search = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 2 },
    mode: { enum: ["read", "write"] },
    lines: { type: "array", items: { type: "object", properties: { from: { type: "integer", minimum: 1 } } } }
  },
  required: ["path"],
  additionalProperties: false
}

describe("issues", () => {
  it("takes decimals for multiples of decimals, as people count", () => {
    const isMultiple = (value: number, multipleOf: number) =>
      SchemaValidator.compile({ type: "number", multipleOf }).validate(value).length === 0
    for (
      const [value, divisor] of [[4.35, 0.01], [19.99, 0.01], [0.3, 0.1], [1e21, 0.001], [1e300, 1], [7, 3.5]] as const
    ) {
      assert.isTrue(isMultiple(value, divisor), `${value} of ${divisor}`)
    }
    for (const [value, divisor] of [[4.355, 0.01], [0.35, 0.1], [7, 2], [1.0000001, 1]] as const) {
      assert.isFalse(isMultiple(value, divisor), `${value} of ${divisor}`)
    }
  })

  it("say where, what was expected and what came", () => {
    assert.deepStrictEqual(check(search, { path: 1, mode: "reed", lines: [{}, { from: 0 }] }), [
      "path: expected a string, got 1",
      `mode: expected one of "read", "write", got "reed"; did you mean "read"?`,
      "lines.1.from: expected a number of at least 1, got 0"
    ])
  })

  it("suggest the property that was meant, unless it is there", () => {
    assert.deepStrictEqual(check(search, { pth: "ab" }), [
      "path: is required",
      `pth: unknown property; did you mean "path"?`
    ])
    assert.deepStrictEqual(check(search, { path: "ab", pth: "ab" }), [`pth: unknown property; known: "mode", "lines"`])
  })

  it("see JSON text in the place of a value", () => {
    assert.deepStrictEqual(check(search, { path: "ab", lines: "[]" }), [
      `lines: expected an array, got "[]"; pass the value itself, not JSON text`
    ])
  })

  it("cut long values, and count what doesn't fit into ten", () => {
    assert.deepStrictEqual(check({ maxLength: 3 }, "x".repeat(500)), [
      `: expected at most 3 characters, got "${"x".repeat(60)}…"`
    ])
    const issues = check(
      { additionalProperties: false },
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${at}`, 0]))
    )
    assert.strictEqual(issues.length, 10)
    assert.strictEqual(issues.at(-1), ": ... and 21 more")
  })

  it("stay within the budget of characters", () => {
    const long = "k".repeat(1000)
    const names = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}${long}`, at]))
    const issues = SchemaValidator.compile({ additionalProperties: { enum: [long, `${long}2`, `${long}3`] } }).validate(
      names
    )
    assert.isAtMost(issues.reduce((sum, { message, path }) => sum + message.length + path.length, 0), 2000)
    assert.match(issues.at(-1)?.message ?? "", /^\.\.\. and \d more$/)
  })

  it("tell of the alternative the value is closest to", () => {
    const shape = (kind: string, size: string) => ({
      type: "object",
      properties: { kind: { const: kind }, [size]: { type: "number" } },
      required: ["kind", size]
    })
    const schema = { properties: { shape: { oneOf: [shape("circle", "radius"), shape("square", "side")] } } }
    assert.deepStrictEqual(check(schema, { shape: { kind: "square", side: "1" } }), [
      `shape.side: expected a number, got "1"`
    ])
    assert.deepStrictEqual(check(schema, { shape: { kind: "line" } }), [
      `shape.kind: expected "circle" or "square", got "line"`
    ])
    assert.deepStrictEqual(check(schema, { shape: 3 }), ["shape: expected an object, got 3"])
    assert.deepStrictEqual(check({ anyOf: [{ type: "string" }, { type: "null" }] }, 5), [
      ": expected a string or null, got 5"
    ])
    assert.deepStrictEqual(check({ oneOf: [{ type: "number" }, { minimum: 2 }] }, 3), [
      ": fits more than one of the alternatives, expected exactly one"
    ])
  })

  it("find alternatives through references, beside other faults", () => {
    const schema = {
      $defs: { name: { type: "string" }, id: { type: "integer" } },
      properties: { who: { anyOf: [{ $ref: "#/$defs/name" }, { $ref: "#/$defs/id" }] }, when: { type: "string" } }
    }
    assert.deepStrictEqual(check(schema, { who: true, when: 1 }), [
      "who: expected a string or an integer, got true",
      "when: expected a string, got 1"
    ])
  })
})

describe("what is checked", () => {
  it("leaves format and default alone", () => {
    const value = { date: "no date" }
    const schema = { properties: { date: { type: "string", format: "date" }, page: { default: 1 } } }
    assert.deepStrictEqual(check(schema, value), [])
    assert.deepStrictEqual(value, { date: "no date" })
  })

  it("takes the names of Object.prototype for properties like any", () => {
    const properties: unknown = JSON.parse(`{"__proto__": {"type": "string"}, "constructor": {"type": "number"}}`)
    const required = ["__proto__", "constructor"]
    const validator = SchemaValidator.compile({ properties, required, additionalProperties: false })
    assert.deepStrictEqual(validator.validate({}).map(({ path }) => path), ["__proto__", "constructor"])
    assert.deepStrictEqual(validator.validate(JSON.parse(`{"__proto__": "a", "constructor": 1}`)), [])
    assert.deepStrictEqual(
      validator.validate(JSON.parse(`{"__proto__": 1, "constructor": 1}`)).map(({ path }) => path),
      ["__proto__"]
    )
  })

  it("compares objects by value, whatever their prototype and their keys", () => {
    const value = Object.assign(Object.create(null), { valueOf: 1, constructor: 2 })
    assert.deepStrictEqual(check({ const: { constructor: 2, valueOf: 1 } }, value), [])
    assert.strictEqual(check({ uniqueItems: true }, [{ a: 1, b: 2 }, { b: 2, a: 1 }]).length, 1)
    assert.deepStrictEqual(check({ uniqueItems: true }, [1, "1", true, [1], { a: 1 }, `{"a":1}`]), [])
  })

  it("takes null where OpenAPI says nullable", () => {
    assert.deepStrictEqual(check({ type: "string", nullable: true }, null), [])
    assert.strictEqual(check({ type: "string" }, null).length, 1)
  })

  it("keeps the identifiers of two schemas apart", () => {
    const validators = SchemaValidator.make()
    const schema = (type: string) => ({
      $id: "https://example.com/s",
      $defs: { a: { type } },
      $ref: "https://example.com/s#/$defs/a"
    })
    const [first, second] = [schema("string"), schema("number")]
    assert.deepStrictEqual(validators.get(first).validate("x"), [])
    assert.deepStrictEqual(validators.get(second).validate(1), [])
    assert.strictEqual(validators.get(first), validators.get(first))
  })

  it("knows dynamic references of 2019-09 and 2020-12", () => {
    const tree = (name: string, anchor: object, reference: object) => ({
      $schema: `https://json-schema.org/draft/${name}/schema`,
      $id: "https://example.com/strict",
      ...anchor,
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: { tree: { $id: "tree", ...anchor, properties: { child: reference, value: {} } } }
    })
    for (
      const schema of [
        tree("2020-12", { $dynamicAnchor: "node" }, { $dynamicRef: "#node" }),
        tree("2019-09", { $recursiveAnchor: true }, { $recursiveRef: "#" })
      ]
    ) {
      assert.deepStrictEqual(check(schema, { child: { value: 1 } }), [])
      assert.deepStrictEqual(check(schema, { child: { valeu: 1 } }), ["child.valeu: unknown property"])
    }
  })
})

describe("what can't be compiled", () => {
  const codes = (schema: Parameters<typeof SchemaValidator.compile>[0]) =>
    SchemaValidator.compile(schema).diagnostics.map(({ code, path }) => `${code} ${path ?? ""}`)

  it("is left out with one diagnostic each, and the rest is checked", () => {
    const schema = {
      properties: {
        a: { $ref: "https://example.com/other" },
        b: { type: "string", pattern: "^(?=x)" },
        c: { type: "string", minLength: "2" },
        d: { type: "text" }
      }
    }
    assert.deepStrictEqual(codes(schema), [
      "schema-reference properties.a.$ref",
      "schema-pattern properties.b.pattern",
      "schema-keyword properties.c.minLength",
      "schema-keyword properties.d.type"
    ])
    assert.deepStrictEqual(check(schema, { a: 1, b: "y", c: "", d: 1 }), [])
    assert.deepStrictEqual(check(schema, { b: 1, c: 1 }), [
      "b: expected a string, got 1",
      "c: expected a string, got 1"
    ])
  })

  it("never makes the rest refuse more", () => {
    const lost = { $ref: "#/nowhere" }
    for (
      const schema of [
        { not: lost },
        { not: { allOf: [{ $ref: "#/$defs/a" }] }, $defs: { a: lost } },
        { oneOf: [lost, { type: "object" }] },
        { if: lost, then: false },
        { contains: lost, maxContains: 0 },
        { allOf: [lost], unevaluatedProperties: false },
        { patternProperties: { "(?!x)a": true }, additionalProperties: false }
      ]
    ) assert.deepStrictEqual(check(schema, { a: 1 }), [], JSON.stringify(schema))
  })

  it("is a reference without an end, too", () => {
    assert.deepStrictEqual(codes({ $ref: "#" }), ["schema-reference $ref"])
    const schema = { type: "object", allOf: [{ $ref: "#" }], properties: { child: { $ref: "#" } } }
    assert.deepStrictEqual(codes(schema), ["schema-reference allOf.0.$ref"])
    assert.deepStrictEqual(check(schema, { child: { child: 1 } }), ["child.child: expected an object, got 1"])
  })

  it("is the whole schema at worst, which then validates nothing", () => {
    const cyclic: Record<string, unknown> = { type: "object" }
    cyclic["properties"] = { self: cyclic }
    assert.deepStrictEqual(codes(cyclic), ["schema-unchecked "])
    assert.deepStrictEqual(check(cyclic, 1), [])
  })
})

/** On a busy machine a test waits much longer than it works. */
describe("bounds", { timeout: 120_000 }, () => {
  /** Generous; what isn't bounded takes hours. In microseconds of the processor, which wait for nobody else's work. */
  const LIMIT = 5_000_000

  const timed = (run: () => ReadonlyArray<unknown>) => {
    const before = process.threadCpuUsage()
    const result = run()
    const { system, user } = process.threadCpuUsage(before)
    assert.isBelow(system + user, LIMIT)
    return result
  }

  const nested = (depth: number) => {
    let value: unknown = {}
    for (let level = 0; level < depth; level++) value = { a: value }
    return value
  }

  it("patterns take linear time", () => {
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a?){50}a{50}$"]) {
      assert.strictEqual(timed(() => check({ pattern }, `${"a".repeat(50_000)}!`)).length, 1, pattern)
    }
  })

  it("definitions that double are refused before they are compiled", () => {
    const $defs: Record<string, unknown> = { d0: { type: "number" } }
    for (let at = 1; at <= 40; at++) {
      $defs[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] }
    }
    assert.deepStrictEqual(timed(() => check({ $defs, $ref: "#/$defs/d40" }, "x")), [])
  })

  it("values that make a schema double are refused", () => {
    const half = { properties: { a: { $ref: "#" } } }
    const twice = { oneOf: [half, half] }
    assert.deepStrictEqual(timed(() => check(twice, nested(100))), [
      ": the value is too large or too deeply nested to be checked"
    ])
  })

  it("depth ends before the stack does", () => {
    assert.strictEqual(timed(() => check({ properties: { a: { $ref: "#" } } }, nested(100_000))).length, 1)
    assert.deepStrictEqual(timed(() => check({ type: "object" }, nested(100_000))), [])
    assert.deepStrictEqual(timed(() => check({ not: nested(100_000) }, 1)), [])
  })

  it("large values and large schemas are worked off, or refused", () => {
    const numbers = Array.from({ length: 1_000_000 }, (_, at) => at)
    assert.strictEqual(timed(() => check({ items: { type: "string" } }, numbers)).length, 1)
    assert.deepStrictEqual(timed(() => check({ uniqueItems: true }, numbers)), [])
    assert.strictEqual(timed(() => check({ enum: numbers.slice(0, 90_000) }, -1)).length, 1)
    const wide = (count: number) =>
      Object.fromEntries(numbers.slice(0, count).map((at) => [`p${at}`, { type: "string" }]))
    for (const count of [500, 1000, 2000, 4000]) {
      assert.deepStrictEqual(timed(() => check({ properties: wide(count) }, { p1: 1 })), [
        "p1: expected a string, got 1"
      ])
    }
    assert.deepStrictEqual(timed(() => check({ properties: wide(60_000) }, { p1: 1 })), [])
  })

  const Keyword = Schema.Literals([
    "type",
    "properties",
    "$ref",
    "items",
    "anyOf",
    "oneOf",
    "not",
    "enum",
    "pattern",
    "patternProperties",
    "required",
    "$id",
    "if",
    "minimum",
    "dependencies"
  ])
  const Part = Schema.Union([
    Schema.Json,
    Schema.Literals(["#", "#/items", "object", "(a"]),
    Schema.Record(Schema.String, Schema.Union([Schema.Boolean, Schema.Struct({ $ref: Schema.Literal("#") })]))
  ])

  it.prop(
    "never throws and never changes anything",
    [Schema.Record(Keyword, Schema.Union([Part, Schema.Array(Part)])), Schema.Unknown],
    ([schema, value]) => {
      const before = structuredClone(schema)
      const validator = SchemaValidator.compile(schema)
      assert.isArray(validator.validate(value))
      assert.isArray(validator.validate(schema))
      assert.isArray(validator.diagnostics)
      assert.deepStrictEqual(schema, before)
    },
    { arbitrary: { runs: 300 }, timeout: 120_000 }
  )
})
