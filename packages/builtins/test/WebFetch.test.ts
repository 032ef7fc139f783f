import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { builtins, call, failure, tool } from "./harness.ts"
import { answering, webServer } from "./webServer.ts"

const HTML = { "content-type": "text/html; charset=utf-8" }

/** What is fetched from a server that answers so. */
const fetched = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = HTML, args: object = {}) =>
  Effect.scoped(Effect.gen(function*() {
    const { origin } = yield* webServer(answering(body, headers))
    return yield* call("webfetch", { url: `${origin}/d/p`, ...args })
  }))

const outputOf = (...args: Parameters<typeof fetched>) => Effect.map(fetched(...args), ({ output }) => output)

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

layer(builtins(true), { excludeTestServices: true })("webfetch", (it) => {
  it.effect("describes itself truthfully", () =>
    Effect.gen(function*() {
      const { annotations, inputSchema } = yield* tool("webfetch")
      assert.strictEqual(inputSchema["additionalProperties"], false)
      assert.deepStrictEqual([annotations?.readOnlyHint, annotations?.openWorldHint], [true, true])
      for (const args of [{}, { url: 1 }, { url: "http://h", timeout: 0 }, { url: "http://h", format: "pdf" }]) {
        assert.strictEqual((yield* Effect.flip(call("webfetch", args)))._tag, "InvalidArguments")
      }
    }))

  it.effect("takes any time that is one for its limit", () =>
    Effect.gen(function*() {
      const { message } = yield* failure("webfetch", { url: "http://127.0.0.1:9/", timeout: 1e-7 })
      assert.match(message, /wasn't fetched within 1e-7 s$/)
    }))

  it.effect("makes Markdown of a page", () =>
    Effect.gen(function*() {
      const output = yield* outputOf(
        `<!doctype html><html><head><title>T &amp; t</title><style>.a{color:red}</style></head>
        <body><script>window.x=1;</script><!-- hidden --><noscript>n</noscript>
        <h1>One</h1><h2>Two <em>x</em></h2><p>Text with <b>bold</b>, <i>more</i> and <code>a|b</code>.<br>Next
        <p><a href="/rel?a=1&amp;b=2">L</a> <a href="other">o</a> <a href="javascript:alert(1)">js</a>
        <img src="i.png" alt="An image"><img src="data:image/png;base64,AAAA" alt="inline">
        <ul><li>a<li>b<ol start=3><li>three</ol></ul>
        <table><thead><tr><th>k<th>v</thead><tbody><tr><td>1|2<td>x<br>y<tr><td>only</table>
        <pre><code class="language-js">let a = 1
  b()</code></pre><pre>a
  b</pre><blockquote>q</blockquote><hr><del>gone</del></body></html>`
      )
      assert.notMatch(output, /window\.x|color:red|hidden|\bn\b\n|T & t|base64/)
      for (
        const part of [
          "# One\n",
          "## Two _x_\n",
          "Text with **bold**, _more_ and `a|b`.  \nNext",
          "/rel?a=1&b=2)",
          "/d/other)",
          " js",
          "/d/i.png)",
          "- a\n- b\n",
          "  3. three",
          "| k | v |\n| --- | --- |\n| 1\\|2 | x<br>y |\n| only |",
          "```js\nlet a = 1\n  b()\n```",
          "```\na\n  b\n```",
          "> q",
          "---",
          "~~gone~~"
        ]
      ) assert.include(output, part)
      assert.match(output, /\[L\]\(http:\/\/127\.0\.0\.1:\d+\/rel\?a=1&b=2\)/)
      assert.match(output, /!\[An image\]\(http:\/\/127\.0\.0\.1:\d+\/d\/i\.png\)/)
    }))

  it.effect("makes a text of a page, or leaves it", () =>
    Effect.gen(function*() {
      const html = "<h1>H</h1><p>a <b>b</b>&amp;c</p><ul><li>x</li><li>y</li></ul><pre>p\n  q</pre><script>s</script>"
        + "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>"
      assert.strictEqual(
        yield* outputOf(html, HTML, { format: "text" }),
        "H\n\na b&c\n\n- x\n- y\n\np\n  q\n\n1\t2\n3"
      )
      assert.strictEqual(yield* outputOf(html, HTML, { format: "html" }), html)
    }))

  it.effect("says what it fetched", () =>
    Effect.gen(function*() {
      const { metadata } = yield* fetched("<title> A  title\n</title>x")
      assert.deepInclude(metadata, { status: 200, title: "A  title", bytes: 26, redirects: 0 })
    }))

  it.effect("finds links by the document's own base", () =>
    Effect.gen(function*() {
      const output = yield* outputOf("<base href=\"https://other.example/a/\"><base href=/z/><a href=b>l</a>")
      assert.strictEqual(output, "[l](https://other.example/a/b)")
    }))

  it.effect("reads what is nested deeply, or badly, or cut", () =>
    Effect.gen(function*() {
      for (const name of ["div", "b", "blockquote", "ul><li", "table><tr><td", "a href=x", "span", "template"]) {
        const output = yield* outputOf(`<p>before</p>${`<${name}>`.repeat(20_000)}inner`)
        assert.include(output, "before")
        if (name !== "template") assert.include(output, "inner")
      }
      assert.include(yield* outputOf(`${"<div>".repeat(5000)}a${"</div>".repeat(9000)}<h1>b`), "# b")
      assert.strictEqual(yield* outputOf("</p></td></x>a<"), "a<")
      assert.strictEqual(yield* outputOf("a<!-- never closed"), "a")
    }))

  it.effect("takes the charset of the header, a mark, the document, UTF-8", () =>
    Effect.gen(function*() {
      const meta = (tag: string) => Buffer.concat([Buffer.from(`<meta ${tag}><p>`), bytes(0x93, 0xfa, 0x96, 0x7b)])
      const html = { "content-type": "text/html" }
      assert.strictEqual(yield* outputOf(meta("charset=\"shift_jis\""), html), "日本")
      const equiv = "http-equiv=Content-Type content=\"text/html; charset=Shift_JIS\""
      assert.strictEqual(yield* outputOf(meta(equiv), html), "日本")
      const marked = Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from("<meta charset=latin1><p>é")])
      assert.strictEqual(yield* outputOf(marked, html), "é")
      const latin1 = { "content-type": "text/plain; charset=\"ISO-8859-1\"" }
      assert.strictEqual(yield* outputOf(bytes(0x63, 0xe9), latin1), "cé")
      assert.strictEqual(yield* outputOf("é", { "content-type": "text/plain; charset=nonsense" }), "é")
      assert.strictEqual(yield* outputOf("é", { "content-type": "text/plain" }), "é")
      const utf16 = bytes(0xff, 0xfe, 0x61, 0x00, 0x2d, 0x4e)
      assert.strictEqual(yield* outputOf(utf16, { "content-type": "text/plain" }), "a中")
      const xml = Buffer.concat([Buffer.from("<?xml version='1.0' encoding='iso-8859-1'?><a>"), bytes(0xe9)])
      assert.include(yield* outputOf(xml, { "content-type": "application/xml" }), "<a>é")
    }))

  it.effect("gives JSON, text and source as they are", () =>
    Effect.gen(function*() {
      for (
        const type of [
          "application/json",
          "application/problem+json; charset=utf-8",
          "text/plain",
          "text/css",
          "image/svg+xml",
          "application/javascript"
        ]
      ) {
        assert.strictEqual(yield* outputOf("{ \"a\": \"<b>\" }\n", { "content-type": type }), "{ \"a\": \"<b>\" }\n")
      }
      assert.strictEqual(yield* outputOf("plain <", {}), "plain <")
      assert.strictEqual(yield* outputOf("<!doctype html><h1>h", {}), "# h")
      assert.strictEqual(yield* outputOf("", HTML), "")
    }))

  it.effect("gives an image as a part, and names other binaries", () =>
    Effect.gen(function*() {
      const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(100)])
      const image = yield* fetched(png, { "content-type": "image/png" })
      assert.strictEqual(image.output, "[image image/png, 108 bytes]")
      assert.deepStrictEqual(image.content, [{ type: "image", data: png.toString("base64"), mimeType: "image/png" }])
      const pdf = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(91)])
      assert.strictEqual(yield* outputOf(pdf, { "content-type": "application/pdf" }), "[application/pdf, 100 bytes]")
      assert.strictEqual(yield* outputOf(pdf, {}), "[application/pdf, 100 bytes]")
      const zip = Buffer.from("PK\x03\x04\0\0\0")
      assert.strictEqual(yield* outputOf(zip, {}), "[application/octet-stream, 7 bytes]")
      assert.strictEqual(yield* outputOf(zip, { "content-type": "text/html" }), "[text/html, 7 bytes]")
      assert.strictEqual(yield* outputOf("GIF", { "content-type": "image/gif" }), "[image/gif, 3 bytes]")
    }))

  it.effect("undoes compression", () =>
    Effect.gen(function*() {
      const text = "text ".repeat(1000)
      const plain = (encoding: string) => ({ "content-type": "text/plain", "content-encoding": encoding })
      assert.strictEqual(yield* outputOf(gzipSync(text), plain("gzip")), text)
      assert.strictEqual(yield* outputOf(gzipSync(text), plain("X-GZIP")), text)
      assert.strictEqual(yield* outputOf(brotliCompressSync(text), plain("br")), text)
      assert.strictEqual(yield* outputOf(deflateSync(text), plain("deflate")), text)
      assert.strictEqual(yield* outputOf(deflateRawSync(text), plain("deflate")), text)
      assert.strictEqual(yield* outputOf(brotliCompressSync(gzipSync(text)), plain("gzip, br")), text)
      assert.strictEqual(yield* outputOf(text, plain("identity")), text)
      const wrong = yield* Effect.scoped(Effect.gen(function*() {
        const { origin } = yield* webServer(answering("no gzip", plain("gzip")))
        return yield* failure("webfetch", { url: origin })
      }))
      assert.match(wrong.message, /can't be read: its compressed body is damaged/)
      const long = Array.from({ length: 50_000 }, (_, index) => `line ${index * 7919 % 50_021}\n`).join("")
      const broken = gzipSync(long)
      broken.fill(7, broken.length >> 1, (broken.length >> 1) + 100)
      assert.match(
        yield* outputOf(broken, plain("gzip")),
        /^line 0\n[^]*\[cut: .*; the body has at least \d+ bytes, and its compressed body is damaged\]$/
      )
      assert.match(
        yield* outputOf(gzipSync(text.repeat(100)).subarray(0, -9), plain("gzip")),
        /bytes, and its compressed body ends too early\]$/
      )
      const unknown = yield* Effect.scoped(Effect.gen(function*() {
        const { origin } = yield* webServer(answering("x", plain("compress")))
        return yield* failure("webfetch", { url: origin })
      }))
      assert.match(unknown.message, /its encoding "compress" is not known/)
    }))

  it.effect("fails with the status and the start of the body", () =>
    Effect.scoped(Effect.gen(function*() {
      const { origin } = yield* webServer(answering(`<h1>Not here</h1>${"x".repeat(9000)}`, HTML, 404))
      const error = yield* failure("webfetch", { url: origin })
      assert.match(error.message, /^HTTP 404: # Not here/)
      assert.isBelow(error.message.length, 2100)
      assert.strictEqual(error.result?.isError, true)
    })))

  it.effect("follows at most ten redirects, each to http or https", () =>
    Effect.scoped(Effect.gen(function*() {
      const { origin, requests } = yield* webServer((request, response) => {
        const left = Number(request.url?.slice(1))
        const target = request.url === "/file" ? "file:///etc/passwd" : `/${left - 1}`
        if (left !== 0) response.writeHead([301, 302, 303, 307, 308][left % 5] ?? 302, { location: target })
        response.end(left === 0 ? "there" : "")
      })
      const found = yield* call("webfetch", { url: `${origin}/10` })
      assert.strictEqual(found.output, "there")
      assert.deepInclude(found.metadata, { url: `${origin}/0`, redirects: 10 })
      assert.match((yield* failure("webfetch", { url: `${origin}/11` })).message, /last of 10 redirects/)
      assert.strictEqual(requests.length, 22)
      assert.match(
        (yield* failure("webfetch", { url: `${origin}/file` })).message,
        /redirect whose target is neither http nor https/
      )
    })))

  it.effect("asks without cookies or credentials, and says which program asks", () =>
    Effect.scoped(Effect.gen(function*() {
      const { origin, requests } = yield* webServer(answering("x", { "set-cookie": "a=b" }))
      yield* call("webfetch", { url: origin })
      yield* call("webfetch", { url: origin })
      const headers = requests[1]?.headers ?? {}
      assert.isUndefined(headers["cookie"])
      assert.include(headers["user-agent"], "effect-toolnexus")
      const secret = yield* failure("webfetch", { url: origin.replace("//", "//user:CANARY@") })
      assert.match(secret.message, /user name or a password/)
      assert.notInclude(secret.message, "CANARY")
      assert.strictEqual(requests.length, 2)
    })))

  it.effect("says what is wrong with an address", () =>
    Effect.gen(function*() {
      for (
        const [url, message] of [
          ["file:///etc/passwd", "neither http nor https"],
          ["ftp://h/", "neither http nor https"],
          ["javascript:alert(1)", "neither http nor https"],
          ["example.com", "is no address"],
          ["", "is no address"],
          ["http://", "is no address"],
          [`http://h/${"a".repeat(9000)}`, "longer than"],
          ["http://127.0.0.1:1/", "nothing listens there"]
        ] as const
      ) assert.include((yield* failure("webfetch", { url })).message, message)
    }))
})

layer(builtins({ limits: { output: 100, fetch: 10_000 } }), { excludeTestServices: true })(
  "webfetch's limits",
  (it) => {
    it.effect("cut a long text, and say so", () =>
      Effect.gen(function*() {
        const plain = { "content-type": "text/plain" }
        const output = yield* outputOf("é".repeat(500), plain)
        assert.strictEqual(
          output,
          `${"é".repeat(50)}\n\n[cut: the first 100 bytes of 1000 of the text are shown; the body has 1000 bytes]`
        )
        assert.match(yield* outputOf("a".repeat(20_000), plain), /the body has more than 10000 bytes\]$/)
        assert.match(yield* outputOf(`<p>${"a ".repeat(4000)}`), /^a a [^]*\n\n\[cut: the first 100 bytes/)
      }))

    it.effect("never show half of an image", () =>
      Effect.gen(function*() {
        const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(20_000)])
        const { content, output } = yield* fetched(png, { "content-type": "image/png" })
        assert.strictEqual(output, "[image/png, more than 10000 bytes: too large to show]")
        assert.isUndefined(content)
      }))
  }
)
