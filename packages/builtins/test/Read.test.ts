import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { file } from "./files.ts"
import { builtins, call, failure, folder, platform, tool } from "./harness.ts"

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("")

layer(builtins(true), { excludeTestServices: true })("read", (it) => {
  it.effect("describes itself truthfully", () =>
    Effect.gen(function*() {
      const read = yield* tool("read")
      assert.strictEqual(read.inputSchema["additionalProperties"], false)
      assert.strictEqual(read.annotations?.readOnlyHint, true)
      assert.strictEqual(read.annotations?.openWorldHint, false)
      assert.strictEqual((yield* Effect.flip(call("read", { path: ".", limit: 0 })))._tag, "InvalidArguments")
      assert.strictEqual((yield* Effect.flip(call("read", { path: ".", offset: 0 })))._tag, "InvalidArguments")
    }))

  it.effect("gives the text itself", () =>
    Effect.gen(function*() {
      for (const text of ["", "a", "a\n", "\n\n", "a\r\nb\r\n", "日本\n\uFFFD 😀"]) {
        assert.strictEqual((yield* call("read", { path: yield* file(text) })).output, text)
      }
    }))

  it.effect("gives a window and says what is left", () =>
    Effect.gen(function*() {
      const path = yield* file(lines(1, 10))
      assert.strictEqual(
        (yield* call("read", { path, offset: 3, limit: 2 })).output,
        `${lines(3, 4)}(6 more lines; offset=5)`
      )
      assert.strictEqual((yield* call("read", { path, offset: 9, limit: 2 })).output, lines(9, 10))
      const open = yield* file("a\nb\nc")
      assert.strictEqual((yield* call("read", { path: open, limit: 1 })).output, "a\n(2 more lines; offset=2)")
      assert.strictEqual((yield* call("read", { path: open, offset: 3 })).output, "c")
    }))

  it.effect("leads through a long file in windows that make up the whole", () =>
    Effect.gen(function*() {
      const text = lines(1, 30_000)
      const path = yield* file(text)
      let [offset, read] = [1, ""]
      while (offset > 0) {
        const { output } = yield* call("read", { path, offset })
        const [note = "", next = "0"] = /\(\d+ more lines; offset=(\d+)\)$/.exec(output) ?? []
        read += output.slice(0, output.length - note.length)
        offset = Number(next)
      }
      assert.strictEqual(read, text)
    }))

  it.effect("says how many lines there are when asked for what lies behind them", () =>
    Effect.gen(function*() {
      for (const [text, count] of [["", 0], ["a\nb\n", 2], ["a\nb\nc", 3]] as const) {
        const path = yield* file(text)
        const error = yield* failure("read", { path, offset: count + 2 })
        assert.strictEqual(error.message, `offset ${count + 2} is past the end: ${path} has ${count} lines`)
      }
    }))

  it.effect("cuts long lines, between characters, and goes on behind them", () =>
    Effect.gen(function*() {
      const path = yield* file(`${"日".repeat(2_000_000)}\nnext\n`)
      const { output } = yield* call("read", { path })
      assert.strictEqual(output, `${"日".repeat(1365)} [line cut: 4096 of 6000000 bytes]\nnext\n`)
    }))

  it.effect("shows the start of a huge file at once, in flat memory", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* file(lines(1, 20))
      yield* fs.truncate(path, 3_000_000_000)
      const before = process.memoryUsage.rss()
      const { output } = yield* call("read", { path, limit: 10 })
      assert.strictEqual(output, `${lines(1, 10)}(at least 11 more lines; offset=11)`)
      assert.isBelow(process.memoryUsage.rss() - before, 20_000_000)
    }))

  it.effect("names binary files as such, and nothing else", () =>
    Effect.gen(function*() {
      const zero = yield* file(Uint8Array.of(0x61, 0, 0x62, 10))
      assert.strictEqual((yield* call("read", { path: zero })).output, "[binary file, 4 bytes]")
      const noise = yield* file(Uint8Array.from({ length: 300 }, (_, index) => 128 + (index % 128)))
      assert.strictEqual((yield* call("read", { path: noise })).output, "[binary file, 300 bytes]")
      const latin1 = yield* file(Uint8Array.from("caf\xe9 cr\xe8me\n", (character) => character.charCodeAt(0)))
      assert.strictEqual(
        (yield* call("read", { path: latin1 })).output,
        "caf\uFFFD cr\uFFFDme\n[2 bytes that are not UTF-8 are shown as U+FFFD]"
      )
    }))

  it.effect("doesn't take text for binary wherever its pieces are cut", () =>
    Effect.gen(function*() {
      const piece = 256 * 1024
      for (let shift = 0; shift < 4; shift++) {
        const text = `${"a".repeat(4000)}\n`.repeat(Math.floor(piece / 4001))
        const padded = `${text}${"a".repeat(piece - text.length - shift)}😀\n`
        const path = yield* file(padded)
        const { output } = yield* call("read", { path, offset: Math.floor(piece / 4001) + 1 })
        assert.isTrue(output.endsWith("😀\n"), `shift ${shift}`)
      }
    }))

  it.effect("knows byte order marks", () =>
    Effect.gen(function*() {
      const utf8 = yield* file("\ufeffhello\n")
      assert.strictEqual((yield* call("read", { path: utf8 })).output, "hello\n")
      const little = yield* file(Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x0a, 0, 0xe5, 0x65))
      assert.strictEqual((yield* call("read", { path: little })).output, "a\n日\n[the file is UTF-16LE]")
      const big = yield* file(Uint8Array.of(0xfe, 0xff, 0, 0x61, 0, 0x0a, 0x65, 0xe5))
      assert.strictEqual((yield* call("read", { path: big, offset: 2 })).output, "日\n[the file is UTF-16BE]")
    }))

  it.effect("gives images as image parts, told by their bytes", () =>
    Effect.gen(function*() {
      const signatures = [
        ["image/png", "\x89PNG\r\n\x1a\n"],
        ["image/jpeg", "\xff\xd8\xff\xe0"],
        ["image/gif", "GIF89a"],
        ["image/webp", "RIFF\x10\0\0\0WEBPVP8 "]
      ] as const
      for (const [mimeType, start] of signatures) {
        const bytes = new Uint8Array(3000)
        bytes.set(Uint8Array.from(start, (character) => character.charCodeAt(0)))
        const result = yield* call("read", { path: yield* file(bytes, "image.txt") })
        assert.strictEqual(result.output, `[image ${mimeType}, 3000 bytes]`)
        const data = Buffer.from(bytes).toString("base64")
        assert.deepStrictEqual(result.content, [{ type: "image", data, mimeType }])
      }
    }))

  it.effect("lists a directory", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder
      assert.strictEqual((yield* call("read", { path })).output, "(empty directory)")
      yield* fs.makeDirectory(`${path}/sub`)
      for (const name of ["b", ".hidden", "\u{1F600}", "\uFFEE"]) yield* fs.writeFileString(`${path}/${name}`, "")
      assert.strictEqual((yield* call("read", { path })).output, ".hidden\nb\nsub/\n\uFFEE\n\u{1F600}")
      assert.strictEqual(
        (yield* call("read", { path, offset: 2, limit: 2 })).output,
        "b\nsub/\n(2 more entries; offset=4)"
      )
      assert.match((yield* failure("read", { path, offset: 6 })).message, /has 5 entries$/)
    }))

  it.effect("refuses devices and pipes without touching them", () =>
    Effect.gen(function*() {
      const pipe = `${yield* folder}/pipe`
      execFileSync("mkfifo", [pipe])
      assert.strictEqual((yield* failure("read", { path: pipe })).message, `${pipe} is no file but a named pipe`)
      assert.match((yield* failure("read", { path: "/dev/zero" })).message, /no file but a device/)
    }))

  it.effect("names what exists when a file doesn't", () =>
    Effect.gen(function*() {
      const path = yield* file("", "settings.json")
      const at = path.slice(0, path.lastIndexOf("/"))
      const near = yield* failure("read", { path: `${at}/setings.json` })
      assert.strictEqual(near.message, `${at}/setings.json doesn't exist; did you mean ${path}?`)
      const far = yield* failure("read", { path: `${at}/zzz` })
      assert.strictEqual(far.message, `${at}/zzz doesn't exist`)
      const nul = yield* failure("read", { path: `${at}/a\0b` })
      assert.match(nul.message, /can't contain NUL/)
    }))
})

layer(platform, { excludeTestServices: true })("read in a root that is gone", (it) => {
  it.effect("names nothing that lies beside it", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const at = yield* folder
      yield* fs.makeDirectory(`${at}/tenant-1`)
      yield* fs.makeDirectory(`${at}/tenant-2`)
      const { message } = yield* Effect.gen(function*() {
        // the source is built once it is called
        yield* tool("read")
        yield* fs.remove(`${at}/tenant-1`, { recursive: true })
        return yield* failure("read", { path: "a.txt" })
      }).pipe(Effect.provide(builtins({ root: `${at}/tenant-1` })))
      assert.strictEqual(message, "a.txt doesn't exist")
    }))
})

layer(builtins({ limits: { output: 100, file: 5000 } }), { excludeTestServices: true })("the limits of read", (it) => {
  it.effect("end the window before the line that doesn't fit", () =>
    Effect.gen(function*() {
      const path = yield* file(lines(10, 99))
      assert.strictEqual((yield* call("read", { path })).output, `${lines(10, 21)}(78 more lines; offset=13)`)
    }))

  it.effect("cut a line that alone is too long", () =>
    Effect.gen(function*() {
      const path = yield* file(`${"x".repeat(300)}\nb\n`)
      const { output } = yield* call("read", { path, limit: 1 })
      assert.strictEqual(output, `${"x".repeat(100)} [line cut: 100 of 300 bytes]\n(1 more lines; offset=2)`)
    }))

  it.effect("bound what is counted, and say so", () =>
    Effect.gen(function*() {
      const many = yield* file("a\n".repeat(1_000_000))
      assert.match((yield* call("read", { path: many, limit: 1 })).output, /^a\n\(at least \d+ more lines; offset=2\)$/)
      const long = yield* file("x".repeat(1_000_000))
      assert.match(
        (yield* call("read", { path: long })).output,
        /^x{100} \[line cut: 100 of at least \d+ bytes\]\n\(perhaps more lines; offset=2\)$/
      )
    }))

  it.effect("bound images", () =>
    Effect.gen(function*() {
      const bytes = new Uint8Array(5001)
      bytes.set(new TextEncoder().encode("GIF89a"))
      const path = yield* file(bytes)
      assert.strictEqual(
        (yield* failure("read", { path })).message,
        `${path} is an image of 5001 bytes; at most 5000 are read`
      )
    }))

  it.effect("bound the listing of a directory", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder
      for (let index = 10; index < 60; index++) yield* fs.writeFileString(`${path}/name-${index}`, "")
      assert.match((yield* call("read", { path })).output, /^name-10\n[^]*\nname-21\n\(38 more entries; offset=13\)$/)
    }))
})
