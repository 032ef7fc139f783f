import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { builtins, call, failure, folder, platform, tool } from "./harness.ts"

const inRoot = <A, E, R>(body: (root: string) => Effect.Effect<A, E, R>, options = {}) =>
  Effect.gen(function*() {
    const root = yield* folder
    return yield* Effect.provide(body(root), builtins({ root, ...options }))
  }).pipe(Effect.provide(platform))

const text = (path: string) =>
  FileSystem.FileSystem.use((fs) => fs.readFile(path)).pipe(
    Effect.map((bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))
  )

describe("write", () => {
  it.live("describes itself truthfully", () =>
    Effect.gen(function*() {
      const { annotations, inputSchema } = yield* tool("write")
      assert.deepStrictEqual(inputSchema["required"], ["path", "content"])
      assert.strictEqual(annotations?.destructiveHint, true)
      assert.strictEqual(annotations?.idempotentHint, true)
    }).pipe(Effect.provide(builtins(true))))

  it.live("makes a file and its folders, and says how many bytes it has", () =>
    inRoot((root) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const { metadata, output } = yield* call("write", { path: "a/b/日", content: "é\n" })
        assert.strictEqual(output, "Created a/b/日: 3 bytes written")
        assert.strictEqual((yield* call("write", { path: "one", content: "1" })).output, "Created one: 1 byte written")
        assert.strictEqual(metadata?.["created"], true)
        assert.strictEqual(metadata?.["bytes"], 3)
        assert.strictEqual(yield* text(`${root}/a/b/日`), "é\n")
        assert.deepStrictEqual(yield* fs.readDirectory(`${root}/a/b`), ["日"])
        assert.match((yield* call("write", { path: "empty", content: "" })).output, /0 bytes/)
      })
    ))

  it.live("keeps the mode, a link, a byte order mark, CRLF and UTF-16", () =>
    inRoot((root) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${root}/run`, "old")
        yield* fs.chmod(`${root}/run`, 0o751)
        yield* fs.symlink("run", `${root}/link`)
        yield* call("write", { path: "link", content: "new" })
        assert.strictEqual(yield* text(`${root}/run`), "new")
        assert.strictEqual((yield* fs.stat(`${root}/run`)).mode & 0o777, 0o751)
        assert.strictEqual(yield* fs.readLink(`${root}/link`), "run")

        yield* fs.symlink("made/by/link", `${root}/dangling`)
        yield* call("write", { path: "dangling", content: "x" })
        assert.strictEqual(yield* text(`${root}/made/by/link`), "x")

        yield* fs.writeFileString(`${root}/bom`, "\uFEFFa\r\nb\r\n")
        const { output } = yield* call("write", { path: "bom", content: "c\nd\n" })
        assert.strictEqual(yield* text(`${root}/bom`), "\uFEFFc\r\nd\r\n")
        assert.match(output, /: 9 bytes written; CRLF line ends kept as before/)
        yield* call("write", { path: "bom", content: "\uFEFFc\r\nd\n" })
        assert.strictEqual(yield* text(`${root}/bom`), "\uFEFFc\r\nd\n")

        yield* fs.writeFile(`${root}/wide`, Uint8Array.of(0xff, 0xfe, 0x61, 0))
        yield* call("write", { path: "wide", content: "b" })
        assert.deepStrictEqual(yield* fs.readFile(`${root}/wide`), Uint8Array.of(0xff, 0xfe, 0x62, 0))

        yield* fs.writeFile(`${root}/binary`, Uint8Array.of(0, 1, 2, 255))
        yield* call("write", { path: "binary", content: "b\n" })
        assert.strictEqual(yield* text(`${root}/binary`), "b\n")
      })
    ))

  it.live("refuses what is no file, what is outside, and everything where nothing may be changed", () =>
    inRoot((root) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        yield* fs.makeDirectory(`${root}/d`)
        yield* fs.writeFileString(`${root}/f`, "f")
        const refused = (path: string) => Effect.map(failure("write", { path, content: "x" }), ({ message }) => message)
        assert.match(yield* refused("d"), /no file but a directory/)
        assert.match(yield* refused("f/x"), /no directory/)
        assert.match(yield* refused("f/x/y"), /no directory/)
        assert.match(yield* refused("../x"), /outside the root/)
        assert.match(yield* refused("x".repeat(300)), /the name is too long/)
        assert.deepStrictEqual((yield* fs.readDirectory(root)).toSorted(), ["d", "f"])
      })
    ))

  it.live("isn't there in a workspace that is read-only", () =>
    inRoot(() =>
      Effect.gen(function*() {
        for (const name of ["write", "edit", "apply_patch", "bash"]) {
          assert.isTrue((yield* Effect.exit(tool(name)))._tag === "Failure", name)
        }
        yield* tool("read")
      }), { readOnly: true }))
})

describe("the stale guard", () => {
  const outside = (path: string, content: string) =>
    FileSystem.FileSystem.use((fs) => fs.writeFileString(path, content))

  const attempts = [
    ["write", { path: "f", content: "mine" }],
    ["edit", { path: "f", oldString: "b", newString: "c" }],
    ["apply_patch", { patchText: "*** Begin Patch\n*** Update File: ./f\n@@\n-b\n+c\n*** End Patch" }],
    ["apply_patch", { patchText: "*** Begin Patch\n*** Delete File: f\n*** End Patch" }],
    ["apply_patch", { patchText: "*** Begin Patch\n*** Add File: f\n+x\n*** End Patch" }]
  ] as const

  it.live("leaves a file alone that has changed since it was read, until it is read again", () =>
    inRoot((root) =>
      Effect.gen(function*() {
        for (const [name, args] of attempts) {
          yield* outside(`${root}/f`, "a\n")
          yield* call("read", { path: "f" })
          // as long as before, in the same moment
          yield* outside(`${root}/f`, "b\n")
          assert.match((yield* failure(name, args)).message, /f has changed since it was last read.*read it again/)
          assert.strictEqual(yield* text(`${root}/f`), "b\n")
          yield* call("read", { path: "f" })
          yield* call(name, args)
        }
      })
    ))

  it.live("knows the session's own changes, and by default nothing of files that weren't read", () =>
    inRoot((root) =>
      Effect.gen(function*() {
        yield* outside(`${root}/f`, "a\n")
        yield* call("read", { path: "f" })
        yield* call("write", { path: "f", content: "b\n" })
        yield* call("edit", { path: "f", oldString: "b", newString: "c" })
        yield* call("edit", { path: "f", oldString: "c", newString: "d" })
        yield* call("write", { path: "g", content: "a\n" })
        yield* outside(`${root}/g`, "b\n")
        yield* call("edit", { path: "g", oldString: "b", newString: "c" })
      })
    ))

  it.live("guards what was only written where that is asked for, and nothing where it is switched off", () =>
    Effect.gen(function*() {
      yield* inRoot((root) =>
        Effect.gen(function*() {
          yield* call("write", { path: "g", content: "a\n" })
          yield* outside(`${root}/g`, "b\n")
          assert.match((yield* failure("edit", { path: "g", oldString: "b", newString: "c" })).message, /read it again/)
        }), { staleGuard: true })
      yield* inRoot((root) =>
        Effect.gen(function*() {
          yield* outside(`${root}/f`, "a\n")
          yield* call("read", { path: "f" })
          yield* outside(`${root}/f`, "b\n")
          yield* call("edit", { path: "f", oldString: "b", newString: "c" })
        }), { staleGuard: false })
    }))
})
