/** Documents that are made to cost time, memory or secrets of whoever reads them. */
import type { Json } from "@effect-toolnexus/core"
import { httpTool, openApiTools } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brokenOf, document, entryOf, namesOf, parameter } from "./documents.ts"
import { build, callIn, serve } from "./support.ts"

describe("hostile documents", () => {
  const form = (schema: Json.JsonObject) => ({
    post: { requestBody: { content: { "multipart/form-data": { schema } } } }
  })
  const refs = (count: number, target: string) => Array.from({ length: count }, () => ({ $ref: target }))
  const posts = (schema: Json.JsonObject) => ({
    post: { requestBody: { content: { "application/json": { schema } } } }
  })

  it.live("are read in the time of good ones", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 20_000 }, (_, index) => `n${index}`)
      const started = process.cpuUsage()
      const entry = yield* entryOf(document({
        // forms whose schemas are put together of themselves
        "/circle": form({ $ref: "#/components/schemas/Circle" }),
        "/items": form({ properties: { file: { $ref: "#/components/schemas/Items" } } }),
        // as many definitions of one name
        "/names": posts({ anyOf: names.map((name) => ({ $ref: `#/x-${name}/same` })) }),
        // a list that is no argument list
        "/enum": posts({ enum: Array.from({ length: 300_000 }, (_, index) => index) }),
        // names that are tried one after the other
        "/parameters": {
          get: {
            parameters: names.map((name) => parameter(`query_x${"_".repeat(Number(name.slice(1)) % 500)}`, "query"))
          }
        },
        "/good": { get: {} }
      }, {
        ...Object.fromEntries(names.map((name) => [`x-${name}`, { same: { type: "string" } }])),
        components: {
          schemas: {
            Circle: {
              allOf: refs(100, "#/components/schemas/Circle"),
              anyOf: refs(100, "#/components/schemas/Circle")
            },
            Items: { type: "array", items: { $ref: "#/components/schemas/Items" } }
          }
        }
      }))
      assert.deepStrictEqual(namesOf(entry), ["post_circle", "post_items", "get_parameters", "get_good"])
      assert.strictEqual(brokenOf(entry).length, 2)
      assert.isBelow(process.cpuUsage(started).user / 1000, 5000)
    }))

  it.live("and redirects lead nowhere that clouds keep their secrets", () =>
    Effect.gen(function*() {
      const metadata = "http://169.254.169.254/latest/meta-data"
      const server = yield* serve((_seen, response) => void response.writeHead(302, { location: metadata }).end())
      const given = (operationId: string, rest: Json.JsonObject = {}) =>
        document({ "/": { get: { operationId } } }, rest)
      const entries = yield* build([
        openApiTools(given("direct", { servers: [{ url: metadata }] }), { retry: "never" }),
        openApiTools(given("redirect"), { baseUrl: server.origin, retry: "never" }),
        httpTool({ name: "own", url: server.origin, retry: "never" })
      ])
      for (const name of ["direct", "redirect", "own"]) {
        const result = yield* Effect.result(callIn(entries, name, {}))
        assert.include(result._tag === "Failure" ? result.failure.message : "", "link-local", name)
      }
    }))
})

describe("documents whose operations all refer to one large part", () => {
  const many = Array.from({ length: 600 }, (_, index) => `/p${index}`)
  const properties = Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`x${index}`, { type: "string" }]))
  const schema = { type: "object", properties }
  const form = { content: { "application/x-www-form-urlencoded": { schema: { $ref: "#/components/schemas/large" } } } }
  const parameters = Array.from({ length: 3000 }, (_, index) => parameter(`q${index}`, "query"))
  const components: Json.JsonObject = {
    parameters: { large: parameter("q", "query", { schema }) },
    requestBodies: { form },
    schemas: { large: schema },
    pathItems: { all: { parameters, get: {} } }
  }
  it.live.each<readonly [string, Json.JsonObject]>([
    ["a schema", { get: { parameters: [{ $ref: "#/components/parameters/large" }] } }],
    ["the fields of a form", { post: { requestBody: { $ref: "#/components/requestBodies/form" } } }],
    ["parameters", { $ref: "#/components/pathItems/all" }]
  ])("have tools as far as they fit into memory: %s", ([_name, item]) =>
    Effect.gen(function*() {
      const entry = yield* entryOf(document(Object.fromEntries(many.map((path) => [path, item])), { components }))
      assert.isAbove(entry.tools.length, 10)
      assert.isBelow(entry.tools.length, 500)
      assert.lengthOf(brokenOf(entry), many.length - entry.tools.length)
      assert.match(brokenOf(entry)[0] ?? "", /is one too many: all operations of the document together need more than/)
    }), 120_000)
})
