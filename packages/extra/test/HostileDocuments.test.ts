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

describe("documents of long texts", () => {
  const LONG = "x".repeat(1_000_000)
  const many = (item: Json.JsonObject, length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`/p${index}`, item]))
  const shared = (operation: Json.JsonObject, rest: Json.JsonObject = {}, length = 200) =>
    document(many({ $ref: "#/components/pathItems/all" }, length), {
      components: { pathItems: { all: { get: operation } } },
      ...rest
    })

  it.live.each<readonly [string, Json.JsonObject, RegExp]>([
    ["a server that is no address", shared({}, { servers: [{ url: LONG }] }), /longer than/],
    ["a server that is one", shared({}, { servers: [{ url: `http://h.example/${LONG}` }] }), /longer than/],
    [
      "a server of variables",
      shared({}, {
        servers: [{ url: `http://h.example/${"{a}".repeat(600)}`, variables: { a: { default: LONG } } }]
      }),
      /longer than/
    ],
    ["a parameter's name", shared({ parameters: [{ name: LONG, in: "nowhere" }] }), /is in no place/],
    [
      "a credential's name",
      shared({ security: [{ key: [] }] }, {
        components: {
          pathItems: { all: { get: { security: [{ key: [] }] } } },
          securitySchemes: { key: { type: "apiKey", in: "header", name: `a b${LONG}` } }
        }
      }),
      /no header for one/
    ],
    ["a reference", shared({ parameters: [{ $ref: LONG }] }), /another document/]
  ])("cost their operations, in a few words: %s", ([name, given, problem]) =>
    Effect.gen(function*() {
      const base = name.includes("server") ? {} : { baseUrl: "http://h.example" }
      const entry = yield* entryOf(given, { ...base, security: { key: "k" } })
      assert.lengthOf(brokenOf(entry), 200)
      assert.match(brokenOf(entry)[0] ?? "", problem)
      assert.isBelow(JSON.stringify(entry).length, 200_000)
    }))

  it.live("name their security schemes in short", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 5000 }, (_, index) => `scheme-${index}`)
      const securitySchemes = Object.fromEntries(names.map((name) => [name, { type: "http", scheme: "bearer" }]))
      const given = document({ "/a": { get: { security: [{ [names[0] ?? ""]: [] }] } } }, {
        components: { securitySchemes }
      })
      const told = [yield* entryOf(given), yield* entryOf(given, { security: { mine: "k" } })].flatMap((entry) =>
        entry.diagnostics.filter(({ message }) => message.includes("scheme-0, "))
      )
      assert.deepStrictEqual(told.map(({ code }) => code), ["needs-credentials", "unknown-security-scheme"])
      for (const { message } of told) assert.isBelow(message.length, 1000)
    }))

  it.live("tell what an operation does in short", () =>
    Effect.gen(function*() {
      const operation = { operationId: LONG, summary: `b${LONG}`, description: LONG, deprecated: true }
      const entry = yield* entryOf(shared(operation))
      assert.lengthOf(entry.tools, 200)
      assert.match(entry.tools[0]?.description ?? "", /^bx+\.\.\.\n\nx+\.\.\.\n\nDeprecated\.$/)
      assert.isBelow(JSON.stringify(entry).length, 10_000_000)
    }))

  it.live("have tools as far as they fit into memory", () =>
    Effect.gen(function*() {
      const parameters = [{ name: "q", in: "query", schema: { type: "string", description: LONG } }]
      const entry = yield* entryOf(shared({ parameters }))
      const large = yield* entryOf(shared({ parameters }, {}, 1000))
      assert.lengthOf(entry.tools, 200)
      assert.isBelow(large.tools.length, 400)
      assert.match(brokenOf(large)[0] ?? "", /is one too many/)
    }))

  it.live("are read in the time of good ones: slashes without an end", () =>
    Effect.gen(function*() {
      const started = process.cpuUsage()
      yield* entryOf(shared({}, { servers: [{ url: `http://h.example/${"/".repeat(500_000)}x` }] }), {})
      assert.isBelow(process.cpuUsage(started).user / 1000, 3000)
    }))

  it.live("of broken paths are told so far as anybody reads it", () =>
    Effect.gen(function*() {
      const paths = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`/p${index}`, index]))
      const entry = yield* entryOf(document({ "/good": { get: { operationId: "good" } }, ...paths }))
      assert.deepStrictEqual(namesOf(entry), ["good"])
      assert.lengthOf(brokenOf(entry), 9_999)
      assert.isTrue(entry.diagnostics.some(({ code }) => code === "too-many-operations"))
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
