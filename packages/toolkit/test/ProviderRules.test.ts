import { assert, describe, it } from "@effect/vitest"
import {
  checkAnthropic,
  checkBedrock,
  checkGemini,
  checkGeminiOpenApi,
  checkOpenAIChat,
  checkOpenAIResponses
} from "./providerRules.ts"

// The tests of a checker: each rule is seen to fail once, alone, and one declaration that uses much is seen to pass.

type Check = (schema: unknown) => ReadonlyArray<string>

const inChat = (parameters: unknown, fields: object = {}) => ({
  type: "function",
  function: { name: "search", description: "Searches", parameters, ...fields }
})
const inAnthropic = (input_schema: unknown, name = "search") => ({ name, description: "Searches", input_schema })
const inBedrock = (json: unknown, fields: object = {}) => ({
  toolSpec: { name: "search", description: "Searches", inputSchema: { json }, ...fields }
})
const inGemini = (...declarations: ReadonlyArray<object>) => [{ functionDeclarations: declarations }]

const openAI: Check = (schema) => checkOpenAIChat([inChat(schema)])
const strict: Check = (schema) => checkOpenAIChat([inChat(schema, { strict: true })])
const anthropic: Check = (schema) => checkAnthropic([inAnthropic(schema)])
const bedrock: Check = (schema) => checkBedrock([inBedrock(schema)])
const gemini: Check = (parametersJsonSchema) =>
  checkGemini(inGemini({ name: "search", description: "Searches", parametersJsonSchema }))
const openApi: Check = (parameters) =>
  checkGeminiOpenApi(inGemini({ name: "search", description: "Searches", parameters }))

const everywhere: ReadonlyArray<readonly [name: string, check: Check]> = [
  ["OpenAI", openAI],
  ["OpenAI strict", strict],
  ["Anthropic", anthropic],
  ["Bedrock", bedrock],
  ["Gemini", gemini],
  ["Gemini OpenAPI", openApi]
]

/** An object that every provider takes: closed and with everything required, where the keywords for it exist. */
const rootOf = (check: Check, properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...(check === strict ? { additionalProperties: false } : {}),
  ...more
})

/** Nothing, if what was found is this one problem at this path and no other; else what was found instead. */
const unlike = (found: ReadonlyArray<string>, path: string, problem: string): ReadonlyArray<string> => {
  const [first = ""] = found
  const isAlike = found.length === 1 && first.includes(`${path}: `) && first.includes(problem)
  return isAlike ? [] : [`not only ${path}: ${problem}`, ...found]
}

type Cases = ReadonlyArray<readonly [property: unknown, path: string, problem: string]>

/** Each case is the schema of one required property `a`, and breaks one rule. */
const missed = (check: Check, cases: Cases, more: object = {}): ReadonlyArray<string> =>
  cases.flatMap(([property, path, problem]) =>
    unlike(check(rootOf(check, { a: property }, more)), `/properties/a${path}`, problem)
  )

const nested = (levels: number): object => levels === 0 ? { type: "string" } : rootOf(strict, { a: nested(levels - 1) })

const strings = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `${index}`.padStart(length, "0"))

describe("every provider", () => {
  it("accepts what they have in common, and no schema where a value stands", () => {
    for (const [name, check] of everywhere) {
      const properties = {
        title: { type: "string", description: "a property, not the keyword" },
        default: { type: "array", items: { type: "integer" }, minItems: 1 },
        enum: { type: "string", enum: ["type", "x"] }
      }
      assert.deepStrictEqual(check(rootOf(check, properties)), [], name)
      assert.deepStrictEqual(check(rootOf(check, {})), [], name)
    }
    const values = { default: { zzz: 1 }, examples: [{ zzz: 1 }], enum: [{ zzz: 1 }], const: { zzz: 1 } }
    assert.deepStrictEqual(anthropic(rootOf(anthropic, { a: values })), [])
    // No provider has a dollar sign in a key; but the property is no reference.
    const named = anthropic(rootOf(anthropic, { $ref: { type: "string" } }))
    assert.deepStrictEqual(unlike(named, "/properties/$ref", "the key doesn't match"), [])
  })

  it("refuses a root that isn't a plain object", () => {
    for (const [name, check] of everywhere) {
      assert.include(
        check(rootOf(check, {}, { type: "array", items: { type: "string" } })).join("\n"),
        "/type: the root",
        name
      )
      assert.include(check(rootOf(check, {}, { type: ["object"] })).join("\n"), "/type: the root", name)
      assert.include(check({ type: "object" }).join("\n"), "/properties: the root", name)
      assert.include(check("object").join("\n"), "must be a schema", name)
      for (const keyword of ["oneOf", "anyOf", "allOf", "enum", "not", "const", "if"]) {
        assert.include(
          check(rootOf(check, {}, { [keyword]: [{}] })).join("\n"),
          `/${keyword}: isn't allowed at the root`,
          name
        )
      }
    }
  })

  it("refuses unknown keywords, malformed values, strange keys, and what is required but not declared", () => {
    for (const [name, check] of everywhere) {
      assert.deepStrictEqual(
        unlike(check(rootOf(check, { a: { type: "string", zzz: 1 } })), "/a/zzz", "isn't known"),
        [],
        name
      )
      assert.include(check(rootOf(check, { a: { type: "text" } })).join("\n"), "/a/type: must be", name)
      assert.deepStrictEqual(
        unlike(check(rootOf(check, { a: { type: "string", description: 1 } })), "/a/description", "a string"),
        [],
        name
      )
      assert.deepStrictEqual(
        unlike(check(rootOf(check, { "a b": { type: "string" } })), "/a b", "the key doesn't match"),
        [],
        name
      )
      assert.deepStrictEqual(
        unlike(check(rootOf(check, { ["a".repeat(65)]: { type: "string" } })), "a", "the key doesn't match"),
        [],
        name
      )
      const required = { required: ["a", "b"] }
      assert.deepStrictEqual(
        unlike(check(rootOf(check, { a: { type: "string" } }, required)), "/required", `undeclared properties: "b"`),
        []
      )
    }
  })

  it("refuses malformed values of keywords", () => {
    const type = "string"
    assert.deepStrictEqual(
      missed(anthropic, [
        [{ type: [] }, "/type", "the name of a type"],
        [{ type: ["string", "string"] }, "/type", "the name of a type"],
        [{ minLength: -1 }, "/minLength", "an integer"],
        [{ maxItems: 1.5 }, "/maxItems", "an integer"],
        [{ exclusiveMinimum: true }, "/exclusiveMinimum", "a number"],
        [{ multipleOf: 0 }, "/multipleOf", "above 0"],
        [{ type, pattern: "(" }, "/pattern", "a regular expression"],
        [{ type, enum: [] }, "/enum", "distinct values"],
        [{ enum: [{ a: 1, b: 2 }, { b: 2, a: 1 }] }, "/enum", "distinct values"],
        [{ uniqueItems: 1 }, "/uniqueItems", "a boolean"],
        [{ required: true }, "/required", "distinct strings"],
        [{ required: ["x", "x"], properties: { x: {} } }, "/required", "distinct strings"],
        [{ items: [{}] }, "/items", "a schema"],
        [{ anyOf: [] }, "/anyOf", "a list of schemas"],
        [{ prefixItems: [1] }, "/prefixItems", "a list of schemas"],
        [{ properties: { x: 1 } }, "/properties", "an object of schemas"],
        [{ patternProperties: { "(": {} } }, "/patternProperties", "by regular expression"],
        [{ dependentRequired: { x: "y" } }, "/dependentRequired", "lists of distinct strings"],
        [{ $id: "x#y" }, "/$id", "without a fragment"],
        [{ $anchor: "1" }, "/$anchor", "a plain name"],
        [{ examples: 1 }, "/examples", "a list"]
      ]),
      []
    )
    assert.deepStrictEqual(anthropic(rootOf(anthropic, { a: { pattern: "\\-" }, b: { pattern: "\\p{L}" } })), [])
  })

  it("looks into every place a schema can be", () => {
    const bad = { zzz: 1 }
    assert.deepStrictEqual(
      missed(anthropic, [
        [{ items: bad }, "/items/zzz", ""],
        [{ additionalProperties: bad }, "/additionalProperties/zzz", ""],
        [{ not: bad }, "/not/zzz", ""],
        [{ allOf: [true, { oneOf: [bad] }] }, "/allOf/1/oneOf/0/zzz", ""],
        [{ prefixItems: [bad] }, "/prefixItems/0/zzz", ""],
        [{ patternProperties: { "^x/": bad } }, "/patternProperties/^x~1/zzz", ""],
        [{ dependentSchemas: { x: bad } }, "/dependentSchemas/x/zzz", ""],
        [{ $defs: { x: bad } }, "/$defs/x/zzz", ""]
      ]),
      []
    )
  })

  it("resolves local references, and no others", () => {
    const $defs = { "a/b": { type: "string" }, named: { $anchor: "name", type: "string" } }
    const ref = ($ref: string) => anthropic(rootOf(anthropic, { a: { $ref, default: {} } }, { $defs }))
    for (const good of ["#/$defs/a~1b", "#/%24defs/a~1b", "#name", "#"]) assert.deepStrictEqual(ref(good), [], good)
    assert.deepStrictEqual(unlike(ref("https://example.com/x"), "/a/$ref", "isn't local"), [])
    assert.deepStrictEqual(unlike(ref("other.json#/$defs/a"), "/a/$ref", "isn't local"), [])
    assert.deepStrictEqual(unlike(ref("#/$defs/none"), "/a/$ref", "leads to no schema"), [])
    assert.deepStrictEqual(unlike(ref("#/properties/a/default"), "/a/$ref", "leads to no schema"), [])
    assert.deepStrictEqual(unlike(ref("#/%"), "/a/$ref", "leads to no schema"), [])
    assert.deepStrictEqual(unlike(ref("#/properties/a"), "/a", "leads back to itself"), [])
    const rebased = { $id: "https://example.com/x", properties: { b: { $ref: "#" } } }
    assert.deepStrictEqual(
      unlike(anthropic(rootOf(anthropic, { a: rebased })), "/a/properties/b/$ref", "counts from the \"$id\""),
      []
    )
  })

  it("refuses what isn't plain JSON", () => {
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    const values = [undefined, NaN, Infinity, 1n, new Date(0), new Map(), () => 1, { [Symbol.iterator]: 1 }, "\uD83D"]
    for (const [index, value] of [...values, cycle, Array(1)].entries()) {
      assert.lengthOf(anthropic(rootOf(anthropic, { a: { default: value } })), 1, `value ${index}`)
    }
    assert.deepStrictEqual(anthropic(rootOf(anthropic, { a: Object.assign(Object.create(null), { default: 1 }) })), [])
  })
})

describe("names and forms", () => {
  const schema = rootOf(openAI, {})

  it("refuses names that aren't legal, or that two tools have", () => {
    for (const name of ["", "1a", "a b", "a.b", "a\n", "é", "a".repeat(65), 1]) {
      assert.deepStrictEqual(
        unlike(checkOpenAIChat([inChat(schema, { name })]), "#/0/function/name", "doesn't match"),
        []
      )
    }
    assert.deepStrictEqual(
      unlike(checkAnthropic([inAnthropic(schema), inAnthropic(schema)]), "#/1/name", "another tool"),
      []
    )
    assert.deepStrictEqual(checkAnthropic([inAnthropic(schema), inAnthropic(schema, "_S-1")]), [])
  })

  it("knows the form of Chat Completions", () => {
    assert.deepStrictEqual(checkOpenAIChat([inChat(schema, { description: "" })]), [])
    assert.deepStrictEqual(checkOpenAIChat([inChat(schema, { description: "x".repeat(1024), strict: false })]), [])
    assert.deepStrictEqual(
      unlike(checkOpenAIChat([inChat(schema, { description: "x".repeat(1025) })]), "/description", "at most 1024"),
      []
    )
    assert.deepStrictEqual(unlike(checkOpenAIChat([inChat(schema, { strict: null })]), "/strict", "a boolean"), [])
    assert.deepStrictEqual(unlike(checkOpenAIChat([inChat(schema, { extra: 1 })]), "/extra", "isn't a key here"), [])
    assert.deepStrictEqual(
      unlike(checkOpenAIChat([{ ...inChat(schema), type: "tool" }]), "#/0/type", "\"function\""),
      []
    )
    assert.deepStrictEqual(unlike(checkOpenAIChat({}), "#", "a list"), [])
    assert.include(checkOpenAIChat(["search"]).join("\n"), "#/0: must be an object")
    const many = strings(129, 3).map((name) => inChat(schema, { name: `t${name}` }))
    assert.deepStrictEqual(unlike(checkOpenAIChat(many), "#", "more than 128"), [])
  })

  it("knows the form of Responses", () => {
    const tool = { type: "function", name: "search", parameters: schema, strict: false }
    assert.deepStrictEqual(checkOpenAIResponses([tool]), [])
    const { strict: _, ...unsaid } = tool
    assert.deepStrictEqual(unlike(checkOpenAIResponses([unsaid]), "#/0/strict", "is missing"), [])
    assert.deepStrictEqual(unlike(checkOpenAIResponses([{ ...tool, type: "custom" }]), "#/0/type", "\"function\""), [])
    assert.deepStrictEqual(
      unlike(checkOpenAIResponses([{ ...tool, strict: true }]), "#/0/parameters", "additionalProperties"),
      []
    )
    assert.include(checkOpenAIResponses([inChat(schema)]).join("\n"), "#/0/function: isn't a key here", "nested")
  })

  it("knows the form of Anthropic", () => {
    assert.deepStrictEqual(checkAnthropic([{ name: "search", input_schema: schema }]), [])
    assert.include(
      checkAnthropic([{ name: "search", parameters: schema }]).join("\n"),
      "#/0/input_schema: is missing",
      "parameters"
    )
  })

  it("knows the form of Gemini, and keeps its two modes apart", () => {
    const tool = { name: "search", description: "Searches" }
    const both = { ...tool, parameters: schema, parametersJsonSchema: schema }
    assert.deepStrictEqual(unlike(checkGemini(inGemini(both)), "/0/parameters", "isn't a key here"), [])
    assert.deepStrictEqual(
      unlike(checkGeminiOpenApi(inGemini(both)), "/0/parametersJsonSchema", "isn't a key here"),
      []
    )
    assert.deepStrictEqual(unlike(checkGemini([]), "#", "exactly one"), [])
    assert.deepStrictEqual(unlike(checkGemini(inGemini()), "/functionDeclarations", "empty"), [])
    assert.deepStrictEqual(
      unlike(checkGemini(inGemini({ ...tool, description: "", parametersJsonSchema: schema })), "/description", "one"),
      []
    )
    assert.include(checkGemini(inGemini(tool)).join("\n"), "/parametersJsonSchema: is missing", "no schema")
  })

  it("knows the form of Bedrock", () => {
    assert.deepStrictEqual(
      unlike(checkBedrock([inBedrock(schema, { description: "" })]), "#/0/toolSpec/description", "one character"),
      []
    )
    assert.deepStrictEqual(
      unlike(checkBedrock([{ ...inBedrock(schema), extra: 1 }]), "#/0/extra", "isn't a key here"),
      []
    )
    assert.include(
      checkBedrock([inBedrock(schema, { inputSchema: schema })]).join("\n"),
      "/inputSchema/json: is missing",
      "bare"
    )
  })
})

describe("OpenAI", () => {
  it("accepts most of the draft where it isn't strict", () => {
    const branches = { properties: { x: {}, y: {} }, anyOf: [{ required: ["x"] }, { required: ["y"] }] }
    const properties = { a: { default: 1, oneOf: [{ minLength: 1 }, true] }, b: branches, "c.d-e": false }
    assert.deepStrictEqual(openAI(rootOf(openAI, properties, { required: [], $schema: "x" })), [])
  })

  it("refuses arrays without items, and objects without properties", () => {
    assert.deepStrictEqual(
      missed(openAI, [
        [{ type: "array" }, "", "must have items"],
        [{ type: ["array", "null"] }, "", "must have items"],
        [{ type: "object" }, "", "must have properties"],
        [{ anyOf: [{ type: ["null", "object"] }] }, "/anyOf/0", "must have properties"]
      ]),
      []
    )
  })
})

describe("OpenAI strict", () => {
  it("accepts recursion, unions and enums with null", () => {
    const node = rootOf(strict, {
      kind: { type: ["string", "null"], enum: ["a", null], title: "Kind" },
      next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
      when: { type: "string", format: "date-time", pattern: "^(?:[(?=]|\\(?=)$" },
      size: { type: "number", const: 1, minimum: 0, multipleOf: 0.5 },
      list: { type: "array", items: { $ref: "#" }, maxItems: 3 }
    })
    assert.deepStrictEqual(strict(rootOf(strict, { a: { $ref: "#/$defs/node" } }, { $defs: { node } })), [])
  })

  it("refuses open objects and optional properties", () => {
    assert.deepStrictEqual(
      unlike(strict(rootOf(strict, {}, { additionalProperties: true })), "/parameters", "\"additionalProperties\""),
      []
    )
    assert.deepStrictEqual(
      unlike(strict(rootOf(strict, { a: { type: "string" } }, { required: [] })), "/required", "lacks \"a\""),
      []
    )
    const loose = { type: ["object", "null"], properties: {}, required: [] }
    assert.deepStrictEqual(
      unlike(strict(rootOf(strict, { a: loose })), "/properties/a", "\"additionalProperties\""),
      []
    )
  })

  it("refuses keywords, formats, patterns and schemas it doesn't support", () => {
    const type = "string"
    const rejected = "allOf oneOf not if dependentRequired dependentSchemas propertyNames patternProperties default " +
      "minLength maxLength uniqueItems prefixItems $schema"
    for (const keyword of rejected.split(" ")) {
      assert.include(
        strict(rootOf(strict, { a: { type, [keyword]: 1 } })).join("\n"),
        `/a/${keyword}: the keyword isn't`,
        keyword
      )
    }
    assert.deepStrictEqual(
      missed(strict, [
        [{ type, format: "uri" }, "/format", "isn't supported"],
        [{ type, pattern: "a(?=b)" }, "/pattern", "lookaround"],
        [{ type, pattern: "(?<!b)a" }, "/pattern", "lookaround"],
        [{ description: "anything" }, "", "must have one of"],
        [{ const: 1 }, "", "must have one of"],
        [{ type: "array" }, "", "must have items"],
        [{ type: "object", additionalProperties: false }, "", "must have properties"],
        [{ $ref: "#", description: "x" }, "", "must stand alone"],
        [{ type: "array", items: true }, "/items", "no boolean schemas"],
        [{ type: ["string", "null"], enum: ["a"] }, "/enum", "lacks null"],
        [{ type, enum: ["a", null] }, "/enum", "isn't of the type"],
        [{ type: "integer", enum: [1, 1.5] }, "/enum", "isn't of the type"]
      ]),
      []
    )
  })

  it("counts", () => {
    assert.deepStrictEqual(strict(nested(10)), [])
    assert.deepStrictEqual(unlike(strict(nested(11)), "/properties/a", "10 levels"), [])
    const properties = (count: number) =>
      Object.fromEntries(strings(count, 4).map((name) => [`p${name}`, { type: "null" }]))
    assert.deepStrictEqual(strict(rootOf(strict, properties(5000))), [])
    assert.deepStrictEqual(unlike(strict(rootOf(strict, properties(5001))), "/parameters", "5000 properties"), [])
    const enums = (...lists: ReadonlyArray<ReadonlyArray<string>>) =>
      strict(rootOf(strict, Object.fromEntries(lists.map((list, index) => [`p${index}`, { enum: list }]))))
    assert.deepStrictEqual(enums(strings(250, 200), strings(750, 3)), [])
    assert.deepStrictEqual(unlike(enums(strings(501, 3), strings(500, 3)), "/parameters", "1000 values"), [])
    assert.deepStrictEqual(unlike(enums(strings(251, 60)), "/properties/p0/enum", "15000 characters"), [])
    assert.deepStrictEqual(unlike(enums(strings(200, 601)), "/parameters", "120000 characters"), [])
    assert.deepStrictEqual(
      unlike(strict(rootOf(strict, { a: { type: "string", const: "x".repeat(120_000) } })), "/parameters", "120000"),
      []
    )
  })
})

describe("Anthropic", () => {
  it("accepts the draft below the root, references and recursion", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node", description: "x" } }, minProperties: 1 }
    const tuple = { type: "array", prefixItems: [{ const: 1 }, true], items: false, uniqueItems: true }
    const properties = { a: { allOf: [{ $ref: "#/$defs/node" }], required: ["next"] }, b: tuple, c: { type: "array" } }
    assert.deepStrictEqual(anthropic(rootOf(anthropic, properties, { $defs: { node }, if: undefined })), [
      "#/0/input_schema/if: undefined is no JSON"
    ])
    assert.deepStrictEqual(anthropic(rootOf(anthropic, properties, { $defs: { node } })), [])
  })
})

describe("Bedrock", () => {
  it("accepts plain schemas below a bare root", () => {
    const properties = { "a.b": { type: "array", items: { oneOf: [{ const: 1 }, { minLength: 2 }] } } }
    assert.deepStrictEqual(bedrock(rootOf(bedrock, properties, { required: [] })), [])
  })

  it("refuses references, and anything else at the root", () => {
    assert.deepStrictEqual(
      unlike(bedrock(rootOf(bedrock, { a: { $ref: "#" } })), "/a/$ref", "isn't known to Bedrock"),
      []
    )
    assert.deepStrictEqual(
      unlike(bedrock(rootOf(bedrock, { a: { $defs: {} } })), "/a/$defs", "isn't known to Bedrock"),
      []
    )
    assert.deepStrictEqual(
      unlike(bedrock(rootOf(bedrock, {}, { description: "x" })), "/json", "without \"description\""),
      []
    )
    assert.deepStrictEqual(
      unlike(bedrock(rootOf(bedrock, {}, { additionalProperties: false })), "/json", "without"),
      []
    )
    assert.deepStrictEqual(missed(bedrock, [[{ type: "array" }, "", "must have items"]]), [])
  })
})

describe("Gemini", () => {
  const node = (required: ReadonlyArray<string>, next: object) => ({ type: "object", properties: { next }, required })
  const recursive = (required: ReadonlyArray<string>, next: object) =>
    gemini(rootOf(gemini, { a: { $ref: "#/$defs/node" } }, { $defs: { node: node(required, next) } }))

  it("accepts the keywords it lists", () => {
    const properties = {
      a: { type: ["string", "null"], enum: ["x"], format: "uri", title: "A" },
      b: { anyOf: [{ type: "number", minimum: 0 }, { oneOf: [{ type: "null" }] }], description: "b" },
      c: { type: "array", items: { type: "string" }, prefixItems: [{ type: "string" }], maxItems: 3 },
      d: { type: "object", properties: {}, additionalProperties: { type: "string" } }
    }
    const more = { additionalProperties: false, propertyOrdering: ["b", "a", "c", "d"] }
    assert.deepStrictEqual(gemini(rootOf(gemini, properties, more)), [])
  })

  it("refuses what it doesn't list", () => {
    const type = "string"
    for (
      const keyword of "const default pattern minLength exclusiveMinimum allOf not nullable uniqueItems".split(" ")
    ) {
      assert.include(
        gemini(rootOf(gemini, { a: { type, [keyword]: 1 } })).join("\n"),
        `/a/${keyword}: the keyword isn't`,
        keyword
      )
    }
    assert.deepStrictEqual(
      unlike(gemini(rootOf(gemini, { "a-b": { type } })), "/properties/a-b", "the key doesn't match"),
      []
    )
    assert.deepStrictEqual(
      missed(gemini, [
        [true, "", "no boolean schemas"],
        [{ type: "array" }, "", "must have items"],
        [{ description: "x" }, "", "must have one of"],
        [{ anyOf: [{ type }], enum: ["x"] }, "/enum", "needs a type"],
        [{ $ref: "#/$defs/x", description: "x" }, "", "must stand alone"]
      ], { $defs: { x: { type } } }),
      []
    )
  })

  it("takes a cycle only through a property that isn't required", () => {
    const $ref = "#/$defs/node"
    const list = { type: "array", items: { $ref } }
    assert.deepStrictEqual(recursive([], { $ref }), [])
    assert.deepStrictEqual(recursive([], list), [])
    assert.deepStrictEqual(unlike(recursive(["next"], { $ref }), "/$defs/node/properties/next", "a cycle"), [])
    assert.deepStrictEqual(unlike(recursive(["next"], list), "/properties/next/items", "a cycle"), [])
    assert.deepStrictEqual(
      unlike(recursive(["next"], { anyOf: [{ type: "null" }, { $ref }] }), "/next/anyOf/1", "a cycle"),
      []
    )
    assert.deepStrictEqual(recursive(["next"], node([], { $ref })), [])
    assert.deepStrictEqual(unlike(gemini(rootOf(gemini, { a: { $ref: "#" } })), "/properties/a", "a cycle"), [])
    const $defs = { x: node(["next"], { $ref: "#/$defs/y" }), y: node(["next"], { $ref: "#/$defs/x" }) }
    assert.lengthOf(gemini(rootOf(gemini, {}, { $defs })), 2)
  })
})

describe("Gemini OpenAPI", () => {
  it("accepts the keywords it lists, with names of types in either case", () => {
    const properties = {
      a: { type: "STRING", enum: ["x"], format: "enum", nullable: true, default: null, example: "x" },
      b: { anyOf: [{ type: "integer", format: "int64" }, { type: "string", minLength: 1, pattern: "x" }] },
      c: { type: "array", items: { type: "object", properties: { d: { type: "number", format: "float" } } } },
      e: { anyOf: [{ type: "boolean" }], nullable: true }
    }
    assert.deepStrictEqual(openApi(rootOf(openApi, properties, { type: "OBJECT", propertyOrdering: ["a"] })), [])
  })

  it("refuses what it doesn't list", () => {
    const type = "string"
    const unlisted = "$ref $defs oneOf allOf const additionalProperties exclusiveMinimum prefixItems $schema".split(" ")
    for (const keyword of unlisted) {
      assert.include(
        openApi(rootOf(openApi, { a: { type, [keyword]: 1 } })).join("\n"),
        `/a/${keyword}: the keyword isn't`,
        keyword
      )
    }
    assert.deepStrictEqual(
      missed(openApi, [
        [{ type: ["string", "null"] }, "/type", "the name of one type"],
        [{ type: "String" }, "/type", "the name of one type"],
        [{ nullable: true }, "", "must have one of"],
        [{ type, enum: ["x", null] }, "/enum", "must be strings"],
        [{ type: "integer", enum: ["1"] }, "/enum", "needs the type string"],
        [{ type, format: "email" }, "/format", "isn't supported"],
        [{ type: "integer", format: "float" }, "/format", "isn't supported"],
        [{ anyOf: [{ type }], description: "x" }, "", "must stand alone"],
        [{ type: "object", properties: {} }, "", "at least one property"],
        [{ type: "object" }, "", "at least one property"],
        [{ type: "array" }, "", "must have items"],
        [false, "", "no boolean schemas"]
      ]),
      []
    )
  })
})
