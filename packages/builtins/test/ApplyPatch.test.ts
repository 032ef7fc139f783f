import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { builtins, call, failure, folder, platform } from "./harness.ts"

const Files = Schema.Record(Schema.String, Schema.String)

/** What other tools do where they differ stands there too; only ours is looked at. */
const Case = Schema.Struct({
  name: Schema.String,
  before: Files,
  patch: Schema.String,
  after: Schema.optionalKey(Files),
  alsoAccept: Schema.optionalKey(Schema.Array(Files)),
  error: Schema.optionalKey(Schema.String)
})

const cases = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Case)))(
  readFileSync(new URL("../../../fixtures/patches/patch-cases.json", import.meta.url), "utf8")
)

/** All files below a folder, as text. */
const filesIn = Effect.fnUntraced(function*(root: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* fs.readDirectory(root, { recursive: true })
  const files: Record<string, string> = {}
  for (const name of names) {
    if ((yield* fs.stat(`${root}/${name}`)).type !== "File") continue
    const bytes = yield* fs.readFile(`${root}/${name}`)
    files[name] = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  }
  return files
})

const make = Effect.fnUntraced(function*(files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const root = yield* folder
  for (const [name, text] of Object.entries(files)) {
    const path = `${root}/${name}`
    yield* fs.makeDirectory(path.slice(0, path.lastIndexOf("/")), { recursive: true })
    yield* fs.writeFileString(path, text)
  }
  return root
})

const patched = Effect.fnUntraced(function*(before: Readonly<Record<string, string>>, patchText: string) {
  const root = yield* make(before)
  const result = yield* Effect.result(call("apply_patch", { patchText })).pipe(Effect.provide(builtins({ root })))
  return { root, result, files: yield* filesIn(root) }
})

const wrap = (body: string) => `*** Begin Patch\n${body}\n*** End Patch`

/** What a patch makes of one file, or the message it fails with. */
const once = (before: string, hunks: string) =>
  Effect.map(
    patched({ f: before }, wrap(`*** Update File: f\n${hunks}`)),
    ({ files, result }) =>
      Result.isSuccess(result) ? files["f"] : `${result.failure.message}${files["f"] === before ? "" : " CHANGED"}`
  )

describe("apply_patch: the shared cases", () => {
  for (const each of cases) {
    it.live(each.name, () =>
      Effect.gen(function*() {
        const { files, result } = yield* patched(each.before, each.patch)
        if (each.after === undefined) {
          assert.isTrue(Result.isFailure(result))
          if (Result.isFailure(result)) assert.match(result.failure.message, new RegExp(each.error ?? "^$", "i"))
          assert.deepStrictEqual(files, each.before)
          return
        }
        if (Result.isFailure(result)) assert.fail(result.failure.message)
        const accepted = [each.after, ...each.alsoAccept ?? []]
        assert.isTrue(accepted.some((files_) => isDeepEqual(files_, files)), JSON.stringify(files).slice(0, 500))
      }).pipe(Effect.provide(platform)))
  }
})

const isDeepEqual = (left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>) =>
  Object.keys(left).length === Object.keys(right).length &&
  Object.entries(left).every(([name, text]) => right[name] === text)

describe("apply_patch: the grammar", () => {
  it.live("takes what agents wrap around a patch", () =>
    Effect.gen(function*() {
      const body = "*** Begin Patch\n*** Add File: h\n+x\n*** End Patch"
      const wrapped = [
        `\`\`\`diff\n${body}\n\`\`\``,
        `\`\`\`\n${body}\n\`\`\`\n`,
        `apply_patch <<'PATCH'\n${body}\nPATCH\n`,
        `<<-"EOF"\n${body}\nEOF`,
        `\n\n${body}\n\n`,
        `Here it is:\n\n${body}\n`,
        `\uFEFF${body}`
      ]
      for (const patchText of wrapped) {
        const { files, result } = yield* patched({}, patchText)
        assert.isTrue(Result.isSuccess(result), patchText)
        assert.deepStrictEqual(files, { h: "x\n" })
      }
    }).pipe(Effect.provide(platform)))

  it.live("lets headers narrow the search, one inside the other", () =>
    Effect.gen(function*() {
      const text = "class A\n  def f\n    x\n  def g\n    x\nclass B\n  def f\n    x\n  def g\n    x\n"
      const changed = text.replace(/x\n$/, "y\n")
      assert.strictEqual(yield* once(text, "@@ class B\n@@   def g\n-    x\n+    y"), changed)
      assert.strictEqual(yield* once(text, "@@ class B\n@@ def g\n-    x\n+    y"), changed)
      // the header said again as context
      assert.strictEqual(yield* once(text, "@@ class B\n@@   def g\n   def g\n-    x\n+    y"), changed)
      assert.match(
        (yield* once(text, "@@ class B\n@@ class A\n-    x\n+    y")) ?? "",
        /context "class A" below line 6/
      )
    }).pipe(Effect.provide(platform)))

  it.live("puts a hunk that only adds below its header, and nowhere without", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* once("a\nb\nc\n", "@@ a\n+x"), "a\nx\nb\nc\n")
      assert.strictEqual(yield* once("a\nb\n", "@@\n+x"), "a\nb\nx\n")
      assert.match(
        (yield* once("a\n", "@@ def nope():\n+  x = 1")) ?? "",
        /^f doesn't have the context "def nope\(\):"/
      )
      assert.match((yield* once("a\n", "@@ -1,0 +1,1 @@\n+x")) ?? "", /line numbers/)
      assert.strictEqual(yield* once("a\nb\n", "@@ -2 +2 @@\n-b\n+c"), "a\nc\n")
    }).pipe(Effect.provide(platform)))

  it.live("holds *** End of File to the end", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* once("k\nz\nk\n", "@@\n-k\n+K\n*** End of File"), "k\nz\nK\n")
      assert.match((yield* once("k\nz\n", "@@\n-k\n+K\n*** End of File")) ?? "", /at its end/)
      assert.strictEqual(yield* once("a\nk\n\n", "@@\n-k\n+K\n*** End of File"), "a\nK\n\n")
    }).pipe(Effect.provide(platform)))

  it.live("knows the mark of a missing line end", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* once("a\nb", "@@\n-b\n\\ No newline at end of file\n+c"), "a\nc\n")
      assert.strictEqual(yield* once("a\nb\n", "@@\n-b\n+c\n\\ No newline at end of file"), "a\nc")
      assert.strictEqual(yield* once("a\r\nb", "@@\n-a\n+c"), "c\r\nb\r\n")
    }).pipe(Effect.provide(platform)))

  it.live("takes bare empty lines for context only between others", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* once("a\n\nb\n", "@@\n a\n\n-b\n+c\n\n"), "a\n\nc\n")
      assert.strictEqual(yield* once("a\nb\n", "@@\n-a\n+A\n\n@@\n-b\n+B\n\n\n"), "A\nB\n")
      const { files } = yield* patched({}, wrap("*** Add File: n\n+a\n\n+b\n\n*** Add File: m\n+c"))
      assert.deepStrictEqual(files, { n: "a\n\nb\n", m: "c\n" })
    }).pipe(Effect.provide(platform)))

  it.live("matches whole lines, never parts, and prefers the strictest match wherever it is", () =>
    Effect.gen(function*() {
      assert.match((yield* once("alphabet\n", "@@\n-alpha\n+x")) ?? "", /were not found/)
      assert.strictEqual(yield* once("  a\na  \n\u201Ca\u201D\na\n", "@@\n-a\n+x"), "  a\na  \n\u201Ca\u201D\nx\n")
      assert.strictEqual(yield* once("  a\na  \n", "@@\n-a\n+x"), "  a\nx\n")
    }).pipe(Effect.provide(platform)))

  it.live("names the file, the line of the patch and the first line that differs", () =>
    Effect.gen(function*() {
      const message = yield* once("one\ntwo\nthree\nfour\n", "@@\n one\n two\n-drei\n+3")
      assert.strictEqual(
        message,
        "f doesn't have the expected lines: they were not found. Line 3 of the text differs: \"drei\" is looked for, and "
          + "line 3 of the file is \"three\" (hunk at line 3 of the patch)"
      )
    }).pipe(Effect.provide(platform)))

  it.live("says what is wrong with a text that is no patch", () =>
    Effect.gen(function*() {
      const wrong = [
        ["--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", /no line "\*\*\* Begin Patch".*\*\*\* Update File: PATH/s],
        [wrap("*** Update File: f"), /f has no hunk/],
        [wrap("*** Update File:\n@@\n-a"), /needs a path/],
        [wrap("*** Update File: f\n*** Move to:\n@@\n-a"), /needs a path/],
        [wrap("*** Add File: f\nx"), /^Line 3 of the patch: unexpected "x"/],
        [wrap("*** Update File: f\n@@\n a"), /changes nothing/]
      ] as const
      for (const [patchText, expected] of wrong) {
        const { files, result } = yield* patched({ f: "a\n" }, patchText)
        assert.match(Result.isFailure(result) ? result.failure.message : "", expected)
        assert.deepStrictEqual(files, { f: "a\n" })
      }
    }).pipe(Effect.provide(platform)))
})

describe("apply_patch: several files", () => {
  it.live("finds a file in a later section as the earlier ones left it", () =>
    Effect.gen(function*() {
      const all = wrap([
        "*** Update File: f",
        "@@",
        "-a",
        "+b",
        "*** Update File: ./f",
        "@@",
        "-b",
        "+c",
        "*** Add File: n",
        "+1",
        "*** Update File: n",
        "*** Move to: m",
        "@@",
        "-1",
        "+2",
        "*** Update File: m",
        "@@",
        "-2",
        "+3",
        "*** Delete File: g",
        "*** Add File: g",
        "+new"
      ].join("\n"))
      const { files, result } = yield* patched({ f: "a\n", g: "old\n" }, all)
      assert.isTrue(Result.isSuccess(result))
      assert.deepStrictEqual(files, { f: "c\n", m: "3\n", g: "new\n" })
      const gone = yield* patched({ f: "a\n" }, wrap("*** Delete File: f\n*** Update File: f\n@@\n-a\n+b"))
      assert.match(
        Result.isFailure(gone.result) ? gone.result.failure.message : "",
        /^f can't be updated: it was not found/
      )
      assert.deepStrictEqual(gone.files, { f: "a\n" })
    }).pipe(Effect.provide(platform)))

  it.live("moves a file to itself without losing it", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* make({ "d/same": "old\n" })
      yield* fs.symlink("d", `${root}/alias`)
      const move = (to: string, from: string, text: string, next: string) =>
        call("apply_patch", { patchText: wrap(`*** Update File: ${from}\n*** Move to: ${to}\n@@\n-${text}\n+${next}`) })
      yield* move("./d/same", "d/same", "old", "new").pipe(Effect.provide(builtins({ root })))
      assert.strictEqual(yield* fs.readFileString(`${root}/d/same`), "new\n")
      yield* move("alias/same", "d/same", "new", "newer").pipe(Effect.provide(builtins({ root })))
      assert.strictEqual(yield* fs.readFileString(`${root}/d/same`), "newer\n")
    }).pipe(Effect.provide(platform)))

  it.live("keeps the mode of what it changes and moves, and writes through links but deletes the link", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* make({ run: "a\n", target: "t\n", other: "o\n", keep: "k\n" })
      yield* fs.chmod(`${root}/run`, 0o755)
      yield* fs.symlink("target", `${root}/link`)
      yield* fs.symlink("keep", `${root}/gone`)
      const patchText = wrap(
        "*** Update File: run\n*** Move to: bin/run\n@@\n-a\n+b\n*** Update File: link\n@@\n-t\n+T\n*** Delete File: gone"
      )
      yield* call("apply_patch", { patchText }).pipe(Effect.provide(builtins({ root })))
      assert.strictEqual((yield* fs.stat(`${root}/bin/run`)).mode & 0o777, 0o755)
      assert.strictEqual(yield* fs.readLink(`${root}/link`), "target")
      assert.strictEqual(yield* fs.readFileString(`${root}/target`), "T\n")
      assert.strictEqual(yield* fs.readFileString(`${root}/keep`), "k\n")
      assert.isTrue(Option.isNone(yield* Effect.option(fs.readLink(`${root}/gone`))))
    }).pipe(Effect.provide(platform)))

  it.live("refuses paths outside of the root in every section, and changes nothing", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const base = yield* make({ "root/f": "a\n", "out/secret": "s\n" })
      const root = `${base}/root`
      yield* fs.symlink("../out", `${root}/link`)
      const bad = [
        "*** Add File: ../x\n+x",
        "*** Add File: link/x\n+x",
        "*** Delete File: link/secret",
        `*** Update File: ${base}/out/secret\n@@\n-s\n+S`,
        "*** Update File: f\n*** Move to: ../x\n@@\n-a\n+b"
      ]
      for (const section of bad) {
        const { message } = yield* failure("apply_patch", { patchText: wrap(`*** Add File: ok\n+x\n${section}`) }).pipe(
          Effect.provide(builtins({ root }))
        )
        assert.match(message, /outside the root/)
        // what the link leads to is listed by both of its names
        assert.deepStrictEqual(yield* filesIn(base), {
          "out/secret": "s\n",
          "root/f": "a\n",
          "root/link/secret": "s\n"
        })
      }
    }).pipe(Effect.provide(platform)))

  it.live("shows the change in metadata, and says where lines differed", () =>
    Effect.gen(function*() {
      const root = yield* make({ f: "  a\nb\n", d: "x\n" })
      const patchText = wrap("*** Update File: f\n@@\n-a\n+A\n*** Delete File: d")
      const { metadata, output } = yield* call("apply_patch", { patchText }).pipe(Effect.provide(builtins({ root })))
      assert.strictEqual(output, "Applied the patch:\nupdated f (lines there differed in indentation)\ndeleted d")
      assert.deepStrictEqual(metadata, {
        files: [{ path: "f", action: "updated" }, { path: "d", action: "deleted" }],
        diff: "--- f\n+++ f\n@@ -1,2 +1,2 @@\n-  a\n+A\n b\n--- d\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
      })
    }).pipe(Effect.provide(platform)))
})
