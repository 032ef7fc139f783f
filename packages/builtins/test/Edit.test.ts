import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { builtins, call, failure, folder, platform, tool } from "./harness.ts"

/** What an edit makes of a file of one text, or the message it fails with. */
const edited = Effect.fnUntraced(
  function*(before: string | Uint8Array, oldString: string, newString: string, replaceAll?: boolean) {
    const fs = yield* FileSystem.FileSystem
    const root = yield* folder
    const bytes = typeof before === "string" ? new TextEncoder().encode(before) : before
    yield* fs.writeFile(`${root}/f`, bytes)
    const args = { path: "f", oldString, newString, ...(replaceAll === undefined ? {} : { replaceAll }) }
    const result = yield* Effect.result(call("edit", args)).pipe(Effect.provide(builtins({ root })))
    const after = yield* fs.readFile(`${root}/f`)
    assert.deepStrictEqual(yield* fs.readDirectory(root), ["f"])
    if (Result.isSuccess(result)) {
      return { after, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(after), output: result.success.output }
    }
    assert.deepStrictEqual(after, bytes)
    return { after, text: result.failure.message, output: "" }
  }
)

const check = (before: string, oldString: string, newString: string, after: string, replaceAll?: boolean) =>
  Effect.map(edited(before, oldString, newString, replaceAll), ({ text }) => assert.strictEqual(text, after))

const refuse = (before: string, oldString: string, newString: string, expected: RegExp, replaceAll?: boolean) =>
  Effect.map(edited(before, oldString, newString, replaceAll), ({ text }) => assert.match(text, expected))

describe("edit", () => {
  it.live("describes itself truthfully", () =>
    Effect.gen(function*() {
      const { annotations, inputSchema } = yield* tool("edit")
      assert.deepStrictEqual(inputSchema["required"], ["path", "oldString", "newString"])
      assert.strictEqual(inputSchema["additionalProperties"], false)
      assert.strictEqual(annotations?.destructiveHint, true)
      assert.strictEqual(annotations?.readOnlyHint, false)
    }).pipe(Effect.provide(builtins(true))))

  it.live("takes both texts literally", () =>
    Effect.gen(function*() {
      const dollars = "a $& b $$ c $` d $' e $1"
      yield* check("log(\"done\");\n", "log(\"done\");", dollars, `${dollars}\n`)
      yield* check("x x\n", "x", dollars, `${dollars} ${dollars}\n`, true)
      yield* check("a\r\nb\r\n", "a\nb", dollars, `${dollars}\r\n`)
      yield* check("  a\n  b\n", "a\nb", dollars, `  ${dollars}\n`)
      yield* check("f(.*)[0]\n", "f(.*)[0]", "ok", "ok\n")
    }).pipe(Effect.provide(platform)))

  it.live("says where a text is that occurs more than once", () =>
    Effect.gen(function*() {
      yield* refuse("a\nb\na\n", "a", "x", /^f has the text 2 times, at lines 1, 3\. Give more/)
      yield* check("a\nb\na\n", "a", "x", "x\nb\nx\n", true)
      yield* refuse("a\n".repeat(100), "a", "x", /has the text 100 times, at lines 1, 2, .*, 20, \.\.\.\. Give/)
      yield* refuse("aaaa", "aa", "x", /2 times, at lines 1, 1/)
    }).pipe(Effect.provide(platform)))

  it.live("refuses an empty text, and a change that changes nothing", () =>
    Effect.gen(function*() {
      for (const replaceAll of [true, false]) {
        yield* refuse("abc", "", "X", /oldString is empty.*use write/, replaceAll)
        yield* refuse("", "", "X", /oldString is empty/, replaceAll)
        yield* refuse("abc", "b", "b", /would be the same afterwards: oldString and newString don't differ/, replaceAll)
        yield* refuse("a\r\n", "\r\n", "\n", /would be the same afterwards: line ends stay/, replaceAll)
      }
    }).pipe(Effect.provide(platform)))

  it.live("shows by their numbers the characters that only look the same", () =>
    Effect.gen(function*() {
      yield* refuse(
        "x\ncaf\u00e9 1\n",
        "cafe\u0301 1",
        "y",
        /is "cafe\\u0301 1"; line 2 of the file looks the same, but is "caf\\u00e9 1"/
      )
      yield* refuse("a\u00a0b\n", "a b", "y", /is "a b"; line 1 of the file looks the same, but is "a\\u00a0b"/)
      yield* refuse(
        "first\n\u201cb\u201d\n",
        "first\n\"b\"",
        "y",
        /"\\"b\\"" is looked for, and line 2 of the file is "\\u201cb\\u201d"/
      )
    }).pipe(Effect.provide(platform)))

  it.live("shows the closest lines of a text that isn't there", () =>
    Effect.gen(function*() {
      const text = "function add(a, b) {\n  return a + b\n}\n"
      yield* refuse(text, "function sub(a, b) {", "x", /closest of the file: line 1 "function add\(a, b\) \{"/)
      yield* refuse(
        text,
        "function add(a, b) {\n  return a - b\n",
        "x",
        /Line 2 of the text differs.*line 2 of the file is "  return a \+ b"/
      )
      yield* refuse(text, "zzz", "x", /No line of the file is like "zzz"/)
      yield* refuse("", "zzz", "x", /No line/)
    }).pipe(Effect.provide(platform)))

  it.live("takes the one place that differs in line ends, trailing blanks or indentation, and says so", () =>
    Effect.gen(function*() {
      const { output, text } = yield* edited("  if a:  \n    x = 1\n  y\n", "if a:\n  x = 1", "if b:\n  x = 2\n  z = 3")
      assert.strictEqual(text, "  if b:\n    x = 2\n    z = 3\n  y\n")
      assert.match(output, /differed in indentation/)
      yield* check("a  \nb\n", "a\nb", "c", "c\n")
      yield* check("a  \nb", "a\nb\n", "c\n", "c\n")
      yield* check("\ta\n\t\tb\n", "a\n\tb\n", "a\n\tc\n", "\ta\n\t\tc\n")
      yield* refuse("  a\n    b\nz\n", "a\nb", "c", /doesn't have the text/)
      yield* refuse("if a:\n    x = 1\nif b:\n\tx = 1\n", "   \t x = 1", "   \t x = 2", /at lines 2, 4/)
      yield* refuse("  a\nq\n    a\n", "\ta", "b", /several places differ.*at lines 1, 3/, true)
    }).pipe(Effect.provide(platform)))

  it.live("keeps line ends, whatever the model writes", () =>
    Effect.gen(function*() {
      yield* check("a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n")
      yield* check("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n")
      yield* check("a\r\nb\r\na\r\nb\r\n", "a\nb", "x", "x\r\nx\r\n", true)
      yield* check("a\r\nb", "b", "x\ny", "a\r\nx\r\ny")
      yield* check("aa\r\nbb\r\n", "a\nb", "x\ny", "ax\r\nyb\r\n")
      yield* check("a\r\nb\r\n", "\nb", "X", "aX\r\n")
      yield* check("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n")
      yield* check("a\r\nb\nc\r\n", "b", "x\ny", "a\r\nx\ny\nc\r\n")
      yield* check("ab", "b", "x\ny", "ax\ny")
    }).pipe(Effect.provide(platform)))

  it.live("keeps a byte order mark and an encoding, and refuses what it would destroy", () =>
    Effect.gen(function*() {
      yield* check("\uFEFFhello\n", "hello", "hello2", "\uFEFFhello2\n")
      yield* check("hello\n", "hello", "h", "h\n")
      const utf16 = (text: string, isLittle: boolean) =>
        Uint8Array.from(
          [...`\uFEFF${text}`].flatMap((character) => {
            const unit = character.charCodeAt(0)
            return isLittle ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255]
          })
        )
      for (const isLittle of [true, false]) {
        const { after } = yield* edited(utf16("a日\r\nb\r\n", isLittle), "b", "é\nc")
        assert.deepStrictEqual(after, utf16("a日\r\né\r\nc\r\n", isLittle))
      }
      const latin1 = yield* edited(Uint8Array.of(0x63, 0xe9, 0x0a, 0x78), "x", "y")
      assert.match(latin1.text, /^f is not valid UTF-8/)
      assert.match((yield* edited(Uint8Array.of(0x61, 0, 0x62), "b", "c")).text, /^f is a binary file/)
    }).pipe(Effect.provide(platform)))

  it.live("refuses what is no file to be changed", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* folder
      yield* fs.makeDirectory(`${root}/d`)
      yield* fs.writeFileString(`${root}/big`, "x".repeat(101))
      const refused = (path: string, expected: RegExp) =>
        Effect.map(failure("edit", { path, oldString: "x", newString: "y" }), ({ message }) =>
          assert.match(message, expected))
      yield* Effect.gen(function*() {
        yield* refused("none", /^none doesn't exist/)
        yield* refused("d", /^d is no file but a directory/)
        yield* refused("big", /^big has 101 bytes; at most 100 are read/)
        yield* refused("../x", /outside the root/)
        yield* refused("a\0b", /can't contain NUL/)
        yield* refused("big/x", /^big\/x can't be changed \(a part of the path is no directory\)/)
      }).pipe(Effect.provide(builtins({ root, limits: { file: 100 } })))
      yield* Effect.provide(refused("/dev/null", /no file but a device/), builtins(true))
    }).pipe(Effect.provide(platform)))

  it.live(
    "suggests nothing that isn't there, and finds in linear time",
    () =>
      Effect.gen(function*() {
        const lines = "a\n".repeat(300_000)
        yield* refuse(lines, `${"a\n".repeat(100_000)}b`, "x", /doesn't have the text/)
        yield* refuse("a".repeat(3_000_000), `b${"a".repeat(200_000)}`, "x", /doesn't have the text/)
        yield* refuse(lines, "a\nb\n".repeat(50_000), "x", /doesn't have the text/)
      }).pipe(Effect.provide(platform)),
    20_000
  )

  it.live("shows the change in metadata", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* folder
      yield* fs.writeFileString(`${root}/f`, "a\nb\nc\n")
      const { metadata, output } = yield* call("edit", { path: "f", oldString: "b", newString: "B\nB" }).pipe(
        Effect.provide(builtins({ root }))
      )
      assert.strictEqual(output, "Edited f: 1 place replaced")
      assert.deepStrictEqual(metadata, {
        path: `${root}/f`,
        replaced: 1,
        added: 2,
        removed: 1,
        diff: "--- f\n+++ f\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B\n c\n"
      })
    }).pipe(Effect.provide(platform)))
})
