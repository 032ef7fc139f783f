/** Endpoints of one's own, against a server that looks at what arrives. */
import { Environment, type Json, RequestHeaders, TokenProvider } from "@effect-toolnexus/core"
import { HttpTool, httpTool } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { build, callIn, json, type Script, serve } from "./support.ts"

type Definition = Omit<HttpTool.HttpToolDefinition, "name">

/** Makes a server and one tool for it, calls it, and gives back the exit and what arrived. */
const once = Effect.fnUntraced(
  function*(url: string, definition: Omit<Definition, "url">, args: Json.JsonObject, script?: Script) {
    const server = yield* serve(script)
    const entries = yield* build([httpTool({ name: "t", url: server.origin + url, ...definition })])
    const result = yield* Effect.result(callIn(entries, "t", args))
    return { result, seen: server.seen, first: server.seen[0], origin: server.origin }
  }
)

const failureOf = (result: { readonly _tag: string; readonly failure?: unknown }) =>
  result._tag === "Failure" && result.failure instanceof Error ? result.failure.message : ""

describe("httpTool: the address", () => {
  it.live("encodes a placeholder, and fills a repeated one each time", () =>
    Effect.gen(function*() {
      const { first } = yield* once("/a/{id}/b/{id}?x={id}&y=1", {}, { id: "ü /?#&=%" })
      const encoded = "%C3%BC%20%2F%3F%23%26%3D%25"
      assert.strictEqual(first?.target, `/a/${encoded}/b/${encoded}?x=${encoded}&y=1`)
    }))

  it.live.each<readonly [string, Json.JsonObject]>([
    ["missing", {}],
    ["null", { id: null }],
    ["empty", { id: "" }],
    ["an empty list", { id: [] }],
    ["..", { id: ".." }],
    [".", { id: "." }],
    ["../admin", { id: "../admin" }],
    ["..\\admin", { id: "..\\admin" }],
    ["%2e%2e", { id: "%2e%2e" }],
    ["%2E%2e%2fadmin", { id: "%2E%2e%2fadmin" }],
    ["%252e%252e", { id: "%252e%252e" }],
    ["a/../..", { id: "a/../.." }],
    ["..;x", { id: "..;x" }],
    [". with a blank", { id: ".. " }]
  ])("sends nothing where a placeholder is %s", ([, args]) =>
    Effect.gen(function*() {
      const { result, seen } = yield* once("/users/{id}", { method: "DELETE" }, args)
      assert.strictEqual(seen.length, 0)
      assert.strictEqual(result._tag === "Failure" && result.failure._tag, "InvalidArguments")
      assert.include(failureOf(result), "id")
    }))

  it.live("lets a slash, dots in a name and a percent sign be part of a value", () =>
    Effect.gen(function*() {
      for (const [id, path] of [["group/project", "/p/group%2Fproject"], ["v1..2", "/p/v1..2"], ["%2f", "/p/%252f"]]) {
        const { first } = yield* once("/p/{id}", {}, { id: id ?? "" })
        assert.strictEqual(first?.path, path)
      }
    }))

  it.live("never takes a value for another host", () =>
    Effect.gen(function*() {
      for (const host of ["evil.example/", "evil.example", "a@b", "", "a:b", "-"]) {
        const entries = yield* build([httpTool({ name: "t", url: "http://{host}.localhost:1/", headers: {} })])
        const result = yield* Effect.result(callIn(entries, "t", { host }))
        assert.strictEqual(result._tag === "Failure" && result.failure._tag, "InvalidArguments", host)
      }
    }))

  it("is checked at once", () => {
    for (const url of ["", "users/{id}", "ftp://h/", "http://", "https:///x", "{scheme}://h/"]) {
      assert.throws(() => httpTool({ name: "t", url }), TypeError)
    }
    assert.throws(() => httpTool({ name: "t", url: "http://h/", inputSchema: { type: "string" } }), TypeError)
    const closed = { properties: { id: {} }, additionalProperties: false }
    for (const method of ["get", "GET\r\nX: 1", "CONNECT"]) {
      const untyped = Object.assign({ name: "t", url: "http://h/" }, { method })
      // @ts-expect-error a caller without a compiler
      assert.throws(() => httpTool(untyped), /method of tool "t" must be one of GET, HEAD/)
    }
    assert.throws(() => httpTool({ name: "t", url: "http://h/{ID}", inputSchema: closed }), /\{ID\}/)
    const untyped = (definition: object) => () => Reflect.apply(httpTool, undefined, [{ name: "t", ...definition }])
    const url = "http://h/"
    assert.throws(untyped({}), /url of tool "t" is no http or https URL/)
    assert.throws(untyped({ url, methd: "POST" }), /"methd" is no option of tool "t"; did you mean "method"/)
    assert.throws(untyped({ url, resultMode: "xml" }), /resultMode of tool "t" must be one of text, json, status\+text/)
    assert.throws(untyped({ url, retry: true }), /retry of tool "t" must be one of never, safe, always/)
    for (const timeout of [0, -1, Number.NaN, "30"]) assert.throws(untyped({ url, timeout }), /at least 1/)
    for (const headers of [{ a: 5 }, ["a"]]) assert.throws(untyped({ url, headers }), /headers of tool "t" must be an/)
    for (const query of ["q", { q: 1 }, [1]]) assert.throws(untyped({ url, query }), /query of tool "t" must be a list/)
    assert.throws(untyped({ url, description: 5 }), /description of tool "t" must be a text/)
    const open = { type: "object", properties: { name: { type: "string" } } } as const
    assert.throws(
      () => httpTool({ name: "t", url: "http://h/{id}", inputSchema: open }),
      /\{id\}, which its inputSchema/
    )
    httpTool({ name: "t", url: "http://h/{id}", inputSchema: { ...open, additionalProperties: true } })
    httpTool({ name: "t", url: "http://h/{id}", inputSchema: { ...open, required: ["id"] } })
    assert.throws(untyped({ url, parameters: {} }), /"parameters" is no option of tool "t"; did you mean "inputSchema"/)
    assert.throws(untyped({ url, annotations: { destructivHint: true } }), /annotations of tool "t" must be an object/)
  })

  it("asks for its placeholders, or for what its schema says", () => {
    const schemaOf = (definition: Definition) => httpTool({ name: "t", ...definition }).inputSchema
    assert.deepStrictEqual(schemaOf({ url: "http://h/{a}/{a}?b={b}", query: ["c"] }), {
      type: "object",
      properties: { c: {}, a: { type: ["string", "number"] }, b: { type: ["string", "number"] } },
      required: ["a", "b"]
    })
    const schema = schemaOf({ url: "http://h/{id}", inputSchema: Schema.Struct({ id: Schema.Finite }) })
    assert.deepStrictEqual(schema["required"], ["id"])
  })
})

describe("httpTool: query and body", () => {
  it.live("sends what is left of a GET or HEAD as query, lists and objects as declared", () =>
    Effect.gen(function*() {
      for (const method of ["GET", "HEAD"] as const) {
        const { first } = yield* once("/s/{id}?fixed=1", { method }, {
          id: 7,
          q: "a b",
          tags: ["x", "y"],
          where: { a: 1, b: { c: [2] } },
          none: null,
          flag: true
        })
        assert.strictEqual(first?.method, method)
        assert.strictEqual(
          first?.target,
          "/s/7?fixed=1&q=a%20b&tags=x&tags=y&a=1&b=%7B%22c%22%3A%5B2%5D%7D&flag=true"
        )
        assert.strictEqual(first?.body.length, 0)
      }
    }))

  it.live("writes each style of a query", () =>
    Effect.gen(function*() {
      const styles = {
        a: { explode: false },
        b: { style: "spaceDelimited" },
        c: { style: "pipeDelimited" },
        d: { style: "deepObject" },
        e: { style: "form", explode: false }
      } as const
      const list = ["1", "2,3"]
      const args = { a: list, b: list, c: list, d: { x: 1, y: { z: [true] } }, e: { k: "v", l: "w" } }
      const { first } = yield* once("/s", { query: styles }, args)
      assert.strictEqual(
        first?.query,
        "a=1,2%2C3&b=1%202%2C3&c=1%7C2%2C3&d%5Bx%5D=1&d%5By%5D%5Bz%5D%5B0%5D=true&e=k,v,l,w"
      )
    }))

  it.live("makes JSON, a form or the text itself of the rest", () =>
    Effect.gen(function*() {
      const args = { id: "1", dry: true, name: "Zoë & co", list: [1, 2], deep: { a: 1 } }
      const sent = (definition: Omit<Definition, "url">, given: Json.JsonObject = args) =>
        Effect.map(
          once("/i/{id}", { method: "POST", query: ["dry"], ...definition }, given),
          ({ first }) => [first?.target, first?.headers["content-type"], first?.body.toString()]
        )
      const { deep, list, name } = args
      const target = "/i/1?dry=true"
      assert.deepStrictEqual(yield* sent({}), [target, "application/json", JSON.stringify({ name, list, deep })])
      assert.deepStrictEqual(yield* sent({ body: "form" }), [
        target,
        "application/x-www-form-urlencoded",
        "name=Zo%C3%AB+%26+co&list=1&list=2&deep=%7B%22a%22%3A1%7D"
      ])
      assert.deepStrictEqual(yield* sent({ body: "raw" }, { id: "1", body: "line\nü" }), [
        "/i/1",
        "text/plain",
        "line\nü"
      ])
      // nothing to put into it: no body, unless there is to be one
      assert.deepStrictEqual(yield* sent({}, { id: "1" }), ["/i/1", undefined, ""])
      assert.deepStrictEqual(yield* sent({ body: "json" }, { id: "1" }), ["/i/1", "application/json", "{}"])
      // a header of the host's goes before
      const patch = { "Content-Type": "application/merge-patch+json" }
      assert.strictEqual((yield* sent({ method: "PATCH", headers: patch }))[1], patch["Content-Type"])
    }))
})

describe("httpTool: the answer", () => {
  const answer = (status: number, type: string, body: string | Uint8Array): Script => (_seen, response) => {
    response.writeHead(status, { "content-type": type })
    response.end(body)
  }
  const resultOf = (definition: Omit<Definition, "url">, script: Script) =>
    Effect.map(
      once("/", definition, {}, script),
      ({ result }) => result._tag === "Success" ? result.success : undefined
    )

  it.live("is text, JSON, or status and text", () =>
    Effect.gen(function*() {
      const body = "{\"a\": 1}"
      const script = answer(200, "application/json; charset=utf-8", body)
      assert.deepStrictEqual(yield* resultOf({}, script), {
        output: body,
        isError: false,
        metadata: { status: 200, contentType: "application/json; charset=utf-8" }
      })
      assert.deepStrictEqual((yield* resultOf({ resultMode: "json" }, script))?.structured, { a: 1 })
      assert.strictEqual((yield* resultOf({ resultMode: "status+text" }, script))?.output, `HTTP 200: ${body}`)
      const wrong = yield* resultOf({ resultMode: "json" }, answer(200, "text/html", "<p>"))
      assert.deepStrictEqual([wrong?.isError, wrong?.output], [true, "The response (HTTP 200) is not JSON: <p>"])
      const latin = yield* resultOf({}, answer(200, "text/plain; charset=iso-8859-1", Buffer.from("Zo\xeb", "latin1")))
      assert.strictEqual(latin?.output, "Zoë")
    }))

  it.live("is an error with its body where the status is none of success", () =>
    Effect.gen(function*() {
      const failed = yield* resultOf({ method: "POST" }, answer(422, "application/json", "{\"error\":\"no name\"}"))
      assert.deepStrictEqual(failed, {
        output: "HTTP 422: {\"error\":\"no name\"}",
        isError: true,
        metadata: { status: 422, contentType: "application/json" }
      })
    }))

  it.live("is bounded, and bytes are a part and never output", () =>
    Effect.gen(function*() {
      const long = yield* resultOf({}, (_seen, response) => {
        response.writeHead(200, { "content-type": "text/plain" })
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(64 * 1024))) { /* until it is full */ }
        }
        response.on("drain", more)
        more()
      })
      assert.match(long?.output ?? "", /only the first 4194304 bytes were read/)
      const image = yield* resultOf({}, answer(200, "image/png", Uint8Array.of(1, 2, 0)))
      assert.strictEqual(image?.output, "[image image/png, 3 bytes]")
      assert.deepStrictEqual(image?.content, [{ type: "image", data: "AQIA", mimeType: "image/png" }])
      const blob = yield* resultOf({}, answer(200, "application/pdf", Uint8Array.of(37)))
      assert.match(blob?.output ?? "", /^\[resource http:\/\/127\.0\.0\.1:\d+\/, application\/pdf, 1 bytes\]$/)
    }))

  it.live("has a limit of time, and leaves at once when it is not wanted any more", () =>
    Effect.gen(function*() {
      const { result } = yield* once("/", { timeout: 50 }, {}, () => {})
      assert.strictEqual(failureOf(result), "t did not answer within its call limit of 50 ms")
      const server = yield* serve(() => {})
      const entries = yield* build([httpTool({ name: "t", url: server.origin })])
      const fiber = yield* Effect.forkChild(callIn(entries, "t", {}))
      while (server.seen.length === 0) yield* Effect.sleep(5)
      assert.strictEqual(yield* server.connections, 1)
      yield* Fiber.interrupt(fiber)
      while ((yield* server.connections) > 0) yield* Effect.sleep(5)
    }))
})

describe("httpTool: once more", () => {
  const busyOnce = (status: number, headers: object = {}): Script => {
    let count = 0
    return (_seen, response) => json(response, count++ === 0 ? status : 200, {}, headers)
  }

  it.live("where the method is safe or the host says so, and never else", () =>
    Effect.gen(function*() {
      for (
        const [method, retry, status, requests] of [
          ["GET", undefined, 503, 2],
          ["HEAD", undefined, 429, 2],
          ["GET", "never", 503, 1],
          ["GET", undefined, 500, 1],
          ["POST", undefined, 503, 1],
          ["DELETE", undefined, 503, 1],
          ["PUT", "always", 502, 2]
        ] as const
      ) {
        const { seen } = yield* once("/", { method, ...(retry === undefined ? {} : { retry }) }, {}, busyOnce(status))
        assert.strictEqual(seen.length, requests, `${method} ${status}`)
      }
      const { seen } = yield* once("/", {}, {}, busyOnce(503, { "retry-after": "3600" }))
      assert.strictEqual(seen.length, 1)
    }))

  it.live("where the connection breaks", () =>
    Effect.gen(function*() {
      const cut: Script = (_seen, response) => void response.destroy()
      const read = yield* once("/", {}, {}, cut)
      assert.strictEqual(read.seen.length, 3)
      const write = yield* once("/", { method: "POST" }, {}, cut)
      assert.strictEqual(write.seen.length, 1)
      assert.match(failureOf(write.result), /may have been done all the same/)
    }))
})

describe("httpTool: secrets", () => {
  const SECRET = "s3cret-token-1"
  const withSecret = Effect.provideService(Environment, { TOKEN: SECRET })
  const headers = { Authorization: "Bearer ${TOKEN}", "X-Api-Key": "${TOKEN}" }

  it.live("are filled in, and without one the tool is left out with a diagnostic", () =>
    Effect.gen(function*() {
      const { first } = yield* Effect.provideService(once("/", { headers }, {}), Environment, { TOKEN: SECRET })
      assert.strictEqual(first?.headers.authorization, `Bearer ${SECRET}`)
      const good = httpTool({ name: "good", url: "http://127.0.0.1:1/" })
      const bad = httpTool({ name: "bad", url: "http://127.0.0.1:1/", headers: { "X-Key": "${NOT_THERE}" } })
      const [entry] = yield* build([bad, good]).pipe(Effect.provideService(Environment, {}))
      assert.deepStrictEqual(entry?.tools.map(({ name }) => name), ["good"])
      assert.strictEqual(entry?.diagnostics[0]?.code, "tool-left-out")
      assert.include(entry?.diagnostics[0]?.message, "NOT_THERE")
    }))

  it.live("never follow a redirect to another origin", () =>
    withSecret(Effect.gen(function*() {
      const other = yield* serve((_seen, response) => json(response, 200, { hello: 1 }))
      for (const status of [301, 302, 303, 307, 308]) {
        other.seen.length = 0
        const { result } = yield* once("/", { headers }, {}, (_seen, response) => {
          response.writeHead(status, { location: `${other.origin}/landing` })
          response.end()
        })
        assert.strictEqual(result._tag, "Success")
        const [landed] = other.seen
        assert.strictEqual(landed?.path, "/landing")
        assert.notInclude(JSON.stringify(landed?.headers), SECRET)
      }
      // what was sent goes nowhere else
      for (const status of [301, 302, 307, 308]) {
        other.seen.length = 0
        const { result } = yield* once("/", { method: "POST", headers }, { a: SECRET }, (_seen, response) => {
          response.writeHead(status, { location: `${other.origin}/?key=${SECRET}` })
          response.end()
        })
        assert.strictEqual(other.seen.length, 0)
        assert.include(failureOf(result), "another server")
        assert.notInclude(failureOf(result), SECRET)
      }
    })))

  it.live("stay with redirects within the origin, which keep method and body as they should", () =>
    withSecret(Effect.gen(function*() {
      const moved = (status: number): Script => (seen, response) => {
        if (seen.path === "/new") return json(response, 200, {})
        response.writeHead(status, { location: "/new" })
        response.end()
      }
      for (
        const [status, method, arrives] of [[307, "POST", "POST"], [308, "PUT", "PUT"], [303, "POST", "GET"], [
          301,
          "GET",
          "GET"
        ]] as const
      ) {
        const { seen } = yield* once("/", { method, headers, body: "json" }, { a: 1 }, moved(status))
        assert.deepStrictEqual([seen[1]?.method, seen[1]?.headers["x-api-key"]], [arrives, SECRET])
        assert.strictEqual(seen[1]?.body.toString(), arrives === "GET" ? "" : "{\"a\":1}")
      }
      const { result } = yield* once("/", { method: "POST", headers }, { a: 1 }, moved(302))
      assert.include(failureOf(result), "loses what was sent")
      const loop = yield* once("/", { headers }, {}, (_seen, response) => {
        response.writeHead(302, { location: "/" })
        response.end()
      })
      assert.strictEqual(loop.seen.length, 6)
      assert.include(failureOf(loop.result), "more than 5 times")
    })))

  it.live("appear in no result and no error, also where the server repeats them", () =>
    withSecret(Effect.gen(function*() {
      for (const status of [200, 401, 500]) {
        const { result } = yield* once(
          "/",
          { headers, resultMode: "json", retry: "never" },
          {},
          (seen, response) => json(response, status, { got: seen.headers })
        )
        assert.notInclude(JSON.stringify(result), SECRET)
        assert.include(JSON.stringify(result), "<redacted>")
      }
      const entries = yield* build([
        httpTool({ name: "t", url: `http://me:${SECRET}@127.0.0.1:1/?key=${SECRET}`, retry: "never" })
      ])
      const result = yield* Effect.result(callIn(entries, "t", {}))
      assert.strictEqual(result._tag, "Failure")
      assert.notInclude(JSON.stringify([result, entries]), SECRET)
    })))

  it.live("of a URL are sent as basic authentication", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const entries = yield* build([httpTool({ name: "t", url: server.origin.replace("//", "//me:p%40ss@") })])
      yield* callIn(entries, "t", {})
      assert.strictEqual(server.seen[0]?.headers.authorization, `Basic ${btoa("me:p@ss")}`)
    }))

  it.live("come from the host for each request, by its caller", () =>
    Effect.gen(function*() {
      const server = yield* serve((seen, response) =>
        json(response, seen.headers.authorization === "Bearer token-of-bob" ? 200 : 401, seen.headers, {
          "www-authenticate": "Bearer"
        })
      )
      const seen: Array<unknown> = []
      const entries = yield* build([httpTool({ name: "t", url: server.origin })]).pipe(
        Effect.provideService(RequestHeaders, ({ context, entry, kind }) => {
          seen.push([kind, entry, context])
          return Effect.succeed({ "X-User": `user-${String(context)}` })
        }),
        Effect.provideService(TokenProvider, ({ context, header, status }) => {
          seen.push([status, header])
          return Effect.succeed(context === "bob" ? Option.some("token-of-bob") : Option.none())
        })
      )
      const bob = yield* callIn(entries, "t", {}, { context: "bob" })
      assert.isFalse(bob.isError)
      assert.notInclude(bob.output, "token-of-bob")
      assert.strictEqual(server.seen[1]?.headers["x-user"], "user-bob")
      const ann = yield* callIn(entries, "t", {}, { context: "ann" })
      assert.match(ann.output, /^HTTP 401: /)
      assert.strictEqual(server.seen.length, 3)
      assert.deepStrictEqual(seen.slice(0, 2), [["extra", "t", "bob"], [401, "Bearer"]])
    }))
})

describe("httpTool: connected by hand", () => {
  it.live("is a tool until its scope is closed", () =>
    Effect.gen(function*() {
      const server = yield* serve()
      const tool = yield* Effect.scoped(
        Effect.map(build([httpTool({ name: "t", url: server.origin })]), ([entry]) => entry?.tools ?? [])
      )
      const result = yield* Effect.result(callIn([{ _tag: "Loaded", name: "", tools: tool, diagnostics: [] }], "t", {}))
      assert.include(failureOf(result), "its source is closed")
      assert.strictEqual(server.seen.length, 0)
    }))
})
