/** The tests that the JSON Schema project keeps for drafts 4, 7 and 2020-12, and schemas of real MCP servers. */
import * as Json from "@effect-toolnexus/core/Json"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import * as SchemaValidator from "../src/SchemaValidator.ts"

const Group = Schema.fromJsonString(Schema.Struct({
  id: Schema.String,
  schema: Schema.Union([Schema.Boolean, Schema.JsonObject]),
  tests: Schema.Array(Schema.Struct({ description: Schema.String, data: Schema.Json, valid: Schema.Boolean }))
}))

const decodeGroup = Schema.decodeSync(Group)

const linesOf = (name: string) =>
  readFileSync(new URL(`../../../fixtures/schemas/${name}`, import.meta.url), "utf8").trim().split("\n")

const groups = linesOf("json-schema-test-suite.ndjson").map((line) => decodeGroup(line))

const DIALECTS: Readonly<Record<string, string>> = {
  draft4: "http://json-schema.org/draft-04/schema#",
  draft7: "http://json-schema.org/draft-07/schema#"
}

/** Only the tests of 2020-12 name their dialect. */
const withDialect = (id: string, schema: boolean | Json.JsonObject) => {
  const dialect = DIALECTS[id.split("/")[0] ?? ""]
  return typeof schema === "boolean" || dialect === undefined ? schema : { $schema: dialect, ...schema }
}

const ACCEPTS_MORE: ReadonlyArray<readonly [RegExp, string]> = [
  [/\/optional\/(?:format\/|format-assertion|content)/, "`format` and content keywords are not applied (CONTRACT 1)"],
  [/\/refRemote\.json/, "nothing is fetched"],
  [/\/optional\/cross-draft\.json#refs to future drafts/, "nothing is fetched"],
  [/\/(?:defs|definitions)\.json#validate definition against metaschema/, "nothing is fetched: meta-schemas neither"],
  [/#remote ref, containing refs itself/, "nothing is fetched"],
  [
    /dynamicRef\.json#(?:strict-tree schema|tests for implementation|\$ref and \$dynamicAnchor are independent|\$ref to \$dynamicRef finds)/,
    "nothing is fetched"
  ],
  [
    /unevaluatedItems\.json#(?:unevaluatedItems depends on|unevaluatedItems and contains interact|unevaluatedItems with minContains)/,
    "ajv takes all items for evaluated by `contains`"
  ],
  [
    /unevaluatedItems\.json#(?:unevaluatedItems with nested items|unevaluatedItems can see annotations from if)/,
    "ajv takes items for evaluated by a branch that may not have been taken"
  ],
  [/draft4\/optional\/zeroTerminatedFloats/, "1.0 is 1 in JavaScript"]
]

const REFUSES_MORE: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /unevaluatedProperties\.json#unevaluatedProperties with if\/then\/else, then not defined/,
    "ajv doesn't count what an `if` without `then` evaluates"
  ],
  [
    /vocabulary\.json#schema that uses custom metaschema with with no validation vocabulary/,
    "meta-schemas are not fetched, so all keywords mean something"
  ]
]

const isException = (id: string, exceptions: ReadonlyArray<readonly [RegExp, string]>) =>
  exceptions.some(([pattern]) => pattern.test(id))

/** Thousands of schemas are compiled, for which a busy machine takes long: nothing here is about time. */
const TIMEOUT = 120_000

describe("JSON Schema test suite", { timeout: TIMEOUT }, () => {
  it("agrees with every group but the exceptions, and with these as far as can be", () => {
    const wrong = groups.flatMap(({ id, schema, tests }) => {
      const validator = SchemaValidator.compile(withDialect(id, schema))
      const [accepts, refuses] = [isException(id, ACCEPTS_MORE), isException(id, REFUSES_MORE)]
      return tests.filter(({ data, valid }) => {
        const accepted = validator.validate(data).length === 0
        if (accepted === valid) return false
        return refuses ? false : !(accepts && accepted)
      }).map(({ description }) => `${id}: ${description}`)
    })
    assert.deepStrictEqual(wrong, [])
    assert.strictEqual(groups.length, 981)
  })

  it("needs each of its exceptions", () => {
    const failing = groups.filter(({ id, schema, tests }) => {
      const validator = SchemaValidator.compile(withDialect(id, schema))
      return tests.some(({ data, valid }) => (validator.validate(data).length === 0) !== valid)
    }).map(({ id }) => id)
    for (const [pattern] of [...ACCEPTS_MORE, ...REFUSES_MORE]) {
      assert.isTrue(failing.some((id) => pattern.test(id)), String(pattern))
    }
  })

  it("checks schemas of draft 7 that don't say so, but for what only draft 7 means", () => {
    const wrong = groups.filter(({ id }) =>
      id.startsWith("draft7/") && !isException(id, [...ACCEPTS_MORE, ...REFUSES_MORE])
    ).filter(({ schema, tests }) => {
      const validator = SchemaValidator.compile(schema)
      return tests.some(({ data, valid }) => (validator.validate(data).length === 0) !== valid)
    }).map(({ id }) => id)
    // beside a reference nothing counted then
    assert.deepStrictEqual(wrong, [
      "draft7/ref.json#ref overrides any sibling keywords",
      "draft7/ref.json#$ref prevents a sibling $id from changing the base uri"
    ])
  })
})

describe("schemas of real servers", { timeout: TIMEOUT }, () => {
  const decode = Schema.decodeSync(
    Schema.fromJsonString(Schema.Struct({ id: Schema.String, schema: Schema.JsonObject }))
  )
  const schemas = linesOf("mcp-tools.ndjson").map((line) => decode(line))

  it("compile, with nothing left out, and refuse what is no object", () => {
    for (const { id, schema } of schemas) {
      const validator = SchemaValidator.compile(schema)
      assert.deepStrictEqual(validator.diagnostics, [], id)
      assert.strictEqual(validator.validate("text")[0]?.message, `expected an object, got "text"`, id)
    }
    assert.strictEqual(schemas.length, 817)
  })
})
