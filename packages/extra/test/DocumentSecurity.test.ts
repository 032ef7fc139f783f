/** Credentials of a document's operations: they go where they are wanted, and nowhere else. */
import { Environment } from "@effect-toolnexus/core"
import { openApiTools } from "@effect-toolnexus/extra"
import { TestHttp } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { brokenOf, document, entryOf, errorOf, namesOf, parameter } from "./documents.ts"
import { build, callIn, json, serve } from "./support.ts"

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

  it.live("is in no log of what broke whoever read the document", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") logged.push(JSON.stringify(message))
    })
    const broken = TestHttp.layer(() => Effect.die(new Error(`no way with ${SECRET}`)))
    return Effect.gen(function*() {
      const [entry] = yield* build([openApiTools("http://h.example/doc.json", { headers: { Key: SECRET } })], broken)
      assert.isDefined(entry)
      const message = errorOf(entry)?.message ?? ""
      const id = /failed at list: it broke unexpectedly \((\S+)\)$/.exec(message)?.[1]
      assert.isDefined(id, message)
      assert.strictEqual(logged.length, 1)
      assert.include(logged[0], id)
      assert.include(logged[0], "no way with <redacted>")
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.live("headers are the host's, and no argument", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const given = document({ "/": { get: { operationId: "op", parameters: [parameter("X-Tenant", "header")] } } })
      const entries = yield* build([openApiTools(given, { baseUrl: server.origin, headers: { "x-tenant": "acme" } })])
      yield* callIn(entries, "op", { "X-Tenant": "other" })
      assert.strictEqual(server.seen[0]?.headers["x-tenant"], "acme")
      assert.deepStrictEqual(entries[0]?.tools[0]?.inputSchema["properties"], {})
    }))

  it.live("in an address goes to that origin, and to no other", () =>
    Effect.gen(function*() {
      const api = yield* serve()
      const docs = yield* serve((seen, response) =>
        json(
          response,
          200,
          document({ "/": { get: { operationId: "op" } } }, {
            servers: [{ url: seen.path === "/away.json" ? api.origin : docs.origin }]
          })
        )
      )
      const withUser = (origin: string, user: string) => origin.replace("//", `//${user}:${SECRET}@`)
      const at = (path: string) => `${withUser(docs.origin, "docs")}${path}`
      const given = [
        [at("/home.json"), {}],
        [at("/away.json"), {}],
        [at("/base.json"), { baseUrl: api.origin }],
        [at("/both.json"), { baseUrl: withUser(api.origin, "api") }],
        [at("/headers.json"), { headers: { Authorization: "Bearer of-the-host" } }]
      ] as const
      for (const [place, options] of given) yield* callIn(yield* build([openApiTools(place, options)]), "op", {})
      const sent = (server: typeof api) => server.seen.map(({ headers, path }) => [path, headers.authorization])
      const basic = (user: string) => `Basic ${btoa(`${user}:${SECRET}`)}`
      assert.deepStrictEqual(sent(docs), [
        ["/home.json", basic("docs")],
        ["/", basic("docs")],
        ["/away.json", basic("docs")],
        ["/base.json", basic("docs")],
        ["/both.json", basic("docs")],
        ["/headers.json", "Bearer of-the-host"],
        ["/", "Bearer of-the-host"]
      ])
      assert.deepStrictEqual(sent(api), [["/", undefined], ["/", undefined], ["/", basic("api")]])
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
