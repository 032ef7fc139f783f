/** What a model is told of an operation: the schemas of a document as JSON Schema, and where they are kept. */
import type { Json } from "@effect-toolnexus/core"
import { openApiTools } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brokenOf, document, entryOf, namesOf, parameter, schemaOf } from "./documents.ts"
import { build, callIn, serve } from "./support.ts"

describe("schemas and references", () => {
  it.live("references are followed wherever a schema may stand", () =>
    Effect.gen(function*() {
      const other = { $ref: "#/components/schemas/Other" }
      const schema = {
        items: [other],
        additionalItems: other,
        dependencies: { a: ["b"], c: other },
        dependentSchemas: { a: other },
        anyOf: [{ not: other }]
      }
      const entry = yield* entryOf(document({
        "/": { post: { requestBody: { content: { "application/json": { schema } } } } }
      }, { components: { schemas: { Other: { type: "object" } } } }))
      const there = { $ref: "#/$defs/Other" }
      assert.deepStrictEqual(schemaOf(entry)["properties"], {
        body: {
          prefixItems: [there],
          additionalItems: there,
          dependencies: { a: ["b"], c: there },
          dependentSchemas: { a: there },
          anyOf: [{ not: there }]
        }
      })
    }))

  it.live("what 3.0 says in its own words is JSON Schema", () =>
    Effect.gen(function*() {
      const schema = {
        type: "object",
        required: ["id", "name", "name"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string", nullable: true, enum: ["a"], example: "a" },
          ref: { nullable: true, allOf: [{ $ref: "#/components/schemas/Other" }], description: "r" },
          bound: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
          odd: { type: "uuid", minLength: "3", required: true, enum: [], xml: { name: "x" }, "x-a": 1 },
          __proto__1: { type: "string" }
        },
        discriminator: { propertyName: "name" }
      }
      const entry = yield* entryOf(document({
        "/": { post: { requestBody: { required: true, content: { "application/json": { schema } } } } }
      }, { components: { schemas: { Other: { type: "object" } } } }))
      assert.deepStrictEqual(schemaOf(entry), {
        type: "object",
        properties: {
          body: {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: ["string", "null"], enum: ["a", null], examples: ["a"] },
              ref: { anyOf: [{ allOf: [{ $ref: "#/$defs/Other" }] }, { type: "null" }], description: "r" },
              bound: { type: "number", exclusiveMinimum: 1, maximum: 9 },
              odd: {},
              __proto__1: { type: "string" }
            }
          }
        },
        required: ["body"],
        additionalProperties: false,
        $defs: { Other: { type: "object" } }
      })
    }))

  it.live("cyclic ones stay so, and what they share is there once", () =>
    Effect.gen(function*() {
      const schemas = {
        Node: {
          type: "object",
          properties: { next: { $ref: "#/components/schemas/Node" }, "a/b": { $ref: "#/components/schemas/Leaf" } }
        },
        Leaf: { type: "object", properties: { up: { $ref: "#/components/schemas/Node" } } }
      }
      const ref = (reference: string) => ({
        requestBody: { content: { "application/json": { schema: { $ref: reference } } } }
      })
      const entry = yield* entryOf(document({
        "/a": { post: ref("#/components/schemas/Node") },
        "/b": { post: ref("#/components/schemas/Node/properties/a~1b") }
      }, { components: { schemas } }))
      assert.deepStrictEqual(Object.keys(Object(schemaOf(entry)["$defs"])).toSorted(), ["Leaf", "Node"])
      assert.deepStrictEqual(Object.keys(Object(schemaOf(entry, 1)["$defs"])).toSorted(), ["Leaf", "Node", "a_b"])
    }))

  it.live("parameters, bodies, paths and media are found wherever they are kept", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const given = document({
        "/x/{id}": { $ref: "#/x-paths/shared" }
      }, {
        "x-paths": {
          shared: {
            parameters: [
              { $ref: "#/components/parameters/Id" },
              parameter("q", "query", { description: "of the path" })
            ],
            put: {
              operationId: "put",
              parameters: [parameter("q", "query", { description: "of the operation", required: true })],
              requestBody: { $ref: "#/components/requestBodies/First" }
            }
          }
        },
        components: {
          parameters: { Id: parameter("id", "path", { required: true }) },
          requestBodies: {
            First: { $ref: "#/components/requestBodies/Second" },
            Second: { content: { "application/json": { schema: {} } } }
          }
        }
      })
      const entries = yield* build([openApiTools(given, { baseUrl: server.origin })])
      yield* callIn(entries, "put", { id: 1, q: 2, body: 3 })
      assert.deepStrictEqual([server.seen[0]?.target, server.seen[0]?.body.toString()], ["/x/1?q=2", "3"])
      const schema = entries[0]?.tools[0]?.inputSchema
      assert.deepStrictEqual(schema?.["properties"], { id: {}, q: { description: "of the operation" }, body: {} })
      assert.deepStrictEqual(schema?.["required"], ["id", "q"])
    }))

  it.live("a broken operation costs only itself, and says where it is", () =>
    Effect.gen(function*() {
      const post = (schema: Json.Json) => ({ requestBody: { content: { "application/json": { schema } } } })
      const entry = yield* entryOf(document({
        "/good": { get: { operationId: "good" } },
        "/missing": { post: post({ $ref: "#/components/schemas/Missing" }) },
        "/elsewhere": { post: post({ $ref: "https://other.example/schema.json#/A" }) },
        "/file": { get: { parameters: [{ $ref: "other.yaml#/P" }] } },
        "/loop": { get: { parameters: [{ $ref: "#/components/parameters/A" }] } },
        "/odd": { get: { parameters: [{ in: "query" }, 3] }, put: "no operation" },
        "/place": { get: { parameters: [{ name: "x", in: "nowhere" }] } },
        "/nothing": null,
        "/gone": { $ref: "#/nowhere" }
      }, {
        components: {
          parameters: { A: { $ref: "#/components/parameters/B" }, B: { $ref: "#/components/parameters/A" } }
        }
      }))
      assert.deepStrictEqual(namesOf(entry), ["good"])
      const messages = brokenOf(entry)
      assert.strictEqual(messages.length, 9)
      const clause = / was left out: (?:it|its body|parameter \d(?: "x")?) (?:has|is|refers) /
      assert.isTrue(messages.every((message) => clause.test(message)), messages.join("\n"))
      assert.include(messages.join("\n"), "another document")
      assert.include(messages.join("\n"), "refers to itself")
    }))

  it.live("a document without an end of schemas is bounded", () =>
    Effect.gen(function*() {
      // each level refers twice to the next, and the values of all are too many for one tool
      const wide = Object.fromEntries(
        Array.from({ length: 3000 }, (_, index) => [`p${index}`, { type: "string", title: "t" }])
      )
      const schemas = Object.fromEntries(
        Array.from(
          { length: 40 },
          (
            _,
            index
          ) => [`S${index}`, {
            type: "object",
            properties: { ...wide, next: { $ref: `#/components/schemas/S${index + 1}` } }
          }]
        )
      )
      const entry = yield* entryOf(document({
        "/": {
          post: { requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/S0" } } } } }
        },
        "/ok": { get: {} }
      }, { components: { schemas } }))
      assert.deepStrictEqual(namesOf(entry), ["get_ok"])
      assert.match(brokenOf(entry)[0] ?? "", /needs schemas of more than 50000 values/)
    }))
})
