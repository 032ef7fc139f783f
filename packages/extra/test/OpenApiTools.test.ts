/** Documents: what becomes of them as entries and tools, and what arrives where their operations are called. */
import { Environment, type Json, type SourceEntry } from "@effect-toolnexus/core"
import { httpTool, OpenApiTools, openApiTools } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, callIn, json, serve } from "./support.ts"

const document = (paths: Json.JsonObject, rest: Json.JsonObject = {}): Json.JsonObject => ({
  openapi: "3.0.3",
  info: { title: "Test", version: "1" },
  paths,
  ...rest
})

type Options = NonNullable<Parameters<typeof openApiTools>[1]>

const entryOf = (given: Json.JsonObject | string, options: Options = { baseUrl: "http://127.0.0.1:1" }) =>
  Effect.map(build([openApiTools(given, options)]), ([entry]): SourceEntry.SourceEntry => {
    assert.isDefined(entry)
    return entry
  })

const namesOf = ({ tools }: SourceEntry.SourceEntry) => tools.map(({ name }) => name)
const schemaOf = ({ tools }: SourceEntry.SourceEntry, index = 0) => tools[index]?.inputSchema ?? { type: "object" }
const errorOf = (entry: SourceEntry.SourceEntry) => "error" in entry ? entry.error : undefined
const brokenOf = ({ diagnostics }: SourceEntry.SourceEntry) =>
  diagnostics.filter(({ code }) => code === "broken-operation").map(({ message }) => message)

/** One operation of a server that is really there, called; what arrived, and the result. */
const called = Effect.fnUntraced(
  function*(method: string, path: string, operation: Json.JsonObject, args: Json.JsonObject, rest?: Json.JsonObject) {
    const server = yield* serve()
    const entries = yield* build([
      openApiTools(document({ [path]: { [method]: { operationId: "op", ...operation } } }, rest), {
        baseUrl: `${server.origin}/base/`
      })
    ])
    const result = yield* Effect.result(callIn(entries, "op", args))
    const [first] = server.seen
    return { result, first, seen: server.seen, entry: entries[0] }
  }
)

const parameter = (name: string, place: string, rest: Json.JsonObject = {}) => ({
  name,
  in: place,
  schema: {},
  ...rest
})

describe("what arrives: parameters", () => {
  const list = ["a,b", "c d"]
  const object = { x: "1&2", y: true }

  it.live.each<readonly [string, Json.JsonObject, Json.Json, string]>([
    ["simple", {}, "a/b c", "a%2Fb%20c"],
    ["simple, list", {}, list, "a%2Cb,c%20d"],
    ["simple, object", {}, object, "x,1%262,y,true"],
    ["simple, object, exploded", { explode: true }, object, "x=1%262,y=true"],
    ["label", { style: "label" }, 5, ".5"],
    ["label, list", { style: "label" }, list, ".a%2Cb,c%20d"],
    ["label, list, exploded", { style: "label", explode: true }, list, ".a%2Cb.c%20d"],
    ["label, object, exploded", { style: "label", explode: true }, object, ".x=1%262.y=true"],
    ["matrix", { style: "matrix" }, "v", ";p=v"],
    ["matrix, list", { style: "matrix" }, list, ";p=a%2Cb,c%20d"],
    ["matrix, list, exploded", { style: "matrix", explode: true }, list, ";p=a%2Cb;p=c%20d"],
    ["matrix, object", { style: "matrix" }, object, ";p=x,1%262,y,true"],
    ["matrix, object, exploded", { style: "matrix", explode: true }, object, ";x=1%262;y=true"],
    ["content", { schema: {}, content: { "application/json": { schema: {} } } }, { a: [1] }, "%7B%22a%22%3A%5B1%5D%7D"]
  ])("path: %s", ([, rest, value, expected]) =>
    Effect.gen(function*() {
      const { first } = yield* called("get", "/r/{p}/s", { parameters: [parameter("p", "path", rest)] }, { p: value })
      assert.strictEqual(first?.target, `/base/r/${expected}/s`)
    }))

  it.live.each<readonly [string, Json.JsonObject, Json.Json, string]>([
    ["form", {}, "a b&c=d", "p=a%20b%26c%3Dd"],
    ["form, empty text", {}, "", "p="],
    ["form, list, exploded by default", {}, list, "p=a%2Cb&p=c%20d"],
    ["form, list", { explode: false }, list, "p=a%2Cb,c%20d"],
    ["form, empty list", {}, [], ""],
    ["form, object, exploded by default", {}, object, "x=1%262&y=true"],
    ["form, object", { explode: false }, object, "p=x,1%262,y,true"],
    ["spaceDelimited", { style: "spaceDelimited", explode: false }, list, "p=a%2Cb%20c%20d"],
    ["pipeDelimited", { style: "pipeDelimited", explode: false }, list, "p=a%2Cb%7Cc%20d"],
    ["deepObject", { style: "deepObject" }, { a: 1, b: { c: [2] } }, "p%5Ba%5D=1&p%5Bb%5D%5Bc%5D%5B0%5D=2"],
    ["reserved characters", { allowReserved: true }, "a/b?c:d&e", "p=a/b?c:d%26e"],
    ["content", { content: { "application/json": { schema: {} } } }, { a: "b" }, "p=%7B%22a%22%3A%22b%22%7D"],
    ["null", {}, null, ""]
  ])("query: %s", ([, rest, value, expected]) =>
    Effect.gen(function*() {
      const { first } = yield* called("get", "/q", { parameters: [parameter("p", "query", rest)] }, { p: value })
      assert.strictEqual(first?.target, `/base/q${expected === "" ? "" : `?${expected}`}`)
    }))

  it.live("headers and cookies", () =>
    Effect.gen(function*() {
      const { first } = yield* called("get", "/h", {
        parameters: [
          parameter("X-List", "header"),
          parameter("X-Object", "header", { explode: true }),
          parameter("X-Text", "header"),
          parameter("sid", "cookie"),
          parameter("flags", "cookie", { explode: false }),
          // OpenAPI has other words for these
          parameter("Authorization", "header"),
          parameter("Host", "header")
        ]
      }, {
        "X-List": [1, "b c"],
        "X-Object": { a: 1, b: "é" },
        "X-Text": "100%",
        sid: "a;b",
        flags: ["x", "y"],
        Authorization: "mine",
        Host: "evil"
      })
      const { authorization, cookie, host, ...headers } = first?.headers ?? {}
      assert.deepInclude(headers, { "x-list": "1,b c", "x-text": "100%" })
      assert.strictEqual(Buffer.from(String(headers["x-object"]), "latin1").toString("latin1"), "a=1,b=é")
      assert.strictEqual(cookie, "sid=a%3Bb; flags=x,y")
      assert.isUndefined(authorization)
      assert.notInclude(host, "evil")
    }))

  it.live("no line break gets into a header", () =>
    Effect.gen(function*() {
      for (const value of ["a\r\nX-Evil: 1", "a\0", "Ω"]) {
        const { result, seen } = yield* called("get", "/h", { parameters: [parameter("X-A", "header")] }, {
          "X-A": value
        })
        assert.strictEqual(result._tag === "Failure" && result.failure._tag, "InvalidArguments")
        assert.strictEqual(seen.length, 0)
      }
    }))

  it.live("one name in several places is put back where it belongs", () =>
    Effect.gen(function*() {
      const operation = {
        parameters: ["path", "query", "header", "cookie"].map((place) => parameter("id", place)).concat([
          parameter("body", "query"),
          parameter("path_id", "query")
        ]),
        requestBody: { content: { "application/json": { schema: { type: "object" } } } }
      }
      const { entry, first } = yield* called("put", "/{id}", operation, {
        path_id_: 1,
        query_id: 2,
        header_id: 3,
        cookie_id: 4,
        request_body: { id: 5 },
        query_body: 6,
        path_id: 7
      })
      assert.strictEqual(first?.target, "/base/1?id=2&body=6&path_id=7")
      assert.deepInclude(first?.headers, { id: "3", cookie: "id=4" })
      assert.strictEqual(first?.body.toString(), "{\"id\":5}")
      assert.strictEqual(Object.keys(entry?.tools[0]?.inputSchema["properties"] ?? {}).length, 7)
    }))

  it.live("a placeholder can't be left out, be empty, or lead elsewhere", () =>
    Effect.gen(function*() {
      for (const args of [{}, { id: "" }, { id: ".." }, { id: "../x" }, { id: [] }]) {
        const { result, seen } = yield* called("delete", "/users/{id}", { parameters: [parameter("id", "path")] }, args)
        assert.strictEqual(result._tag === "Failure" && result.failure._tag, "InvalidArguments")
        assert.strictEqual(seen.length, 0)
      }
      // also where the document forgot to declare it
      const { result } = yield* called("get", "/users/{id}", {}, {})
      assert.strictEqual(result._tag, "Failure")
    }))
})

describe("what arrives: bodies", () => {
  const body = (mediaType: string, schema: Json.JsonObject = {}, rest: Json.JsonObject = {}) => ({
    requestBody: { content: { [mediaType]: { schema, ...rest } } }
  })
  const value = { name: "Zoë & co", list: [1, 2], deep: { a: [true] }, none: null }

  it.live("JSON, under the type that is declared", () =>
    Effect.gen(function*() {
      for (
        const [declared, sent] of [
          ["application/json", "application/json"],
          ["application/merge-patch+json", "application/merge-patch+json"],
          ["application/json; charset=utf-8", "application/json; charset=utf-8"],
          ["*/*", "application/json"]
        ] as const
      ) {
        const { first } = yield* called("post", "/b", body(declared), { body: value })
        assert.strictEqual(first?.headers["content-type"], sent)
        assert.deepStrictEqual(JSON.parse(first?.body.toString() ?? ""), value)
      }
      const none = yield* called("post", "/b", body("application/json"), {})
      assert.deepStrictEqual([none.first?.body.length, none.first?.headers["content-type"]], [0, undefined])
      const list = yield* called("post", "/b", body("application/json", { type: "array" }), { body: [1] })
      assert.strictEqual(list.first?.body.toString(), "[1]")
    }))

  it.live("a form, its fields as declared", () =>
    Effect.gen(function*() {
      const { first } = yield* called(
        "post",
        "/b",
        body("application/x-www-form-urlencoded", { type: "object" }, {
          encoding: { deep: { style: "deepObject", explode: true }, packed: { explode: false } }
        }),
        { body: { ...value, packed: ["x", "y"], plain: { b: 1 } } }
      )
      assert.strictEqual(first?.headers["content-type"], "application/x-www-form-urlencoded")
      assert.strictEqual(
        first?.body.toString(),
        "name=Zo%C3%AB+%26+co&list=1&list=2&deep%5Ba%5D%5B0%5D=true&packed=x,y&plain=%7B%22b%22%3A1%7D"
      )
      const wrong = yield* called("post", "/b", body("application/x-www-form-urlencoded"), { body: "x" })
      assert.strictEqual(wrong.result._tag === "Failure" && wrong.result.failure._tag, "InvalidArguments")
    }))

  it.live("a form with files", () =>
    Effect.gen(function*() {
      const schema = {
        type: "object",
        properties: {
          text: { type: "string" },
          file: { type: "string", format: "binary" },
          more: { type: "array", items: { type: "string", format: "binary" } }
        }
      }
      const { first } = yield* called(
        "post",
        "/b",
        body("multipart/form-data", schema, { encoding: { more: { contentType: "image/png" } } }),
        {
          body: {
            text: "ü\r\n--x",
            file: "data:application/octet-stream;base64,AAH/",
            more: ["one", "two"],
            "a\"b": { c: 1 }
          }
        }
      )
      const boundary = /^multipart\/form-data; boundary=(toolnexus-[\w-]+)$/.exec(first?.headers["content-type"] ?? "")
        ?.[1]
      assert.isDefined(boundary)
      const form = yield* Effect.promise(() =>
        new Response(new Uint8Array(first?.body ?? []), {
          headers: { "content-type": first?.headers["content-type"] ?? "" }
        }).formData()
      )
      assert.strictEqual(form.get("text"), "ü\r\n--x")
      assert.strictEqual(form.get("a\"b"), "{\"c\":1}")
      const file = form.get("file")
      assert.instanceOf(file, File)
      const bytes = yield* Effect.promise(() => file instanceof File ? file.bytes() : Promise.resolve(new Uint8Array()))
      assert.deepStrictEqual([...bytes], [0, 1, 255])
      assert.deepStrictEqual(form.getAll("more").map((each) => each instanceof File ? each.type : each), [
        "image/png",
        "image/png"
      ])
    }))

  it.live("text and bytes as they are", () =>
    Effect.gen(function*() {
      const text = yield* called("post", "/b", body("text/plain"), { body: "line\nü" })
      assert.deepStrictEqual([text.first?.headers["content-type"], text.first?.body.toString()], [
        "text/plain",
        "line\nü"
      ])
      const bytes = yield* called("post", "/b", body("application/octet-stream"), { body: "data:;base64,AAH/" })
      assert.deepStrictEqual([...bytes.first?.body ?? []], [0, 1, 255])
    }))

  it.live("of several types JSON goes before a form, and a form before files", () =>
    Effect.gen(function*() {
      const types = ["text/xml", "multipart/form-data", "application/x-www-form-urlencoded", "application/vnd.api+json"]
      for (let count = types.length; count > 0; count--) {
        const content = Object.fromEntries(types.slice(0, count).map((type) => [type, { schema: {} }]))
        const { first } = yield* called("post", "/b", { requestBody: { content } }, { body: count === 1 ? "<a/>" : {} })
        assert.include(first?.headers["content-type"], types[count - 1])
      }
    }))
})

describe("servers", () => {
  it.live("relative, with variables, and of each level (B199)", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [Json.JsonObject, string]> = [
        [{}, "/pets"],
        [{ servers: [{ url: "/api/v3" }] }, "/api/v3/pets"],
        [{ servers: [{ url: "../v2/" }] }, "/v2/pets"],
        [{ servers: [{ url: "v4" }] }, "/spec/v4/pets"],
        [{
          servers: [{
            url: "{scheme}://127.0.0.1:{port}/{base}",
            variables: { scheme: { default: "http" }, port: { default: "PORT" }, base: { enum: ["b1", "b2"] } }
          }]
        }, "/b1/pets"]
      ]
      for (const [rest, expected] of cases) {
        const server = yield* serve((seen, response) => {
          if (seen.path !== "/spec/openapi.json") return json(response, 200, {})
          const text = JSON.stringify(document({ "/pets": { get: { operationId: "pets" } } }, rest))
          response.end(text.replace("PORT", server.origin.split(":")[2] ?? ""))
        })
        const entries = yield* build([openApiTools(`${server.origin}/spec/openapi.json`)])
        yield* callIn(entries, "pets", {})
        assert.strictEqual(server.seen[1]?.target, expected)
      }
    }))

  it.live("an operation's own go before its path's, and the host's word before all", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const at = (base: string) => ({ servers: [{ url: `${server.origin}/${base}` }] })
      const given = document({
        "/a": { get: { operationId: "a" } },
        "/b": { ...at("path"), get: { operationId: "b" }, post: { operationId: "c", ...at("operation") } }
      }, at("root"))
      const call = (options: Options) =>
        Effect.gen(function*() {
          server.seen.length = 0
          const entries = yield* build([openApiTools(given, options)])
          for (const name of ["a", "b", "c"]) yield* callIn(entries, name, {})
          return server.seen.map(({ path }) => path)
        })
      assert.deepStrictEqual(yield* call({}), ["/root/a", "/path/b", "/operation/b"])
      assert.deepStrictEqual(yield* call({ baseUrl: `${server.origin}/own/` }), ["/own/a", "/own/b", "/own/b"])
    }))

  it.live("that lead nowhere cost only their operations, and say what to do", () =>
    Effect.gen(function*() {
      const entry = yield* entryOf(
        document({
          "/a": { get: { servers: [{ url: "https://{tenant}.example" }] } },
          "/b": { get: { servers: [{ url: "ftp://x" }] } },
          "/c": { get: {} },
          "/d": { get: { servers: [{ url: "https://ok.example" }] } }
        }),
        {}
      )
      assert.deepStrictEqual(namesOf(entry), ["get_d"])
      const [a, b, c] = brokenOf(entry)
      assert.match(a ?? "", /GET \/a.*no default for tenant; give "baseUrl"/)
      assert.match(b ?? "", /no http or https URL/)
      assert.match(c ?? "", /relative to a document that came from no URL; give "baseUrl"/)
    }))
})

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
      assert.isTrue(messages.every((message) => message.includes(" was left out: it ")), messages.join("\n"))
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

describe("names and filters", () => {
  const operations = document({
    "/users/{id}": {
      get: { operationId: "getUser", tags: ["users"] },
      delete: { tags: ["users", "admin"] }
    },
    "/users/{id}/repos.json": { get: { operationId: "repos/list:all", tags: ["repos"] } },
    "/a": { post: { operationId: "getUser" }, patch: { operationId: "  " } },
    "/1": { get: { operationId: "1st" } },
    "/long": { get: { operationId: "x".repeat(100) }, put: { operationId: `${"x".repeat(100)}y` } },
    "/ü": { get: {} }
  })

  it.live("are sensible, distinct and legal for every provider", () =>
    Effect.gen(function*() {
      const entry = yield* entryOf(operations)
      const names = namesOf(entry)
      assert.deepStrictEqual(names.slice(0, 6), [
        "getUser",
        "delete_users_id",
        "repos_list_all",
        "post_a",
        "patch_a",
        "_1st"
      ])
      assert.match(names[6] ?? "", /^x{57}_[0-9a-f]{6}$/)
      assert.match(names[7] ?? "", /^x{57}_[0-9a-f]{6}$/)
      assert.strictEqual(new Set(names).size, names.length)
      assert.deepStrictEqual(entry.tools.slice(0, 3).map(({ origin }) => origin.name), [
        "getUser",
        "DELETE /users/{id}",
        "repos/list:all"
      ])
    }))

  it.live("operations are chosen by name, tag and method, and a rule for nothing is told", () =>
    Effect.gen(function*() {
      const chosen = (options: Options) =>
        Effect.map(entryOf(operations, { baseUrl: "http://h.example", ...options }), namesOf)
      assert.deepStrictEqual(yield* chosen({ include: ["users"] }), ["getUser", "delete_users_id"])
      assert.deepStrictEqual(yield* chosen({ include: ["repos/*", "DELETE /users/{id}"] }), [
        "delete_users_id",
        "repos_list_all"
      ])
      assert.deepStrictEqual(yield* chosen({ include: ["users"], exclude: ["delete"] }), ["getUser"])
      assert.deepStrictEqual(yield* chosen({ include: [{ tag: "users", method: "GET" }] }), ["getUser"])
      assert.deepStrictEqual(yield* chosen({ include: [] }), [])
      const entry = yield* entryOf(operations, {
        baseUrl: "http://h.example",
        exclude: ["delet_users_id", { tag: "no" }]
      })
      const unknown = entry.diagnostics.filter(({ code }) => code === "unknown-operation")
      assert.strictEqual(unknown.length, 2)
    }))

  it.live("descriptions and hints are the document's and the method's", () =>
    Effect.gen(function*() {
      const { tools } = yield* entryOf(document({
        "/a": {
          get: { summary: "Short", description: "Long", deprecated: true },
          put: { summary: "Short", description: "Short and long" },
          delete: {}
        }
      }))
      assert.deepStrictEqual(tools.map(({ description }) => description), [
        "Short\n\nLong\n\nDeprecated.",
        "Short and long",
        "DELETE /a"
      ])
      assert.deepStrictEqual(tools.map(({ annotations }) => annotations?.destructiveHint), [false, true, true])
      assert.strictEqual(tools[0]?.annotations?.readOnlyHint, true)
    }))
})

describe("security", () => {
  const SECRET = "s3cret-key-of-test"
  const schemes = {
    header: { type: "apiKey", in: "header", name: "X-Api-Key" },
    query: { type: "apiKey", in: "query", name: "api_key" },
    cookie: { type: "apiKey", in: "cookie", name: "sid" },
    basic: { type: "http", scheme: "basic" },
    bearer: { type: "http", scheme: "bearer" },
    oauth: { type: "oauth2", flows: {} }
  }

  it.live("goes where the document wants it, and is shown nowhere", () =>
    Effect.gen(function*() {
      const echo = yield* serve((seen, response) => json(response, 403, { target: seen.target, headers: seen.headers }))
      const paths = Object.fromEntries(
        Object.keys(schemes).map((name) => [`/${name}`, {
          get: {
            operationId: name,
            security: [{ other: [] }, { [name]: [] }],
            parameters: [parameter("sid", "cookie"), parameter("X-API-KEY", "header")]
          }
        }])
      )
      const given = document({ ...paths, "/open": { get: { operationId: "open", security: [] } } }, {
        components: { securitySchemes: schemes },
        security: [{ header: [] }]
      })
      const security = {
        ...Object.fromEntries(Object.keys(schemes).map((name) => [name, "${KEY}"])),
        basic: "me:${KEY}",
        nobody: "x"
      }
      const entries = yield* build([openApiTools(given, { baseUrl: echo.origin, security, retry: "never" })]).pipe(
        Effect.provideService(Environment, { KEY: SECRET })
      )
      for (const name of [...Object.keys(schemes), "open"]) {
        const result = yield* callIn(entries, name, {})
        assert.notInclude(JSON.stringify(result), SECRET)
        assert.notInclude(JSON.stringify(result), btoa(`me:${SECRET}`))
      }
      const sent = echo.seen.map((
        { headers, query }
      ) => [query, headers["x-api-key"], headers.cookie, headers.authorization])
      assert.deepStrictEqual(sent, [
        ["", SECRET, undefined, undefined],
        [`api_key=${SECRET}`, undefined, undefined, undefined],
        ["", undefined, `sid=${SECRET}`, undefined],
        ["", undefined, undefined, `Basic ${btoa(`me:${SECRET}`)}`],
        ["", undefined, undefined, `Bearer ${SECRET}`],
        ["", undefined, undefined, `Bearer ${SECRET}`],
        ["", undefined, undefined, undefined]
      ])
      // nobody is asked for what the host gives
      const [entry] = entries
      const argumentsOf = (name: string) =>
        Object.keys(Object(entry?.tools.find((tool) => tool.name === name)?.inputSchema["properties"]))
      assert.deepStrictEqual([argumentsOf("cookie"), argumentsOf("header")], [["X-API-KEY"], ["sid"]])
      assert.deepStrictEqual(entry?.diagnostics.map(({ code }) => code), ["unknown-security-scheme"])
      assert.notInclude(JSON.stringify(entries), SECRET)
    }))

  it.live("that a document wants where no header for one is costs the operations that want it", () =>
    Effect.gen(function*() {
      for (const name of ["Content-Length", "Host", "Transfer-Encoding", "a b", "x\r\ny"]) {
        const securitySchemes = { key: { type: "apiKey", in: "header", name } }
        const entry = yield* entryOf(
          document({ "/a": { get: { security: [{ key: [] }] } }, "/b": { get: {} } }, {
            components: { securitySchemes }
          }),
          { baseUrl: "http://127.0.0.1:1", security: { key: "s3cret-key" } }
        )
        assert.deepStrictEqual(namesOf(entry), ["get_b"], name)
        assert.match(brokenOf(entry).join(), /which is no header for one/)
      }
    }))

  it.live("that a header can't hold costs the operations that want it, and is shown nowhere", () =>
    Effect.gen(function*() {
      const given = document({
        "/a": { get: { security: [{ header: [] }] } },
        "/b": { get: { security: [{ query: [] }] } }
      }, { components: { securitySchemes: schemes } })
      const entry = yield* entryOf(given, {
        baseUrl: "http://h.example",
        security: { header: `${SECRET}\r\nX-Evil: 1`, query: `${SECRET}\n` }
      })
      assert.deepStrictEqual(namesOf(entry), ["get_b"])
      assert.match(brokenOf(entry).join(), /characters which a header can't hold/)
      assert.notInclude(JSON.stringify(entry), SECRET)
    }))

  it.live("headers are the host's, and no argument", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const given = document({ "/": { get: { operationId: "op", parameters: [parameter("X-Tenant", "header")] } } })
      const entries = yield* build([openApiTools(given, { baseUrl: server.origin, headers: { "x-tenant": "acme" } })])
      yield* callIn(entries, "op", { "X-Tenant": "other" })
      assert.strictEqual(server.seen[0]?.headers["x-tenant"], "acme")
      assert.deepStrictEqual(entries[0]?.tools[0]?.inputSchema["properties"], {})
    }))

  it.live("goes with the document only where it is the API's", () =>
    Effect.gen(function*() {
      const api = yield* serve()
      const docs = yield* serve((_seen, response) =>
        json(response, 200, document({ "/": { get: { operationId: "op" } } }))
      )
      const headers = { Authorization: `Bearer ${SECRET}` }
      yield* build([openApiTools(`${docs.origin}/a.json`, { baseUrl: api.origin, headers })])
      yield* build([openApiTools(`${docs.origin}/b.json`, { headers })])
      assert.deepStrictEqual(docs.seen.map(({ headers: sent }) => sent.authorization), [undefined, `Bearer ${SECRET}`])
    }))
})

describe("documents", () => {
  const small = document({ "/a": { get: { operationId: "a" } } })
  const yaml = `# a comment
openapi: "3.1.0"
info: {title: In YAML, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /a:
    get: &get {operationId: a, parameters: [{name: q, in: query, schema: {type: [string, "null"]}}]}
`

  it.live("come as value, text, file or URL, in JSON or YAML", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "toolnexus-openapi-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      writeFileSync(join(folder, "a b.json"), `\uFEFF${JSON.stringify(small)}`)
      writeFileSync(join(folder, "a.yaml"), yaml)
      const server = yield* serve((seen, response) =>
        response.end(seen.path === "/yaml" ? yaml : JSON.stringify(small))
      )
      const places = [
        small,
        JSON.stringify(small),
        yaml,
        join(folder, "a b.json"),
        new URL(`file://${folder}/a%20b.json`).href,
        join(folder, "a.yaml"),
        `${server.origin}/json?key=secret-of-url`,
        `${server.origin}/yaml`
      ]
      const entries = yield* Effect.forEach(places, (place) => entryOf(place))
      assert.deepStrictEqual(entries.map(namesOf), places.map(() => ["a"]))
      assert.deepStrictEqual(entries.map(({ name }) => name), [
        "Test",
        "Test",
        "openapi",
        join(folder, "a b.json"),
        join(folder, "a b.json").replace(" ", "%20"),
        join(folder, "a.yaml"),
        `${server.origin}/json`,
        `${server.origin}/yaml`
      ])
    }))

  it.live("of Swagger 2.0 are converted", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const entries = yield* build([openApiTools({
        swagger: "2.0",
        info: { title: "Old", version: "1" },
        host: server.origin.slice("http://".length),
        basePath: "/v1",
        schemes: ["http"],
        definitions: { Pet: { type: "object", properties: { name: { type: "string" } } } },
        securityDefinitions: { key: { type: "apiKey", in: "header", name: "X-Key" } },
        security: [{ key: [] }],
        paths: {
          "/pets": {
            get: {
              operationId: "list",
              parameters: [
                { name: "csv", in: "query", type: "array", items: { type: "string" } },
                { name: "multi", in: "query", type: "array", items: { type: "string" }, collectionFormat: "multi" }
              ]
            },
            post: {
              operationId: "add",
              parameters: [{ name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } }]
            },
            put: {
              operationId: "form",
              consumes: ["application/x-www-form-urlencoded"],
              parameters: [{ name: "name", in: "formData", type: "string", required: true }]
            }
          }
        }
      }, { security: { key: "k" } })])
      yield* callIn(entries, "list", { csv: ["a", "b"], multi: ["a", "b"] })
      yield* callIn(entries, "add", { body: { name: "x" } })
      yield* callIn(entries, "form", { body: { name: "x y" } })
      assert.deepStrictEqual(
        server.seen.map(({ body, headers, target }) => [target, body.toString(), headers["x-key"]]),
        [
          ["/v1/pets?csv=a,b&multi=a&multi=b", "", "k"],
          ["/v1/pets", "{\"name\":\"x\"}", "k"],
          ["/v1/pets", "name=x+y", "k"]
        ]
      )
    }))

  it.live("that can't be had are failed entries, which say why and cost nothing else", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) => {
        if (seen.path === "/401") return json(response, 401, {}, { "www-authenticate": "Bearer realm=\"x\"" })
        if (seen.path === "/404") return json(response, 404, {})
        if (seen.path === "/html") return void response.end("<!doctype html>\n<p>hello")
        if (seen.path === "/loop") return void response.writeHead(302, { location: "/loop" }).end()
        if (seen.path === "/endless") {
          response.write("{\"openapi\": \"3.0.0\", \"x\": \"")
          const more = () => {
            while (!response.destroyed && response.write("x".repeat(1024 * 1024))) { /* until it is full */ }
          }
          response.on("drain", more)
          return more()
        }
        return json(response, 200, small)
      })
      const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${
        [..."bcdefghij"].map((name, index) =>
          `${name}: &${name} [${Array.from({ length: 9 }, () => `*${"abcdefghij"[index]}`).join()}]`
        ).join("\n")
      }\n`
      const deep = `a:\n${Array.from({ length: 2000 }, (_, index) => `${" ".repeat(index)}- b:`).join("\n")}`
      const cases: ReadonlyArray<readonly [string | Json.JsonObject, SourceEntry.Phase, RegExp]> = [
        ["http://127.0.0.1:1/x.json", "connect", /ECONNREFUSED/],
        [`${server.origin}/401`, "initialize", /HTTP 401: it asks who we are/],
        [`${server.origin}/404`, "initialize", /HTTP 404/],
        [`${server.origin}/html`, "list", /./],
        [`${server.origin}/loop`, "initialize", /more than 5 times/],
        [`${server.origin}/endless`, "list", /larger than/],
        ["/nowhere/openapi.json", "list", /no such file/],
        ["ftp://x/y", "config", /http or https URL/],
        ["http://", "config", /http or https URL/],
        ["${NOT_SET}/openapi.json", "config", /NOT_SET/],
        ["{\"openapi\": ", "list", /no valid JSON/],
        ["a: [1\nb: 2", "list", /line \d/],
        [bomb, "list", /aliases|larger/],
        [deep, "list", /deeper/],
        [{ a: 1 }, "list", /neither "openapi" nor "swagger"/],
        [{ openapi: "4.0.0" }, "list", /version is "4.0.0"/],
        [{ swagger: "1.2" }, "list", /version is "1.2"/]
      ]
      const entries = yield* build([
        openApiTools(small, { baseUrl: "http://h.example" }),
        ...cases.map(([place]) => openApiTools(place, { retry: "never" }))
      ])
      assert.deepStrictEqual(entries[0]?._tag, "Loaded")
      for (const [index, [place, phase, message]] of cases.entries()) {
        const entry = entries[index + 1]
        assert.isDefined(entry)
        assert.strictEqual(errorOf(entry)?.phase, phase, JSON.stringify(place).slice(0, 80))
        assert.match(errorOf(entry)?.message ?? "", message)
      }
      assert.strictEqual(entries[2]?._tag, "NeedsAuth")
      const [, , asked] = entries
      assert.strictEqual(asked === undefined ? undefined : errorOf(asked)?.challenge, "Bearer realm=\"x\"")
    }), 60_000)

  it.live("given by untyped callers are checked, and a disabled one needs nothing else", () =>
    Effect.gen(function*() {
      const given = (definition: object) =>
        OpenApiTools.fromDefinition("x", { document: small, ...definition, folder: "/" })
      const entries = yield* build([
        given({ headers: { a: 1 } }),
        given({ include: "all", timeout: -1 }),
        given({ document: "" }),
        given({ baseUrl: "nowhere" }),
        given({ headers: { "a b": "c" } }),
        given({ document: "/nowhere", disabled: true, enabled: true }),
        given({
          headers: {
            get a() {
              throw new Error("broken")
            }
          }
        })
      ])
      assert.deepStrictEqual(entries.map((entry) => errorOf(entry)?.message), [
        "source \"x\" failed at config: headers must be an object of header names and values, both text",
        "source \"x\" failed at config: include must be a list of operations, tags and methods, each a text or {operation, tag, method}; timeout must be a number of milliseconds, at least 1",
        "source \"x\" failed at config: document must be a URL, a path, or an OpenAPI document as text or object",
        "source \"x\" failed at config: baseUrl must be an http or https URL",
        "source \"x\" failed at config: headers: \"a b\" is no header's name",
        undefined,
        "source \"x\" failed at config: it breaks whoever reads it"
      ])
      assert.strictEqual(entries[5]?._tag, "Disabled")
    }))
})

describe("answers", () => {
  it.live("are text, and what is JSON structured too", () =>
    Effect.gen(function*() {
      const { result } = yield* called("get", "/", {}, {})
      assert.deepStrictEqual(result._tag === "Success" ? result.success : undefined, {
        output: "{\"ok\":true}",
        isError: false,
        structured: { ok: true },
        metadata: { status: 200, contentType: "application/json" }
      })
    }))

  it.live("wait their turn where only so many may be under way", () =>
    Effect.gen(function*() {
      let most = 0
      let now = 0
      const server = yield* serve((_seen, response) => {
        most = Math.max(most, ++now)
        setTimeout(() => {
          now--
          json(response, 200, {})
        }, 20)
      })
      const entries = yield* build([
        openApiTools(document({ "/": { get: { operationId: "op" } } }), { baseUrl: server.origin, maxConcurrent: 2 })
      ])
      yield* Effect.all(Array.from({ length: 8 }, () => callIn(entries, "op", {})), { concurrency: "unbounded" })
      assert.strictEqual(most, 2)
    }))
})
