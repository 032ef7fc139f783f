/** What arrives where an operation is called: its parameters, in every place and style. */
import type { Json } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { called, parameter } from "./documents.ts"

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
