/** Documents as entries: wherever they come from, and whatever is wrong with them; and what a call answers. */
import type { Json, SourceEntry } from "@effect-toolnexus/core"
import { OpenApiTools, openApiTools } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { called, document, entryOf, errorOf, namesOf } from "./documents.ts"
import { build, callIn, json, serve } from "./support.ts"

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

  it("are refused with an option that is misspelled: what it was to leave out would be in", () => {
    // @ts-expect-error a caller without a compiler
    assert.throws(() => openApiTools(small, { exclud: ["DELETE"] }), /"exclud" is no option.*did you mean "exclude"/)
  })

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

  it.live("without a path say so", () =>
    Effect.gen(function*() {
      const [entry] = yield* build([openApiTools({ openapi: "3.0.0" })])
      assert.deepStrictEqual(entry?.diagnostics.map(({ code, message }) => [code, message]), [
        ["no-operations", "The document has no paths, and so gives no tools"]
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
        [`${server.origin}/html`, "list", /it is HTML or XML; a document is JSON or YAML/],
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
        "source \"x\" failed at config: headers: what begins with \"a\" is no header's name",
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

  it.live("wait for their turn within their time", () =>
    Effect.gen(function*() {
      const server = yield* serve(() => {})
      const entries = yield* build([
        openApiTools(document({ "/": { get: { operationId: "op" } } }), {
          baseUrl: server.origin,
          maxConcurrent: 1,
          timeout: 300
        })
      ])
      const started = yield* Clock.currentTimeMillis
      const calls = Array.from({ length: 5 }, () => Effect.flip(callIn(entries, "op", {})))
      const errors = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual([...new Set(errors.map(({ _tag }) => _tag))], ["ToolTimeout"])
      assert.isBelow((yield* Clock.currentTimeMillis) - started, 1000)
    }))
})
