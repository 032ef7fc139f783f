/** What arrives where an operation is called: its body, under every kind of media type. */
import type { Json } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brokenOf, called, document, entryOf, namesOf } from "./documents.ts"

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

  it.live("a type that makes no header costs its operation", () =>
    Effect.gen(function*() {
      for (
        const mediaType of ["application/json; x=\r\nX-Evil: 1", "text/plain\n", "text/☃", "application/json; a=☃"]
      ) {
        const entry = yield* entryOf(document({ "/p": { post: body(mediaType) } }))
        assert.deepStrictEqual(namesOf(entry), [], mediaType)
        assert.match(brokenOf(entry).join(), /its body is of a type that makes no header/)
      }
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
