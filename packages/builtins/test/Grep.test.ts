import { Ripgrep } from "@effect-toolnexus/builtins"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { lines, tree } from "./files.ts"
import { builtins, call, failure, tool } from "./harness.ts"

const grep = (args: object) => Effect.map(call("grep", { ...args }), ({ output }) => output)

/** Tools that disagree on what is ignored mislead: both are held against this one. */
const IGNORING = {
  ".gitignore": "dist/\n*.log\n!keep.log\n!.env\n",
  ".ignore": "/secret.txt\n",
  "dist/a.js": "hit",
  "x.log": "hit",
  "keep.log": "hit",
  "secret.txt": "hit",
  ".github/ci.yml": "hit",
  ".env": "hit",
  ".git/config": "hit",
  "nested/.gitignore": "inner.txt\n",
  "nested/inner.txt": "hit",
  "nested/outer.txt": "hit",
  "nested/y.log": "hit",
  "plain.txt": "hit"
}

layer(builtins(true), { excludeTestServices: true })("grep", (it) => {
  it.effect("describes itself truthfully", () =>
    Effect.gen(function*() {
      const { annotations, inputSchema } = yield* tool("grep")
      assert.strictEqual(inputSchema["additionalProperties"], false)
      assert.deepStrictEqual([annotations?.readOnlyHint, annotations?.openWorldHint], [true, false])
      for (
        const args of [{}, { pattern: "a", limit: 0 }, { pattern: "a", context: -1 }, { pattern: "a", limit: 1.5 }]
      ) {
        assert.strictEqual((yield* Effect.flip(call("grep", args)))._tag, "InvalidArguments")
      }
    }))

  it.effect("gives file, line and text, sorted by file and line", () =>
    Effect.gen(function*() {
      const path = yield* tree({
        "b.txt": "no\nhit 1\r\nhit 2\n",
        "a+.txt": "hit",
        "a/z.txt": "hit",
        "é.txt": "hit é",
        "😀.txt": "hit",
        "Z.txt": "HIT"
      })
      assert.strictEqual(
        yield* grep({ pattern: "hit", path }),
        lines("a+.txt:1:hit", "a/z.txt:1:hit", "b.txt:2:hit 1", "b.txt:3:hit 2", "é.txt:1:hit é", "😀.txt:1:hit")
      )
      assert.include(yield* grep({ pattern: "^hit$", path, ignoreCase: true }), "Z.txt:1:HIT")
      assert.strictEqual(yield* grep({ pattern: "1$", path }), "b.txt:2:hit 1")
      assert.strictEqual(yield* grep({ pattern: "nowhere", path }), "(no matches)")
    }))

  it.effect("searches one file, by its name", () =>
    Effect.gen(function*() {
      const path = yield* tree({ "d/x.log": "a\nhit\n", "d/.gitignore": "*.log", "d/-n": "hit", "d/b": "hit\0" })
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/d/x.log` }), "x.log:2:hit")
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/d/-n` }), "-n:1:hit")
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/d/x.log`, include: "*.ts" }), "x.log:2:hit")
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/d/b` }), "[binary file, not searched]")
    }))

  it.effect("follows one rule of what is ignored, with and without a repository", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* tree(IGNORING)
      const found = ["keep.log", "nested/outer.txt", "plain.txt"]
      for (const each of ["with", "without"]) {
        if (each === "without") yield* fs.remove(`${path}/.git`, { recursive: true })
        assert.strictEqual(yield* grep({ pattern: "hit", path }), lines(...found.map((name) => `${name}:1:hit`)))
        assert.strictEqual((yield* call("glob", { pattern: "**", path })).output, lines(...found))
        // by a name each, and by patterns that ripgrep would let overrule the ignore files
        assert.strictEqual(yield* grep({ pattern: "hit", path, include: "*.log" }), "keep.log:1:hit")
        assert.strictEqual(yield* grep({ pattern: "hit", path, include: "{dist,nested}/**" }), "nested/outer.txt:1:hit")
      }
    }))

  it.effect("searches a path that is itself ignored or hidden, and never .git", () =>
    Effect.gen(function*() {
      const path = yield* tree(IGNORING)
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/dist` }), "a.js:1:hit")
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/.github` }), "ci.yml:1:hit")
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/.env` }), ".env:1:hit")
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/x.log` }), "x.log:1:hit")
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/nested` }), "outer.txt:1:hit")
      for (const git of [".git", ".git/config"]) {
        assert.match((yield* failure("grep", { pattern: "hit", path: `${path}/${git}` })).message, /\.git is never/)
      }
    }))

  it.effect("takes files by a glob", () =>
    Effect.gen(function*() {
      const path = yield* tree({ "a.ts": "hit", "b.js": "hit", "src/c.ts": "hit", "src/d/e.tsx": "hit", "-x": "hit" })
      const files = (include: string) =>
        Effect.map(grep({ pattern: "hit", path, include }), (output) =>
          output.split("\n").map((line) => line.split(":")[0]))
      assert.deepStrictEqual(yield* files("*.ts"), ["a.ts", "src/c.ts"])
      assert.deepStrictEqual(yield* files("**/*.{ts,tsx}"), ["a.ts", "src/c.ts", "src/d/e.tsx"])
      assert.deepStrictEqual(yield* files("src/*.ts"), ["src/c.ts"])
      assert.deepStrictEqual(yield* files("src/**/*.tsx"), ["src/d/e.tsx"])
      assert.deepStrictEqual(yield* files("[ab].?s"), ["a.ts", "b.js"])
      assert.deepStrictEqual(yield* files("-x"), ["-x"])
      assert.deepStrictEqual(yield* files("--pre=sh"), ["(no matches)"])
    }))

  it.effect("shows the lines around", () =>
    Effect.gen(function*() {
      const path = yield* tree({ a: "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n", b: "hit\nx" })
      assert.strictEqual(
        yield* grep({ pattern: "hit", path, context: 1 }),
        lines("a-2-2", "a:3:hit", "a-4-4", "--", "a-7-7", "a:8:hit", "a:9:hit", "--", "b:1:hit", "b-2-x")
      )
      assert.strictEqual(
        yield* grep({ pattern: "hit", path, context: 1, limit: 1 }),
        lines("a-2-2", "a:3:hit", "a-4-4", "[cut: the first 1 of 4 matches in 2 files are shown]")
      )
    }))

  it.effect("cuts, says so with the total, and holds the first ones", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 300 }, (_, index) => `d${index % 7}/f${String(index).padStart(3, "0")}`)
      const path = yield* tree(Object.fromEntries(names.map((name) => [name, "hit\nhit\nhit\n"])))
      const all = names.toSorted().flatMap((name) => [1, 2, 3].map((line) => `${name}:${line}:hit`))
      for (const limit of [1, 2, 3, 100, 899, 900, 5000]) {
        const result = yield* call("grep", { pattern: "hit", path, limit })
        const note = limit < 900 ? [`[cut: the first ${limit} of 900 matches in 300 files are shown]`] : []
        assert.strictEqual(result.output, lines(...all.slice(0, limit), ...note))
        assert.deepStrictEqual(result.metadata, { matches: 900, files: 300, shown: Math.min(900, limit) })
      }
    }))

  it.effect("cuts long lines, and says so", () =>
    Effect.gen(function*() {
      const path = yield* tree({ long: `hit${"é".repeat(3_000_000)}` })
      const output = yield* grep({ pattern: "hit", path })
      assert.isBelow(output.length, 1100)
      assert.match(output, /^long:1:hité+ \[\.\.\. omitted end of long line\]$/)
    }))

  it.effect("skips binary files, also those that turn out to be late", () =>
    Effect.gen(function*() {
      const path = yield* tree({
        early: "hit\n\0\nhit",
        late: `${"hit\n".repeat(50_000)}\0\nhit\n`,
        text: "hit",
        utf16: Buffer.from("\ufeffhit é", "utf16le"),
        latin1: Buffer.from("hit \xe9", "latin1")
      })
      for (let run = 0; run < 5; run++) {
        const { metadata, output } = yield* call("grep", { pattern: "hit", path })
        assert.strictEqual(output, lines("latin1:1:hit \ufffd", "text:1:hit", "utf16:1:hit é"))
        assert.deepStrictEqual(metadata, { matches: 3, files: 3, shown: 3 })
      }
      assert.strictEqual(yield* grep({ pattern: "hit", path: `${path}/late` }), "[binary file, not searched]")
    }))

  it.effect("shows where a pattern is wrong", () =>
    Effect.gen(function*() {
      const path = yield* tree({ a: "x" })
      for (
        const [pattern, message] of [
          ["(", /regex parse error:\n {4}\(\n {4}\^\nerror: unclosed group/],
          ["a[", /unclosed character class/],
          ["(?=a)", /look-around/],
          ["a\nb", /can't contain a line break/],
          ["\0", /can't contain NUL/],
          ["(\\w{1000}){1000}", /size limit/],
          ["a".repeat(20_000), /longer than 10000/]
        ] as const
      ) {
        const error = yield* Effect.flip(call("grep", { pattern, path }))
        assert.strictEqual(error._tag, "InvalidArguments")
        assert.match(error.message, message)
      }
    }))

  it.effect("takes a pattern that begins with a dash for a pattern", () =>
    Effect.gen(function*() {
      const path = yield* tree({ a: "--version\n-e\n" })
      assert.strictEqual(yield* grep({ pattern: "--version", path }), "a:1:--version")
      assert.strictEqual(yield* grep({ pattern: "-e", path }), "a:2:-e")
    }))

  it.effect("goes on where one file can't be read, and says so", () =>
    Effect.gen(function*() {
      const output = yield* grep({ pattern: "^Pid:", path: "/proc/self", include: "{status,clear_refs}" })
      assert.match(output, /^status:\d+:Pid:\s+\d+$/m)
      assert.match(output, /\[not searched: .*clear_refs: .*\]$/)
    }))

  it.effect("says what is wrong with a path", () =>
    Effect.gen(function*() {
      assert.match((yield* failure("grep", { pattern: "a", path: "/does/not/exist" })).message, /doesn't exist/)
      assert.match((yield* failure("grep", { pattern: "a", path: "/dev/null" })).message, /neither a folder nor a file/)
      assert.match((yield* failure("grep", { pattern: "a", path: "a\0b" })).message, /NUL/)
    }))
})

layer(builtins({ limits: { output: 1000 } }), { excludeTestServices: true })("grep's limits", (it) => {
  it.effect("hold the text of an answer", () =>
    Effect.gen(function*() {
      const path = yield* tree({ a: `${"hit ".repeat(10)}\n`.repeat(100), b: "hit\n".repeat(1000) })
      const output = yield* grep({ pattern: "hit", path, limit: 10_000 })
      assert.isBelow(output.length, 1100)
      assert.match(output, /\n\[cut: the first \d+ of 1100 matches in 2 files are shown\]$/)
    }))
})

const without = (...commands: ReadonlyArray<string>) =>
  Layer.provide(builtins(true), Layer.succeed(Ripgrep, Effect.succeed(commands)))

layer(without("/does/not/exist/rg", "rg-that-is-not-there"), { excludeTestServices: true })("without ripgrep", (it) => {
  it.effect("grep and glob say what to install", () =>
    Effect.gen(function*() {
      for (const name of ["grep", "glob"]) {
        const error = yield* Effect.flip(call(name, { pattern: "a" }))
        assert.strictEqual(error._tag, "ToolUnavailable")
        assert.match(error.message, /"@vscode\/ripgrep".*PATH/)
      }
    }))
})
