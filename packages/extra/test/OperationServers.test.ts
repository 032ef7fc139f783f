/** Where an operation is called. */
import type { Json } from "@effect-toolnexus/core"
import { openApiTools } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brokenOf, document, entryOf, namesOf, type Options } from "./documents.ts"
import { build, callIn, json, serve } from "./support.ts"

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
