/** Changes of large files: what they cost must not grow with the product of file and patch. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { file } from "./files.ts"
import { builtins, call, failure, folder } from "./harness.ts"

const linesOf = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `${line(index)}\n`).join("")

const textOf = (path: string) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path))

const patch = (path: string, hunks: string) => ({
  patchText: `*** Begin Patch\n*** Update File: ${path}\n${hunks}*** End Patch`
})

layer(builtins(true), { excludeTestServices: true })("a change of a large file", (it) => {
  it.effect("takes a hunk of 100,000 lines", () =>
    Effect.gen(function*() {
      const path = yield* file(linesOf(100_000, (index) => `line ${index}`))
      const hunk = linesOf(100_000, (index) => `-line ${index}`) + linesOf(100_000, (index) => `+LINE ${index}`)
      yield* call("apply_patch", patch(path, hunk))
      assert.isTrue((yield* textOf(path)) === linesOf(100_000, (index) => `LINE ${index}`))
    }))

  it.effect("takes thousands of hunks whose lines all are a little different, and lets others go on", () =>
    Effect.gen(function*() {
      const path = yield* file(linesOf(50_000, (index) => `line “${index}”`))
      let turns = 0
      const timer = setInterval(() => turns++, 1)
      const hunks = linesOf(2000, (index) => `@@\n-line "${index * 25}"\n+${index}`)
      const { output } = yield* call("apply_patch", patch(path, hunks))
      clearInterval(timer)
      assert.include(output, "lines there differed in quotes, dashes or blanks")
      const expected = linesOf(50_000, (index) => index % 25 === 0 ? String(index / 25) : `line “${index}”`)
      assert.isTrue((yield* textOf(path)) === expected)
      assert.isAbove(turns, 10)
    }))

  it.effect("names so many files and no more", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const sections = linesOf(250, (index) => `*** Add File: ${path}/${index}\n+${index}`)
      const { metadata, output } = yield* call("apply_patch", {
        patchText: `*** Begin Patch\n${sections}*** End Patch`
      })
      assert.strictEqual(output.split("\n").length, 202)
      assert.match(output, /\nadded \S+\/199\nand 50 more$/)
      assert.lengthOf(Array.isArray(metadata?.["files"]) ? metadata["files"] : [], 250)
      assert.strictEqual(yield* textOf(`${path}/249`), "249\n")
    }))

  it.effect("prefers what stands below also when it looks at what stands where", () =>
    Effect.gen(function*() {
      // each line stands twice: the second half of the hunks has to find the second ones
      const path = yield* file(linesOf(200, (index) => `l${index % 100}`))
      const hunks = linesOf(200, (index) => `@@\n-l${index % 100}\n+n${index}`)
      yield* call("apply_patch", patch(path, hunks))
      assert.strictEqual(yield* textOf(path), linesOf(200, (index) => `n${index}`))
    }))

  it.effect("isn't worked out line by line for a file that is nothing but line ends", () =>
    Effect.gen(function*() {
      const path = yield* file(`${"\n".repeat(600_000)}end`)
      assert.strictEqual(
        (yield* failure("apply_patch", patch(path, "-x\n+y\n"))).message,
        `${path} has more than 500000 lines, too many for a patch: change it by edit`
      )
      assert.strictEqual(
        (yield* failure("edit", { path, oldString: "x", newString: "y" })).message,
        `${path} doesn't have the exact text, and has more than 500000 lines, too many to look for one that is like it`
      )
      yield* call("edit", { path, oldString: "end", newString: "END" })
      assert.isTrue((yield* textOf(path)).endsWith("\nEND"))
    }))

  it.effect("replaces only so many places at once", () =>
    Effect.gen(function*() {
      const path = yield* file("x".repeat(500_001))
      const edit = (replaceAll: boolean) => ({ path, oldString: "x", newString: "y", replaceAll })
      assert.strictEqual(
        (yield* failure("edit", edit(true))).message,
        `${path} has the text more than 500000 times, too many to be replaced by one edit`
      )
      assert.match((yield* failure("edit", edit(false))).message, /has the text more than 500000 times, at lines 1, 1,/)
      yield* call("edit", { path, oldString: "xx", newString: "y", replaceAll: true })
      assert.isTrue((yield* textOf(path)) === `${"y".repeat(250_000)}x`)
    }))

  it.effect("isn't held against a large text by indentation in more places than tell that it isn't one", () =>
    Effect.gen(function*() {
      const path = yield* file("  x\n".repeat(200_000))
      const started = process.cpuUsage()
      const { message } = yield* failure("edit", { path, oldString: "\tx\n".repeat(100_000), newString: "y" })
      const { system, user } = process.cpuUsage(started)
      assert.match(message, /several places differ from it only in indentation, at lines 1, 2/)
      assert.isBelow((system + user) / 1000, 2500, "ms")
    }))

  it.effect("isn't looked through for other line ends either where it has too many lines", () =>
    Effect.gen(function*() {
      const path = yield* file(`${"a\r\n".repeat(600_000)}b`)
      assert.match(
        (yield* failure("edit", { path, oldString: "a\nb", newString: "c" })).message,
        /doesn't have the exact text, and has more than 500000 lines/
      )
    }))
})

layer(builtins({ limits: { file: 1000 } }), { excludeTestServices: true })("a patch of many large files", (it) => {
  it.effect("takes only so many of them at once, and changes none of more", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* folder
      for (let index = 0; index < 20; index++) yield* fs.writeFileString(`${path}/${index}`, "x".repeat(1000))
      const deleting = (count: number) => ({
        patchText: `*** Begin Patch\n${linesOf(count, (index) => `*** Delete File: ${path}/${index}`)}*** End Patch`
      })
      assert.strictEqual(
        (yield* failure("apply_patch", deleting(17))).message,
        `${path}/16 is too much for one patch: its files have more than 16000 bytes together; apply it in parts`
      )
      assert.lengthOf(yield* fs.readDirectory(path), 20)
      yield* call("apply_patch", deleting(16))
      assert.lengthOf(yield* fs.readDirectory(path), 4)
    }))
})
