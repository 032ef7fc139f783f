/** Changes of files that meet each other, that fail half-way, and whose process is killed. */
import { BuiltinSource } from "@effect-toolnexus/builtins"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import * as References from "effect/References"
import * as Result from "effect/Result"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { builtins, call, failure, folder, platform } from "./harness.ts"
import { below, pick, seeded } from "./randomText.ts"

const bytesBelow = Effect.fnUntraced(function*(root: string) {
  const fs = yield* FileSystem.FileSystem
  const names = (yield* fs.readDirectory(root, { recursive: true })).toSorted()
  const found: Record<string, string> = {}
  for (const name of names) {
    const { mode, type } = yield* fs.stat(`${root}/${name}`)
    found[name] = type === "File" ? `${mode & 0o777} ${yield* fs.readFileString(`${root}/${name}`)}` : type
  }
  return found
})

describe("calls for one file at once", () => {
  it.live("lose nothing, by whatever name and tool the file is called", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      for (let seed = 0; seed < 10; seed++) {
        const random = seeded(seed)
        const root = yield* folder
        yield* fs.makeDirectory(`${root}/d`)
        yield* fs.symlink("../f", `${root}/d/link`)
        yield* fs.symlink(".", `${root}/self`)
        const names = Array.from({ length: 50 }, (_, index) => `line ${index}.`)
        yield* fs.writeFileString(`${root}/f`, names.map((name) => `${name}\n`).join(""))
        const aliases = ["f", "./f", "d/../f", "d/link", "self/f", "self/self/d/link", `${root}/f`] as const
        yield* Effect.forEach(
          names.toSorted(() => random() - 0.5),
          (name) => {
            const path = pick(random, aliases)
            return random() < 0.5
              ? call("edit", { path, oldString: name, newString: `new ${name}` })
              : call("apply_patch", {
                patchText: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${name}\n+new ${name}\n*** End Patch`
              })
          },
          { concurrency: "unbounded" }
        ).pipe(Effect.provide(builtins({ root })))
        assert.strictEqual(yield* fs.readFileString(`${root}/f`), names.map((name) => `new ${name}\n`).join(""))
        assert.deepStrictEqual((yield* fs.readDirectory(root)).toSorted(), ["d", "f", "self"])
      }
    }).pipe(Effect.provide(platform)))
})

/** The operations that change something. From the `from`th on they fail, `times` times. */
const failing = (fs: FileSystem.FileSystem, from: number, times: number): FileSystem.FileSystem => {
  let count = 0
  const fails = <A>(effect: Effect.Effect<A, PlatformError.PlatformError>) =>
    Effect.suspend(() => {
      count++
      return count >= from && count < from + times
        ? Effect.fail(PlatformError.systemError({ _tag: "WriteZero", module: "FileSystem", method: "test" }))
        : effect
    })
  return {
    ...fs,
    chmod: (...args) => fails(fs.chmod(...args)),
    copyFile: (...args) => fails(fs.copyFile(...args)),
    link: (...args) => fails(fs.link(...args)),
    makeDirectory: (...args) => fails(fs.makeDirectory(...args)),
    remove: (...args) => fails(fs.remove(...args)),
    rename: (...args) => fails(fs.rename(...args)),
    // as on a full disk: half of it is written
    writeFile: (path, data, options) =>
      Effect.suspend(() => {
        count++
        const isHalf = count >= from && count < from + times
        return isHalf
          ? Effect.andThen(
            fs.writeFile(path, data.subarray(0, data.length >> 1), options),
            Effect.fail(PlatformError.systemError({ _tag: "WriteZero", module: "FileSystem", method: "test" }))
          )
          : fs.writeFile(path, data, options)
      })
  }
}

const SECTIONS = [
  "*** Update File: u1\n@@\n-one\n+ONE",
  "*** Update File: u2\n*** Move to: deep/er/u2\n@@\n-one\n+ONE",
  "*** Update File: u3\n*** Move to: u4",
  "*** Add File: n1\n+new",
  "*** Add File: deep/n2\n+new",
  "*** Add File: u5\n+replaced",
  "*** Delete File: u6",
  "*** Delete File: u7\n*** Add File: u7\n+again"
] as const

const patchOf = (seed: number) => {
  const random = seeded(seed)
  const chosen = SECTIONS.filter(() => random() < 0.6).toSorted(() => random() - 0.5)
  const isWrong = random() < 0.2
  return ["*** Begin Patch", ...chosen, ...(isWrong ? ["*** Delete File: none"] : []), "*** End Patch"].join("\n")
}

const makeFiles = Effect.fnUntraced(function*() {
  const fs = yield* FileSystem.FileSystem
  const root = yield* folder
  for (let index = 1; index < 8; index++) {
    yield* fs.writeFileString(`${root}/u${index}`, `one\n${index}\n`)
    yield* fs.chmod(`${root}/u${index}`, index % 2 === 0 ? 0o600 : 0o755)
  }
  return root
})

describe("a patch that fails half-way", () => {
  it.live("takes nothing of what others put into the folders that it made", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* folder
      yield* fs.writeFileString(`${root}/f`, "one")
      const putting: FileSystem.FileSystem = {
        ...fs,
        rename: (from, to) =>
          to === `${root}/f`
            ? Effect.fail(PlatformError.systemError({ _tag: "WriteZero", module: "FileSystem", method: "test" }))
            : fs.rename(from, to),
        readDirectory: (path, options) =>
          // right after it was looked at
          Effect.tap(
            fs.readDirectory(path, options),
            () => Effect.ignore(fs.writeFileString(`${root}/new/theirs`, "theirs", { flag: "wx" }))
          )
      }
      const { message } = yield* failure("apply_patch", {
        patchText: "*** Begin Patch\n*** Add File: new/n\n+new\n*** Update File: f\n@@\n-one\n+ONE\n*** End Patch"
      }).pipe(
        Effect.provide(BuiltinSource.layer({ root })),
        Effect.provideService(FileSystem.FileSystem, putting)
      )
      assert.match(message, /^f can't be written/)
      assert.deepStrictEqual(yield* fs.readDirectory(root, { recursive: true }), ["f", "new", "new/theirs"])
    }).pipe(Effect.provide(platform)))

  it.live(
    "leaves every byte as it was, at whatever operation it fails",
    () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        let failures = 0
        let successes = 0
        for (let seed = 0; seed < 25; seed++) {
          const patchText = patchOf(seed)
          for (let from = 1; from < 40; from++) {
            const root = yield* makeFiles()
            const before = yield* bytesBelow(root)
            const times = 1 + below(seeded(seed * 100 + from), 2)
            const result = yield* Effect.result(call("apply_patch", { patchText })).pipe(
              Effect.provide(BuiltinSource.layer({ root })),
              Effect.provideService(FileSystem.FileSystem, failing(fs, from, times)),
              Effect.provideService(References.MinimumLogLevel, "None")
            )
            const after = yield* bytesBelow(root)
            const label = `seed ${seed}, operation ${from}`
            if (Result.isSuccess(result)) {
              successes++
              // what couldn't be tidied up may lie about, and nothing else
              const left = Object.keys(after).filter((name) => !name.includes(".toolnexus-"))
              assert.isAtMost(Object.keys(after).length - left.length, times, label)
              break
            }
            failures++
            const strange = Object.keys(after).filter((name) => !Object.hasOwn(before, name))
            // a temporary file whose removal is what failed, or a folder
            assert.isAtMost(strange.filter((name) => !/\.toolnexus-|^deep/.test(name)).length, 0, label)
            for (const [name, content] of Object.entries(before)) assert.strictEqual(after[name], content, label)
          }
        }
        assert.isAbove(failures, 100)
        assert.isAbove(successes, 5)
      }).pipe(Effect.provide(platform)),
    120_000
  )

  it.live("that can't be undone either says where the old file is", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeFiles()
      let renames = 0
      const broken: FileSystem.FileSystem = {
        ...fs,
        rename: (from, to) => {
          renames++
          return renames === 1
            ? fs.rename(from, to)
            : Effect.fail(PlatformError.systemError({ _tag: "Busy", module: "FileSystem", method: "rename" }))
        },
        copyFile: () =>
          Effect.fail(PlatformError.systemError({ _tag: "Busy", module: "FileSystem", method: "copyFile" }))
      }
      const patchText =
        "*** Begin Patch\n*** Update File: u1\n@@\n-one\n+ONE\n*** Update File: u2\n@@\n-one\n+ONE\n*** End Patch"
      const error = yield* Effect.flip(call("apply_patch", { patchText })).pipe(
        Effect.provide(BuiltinSource.layer({ root })),
        Effect.provideService(FileSystem.FileSystem, broken)
      )
      const [, backup = ""] =
        /^u2 can't be written \(Busy\); u1 could not be put back as it was \(Busy\), the old file is (\S+)$/.exec(
          error.message
        ) ?? []
      assert.strictEqual(yield* fs.readFileString(backup), "one\n1\n")
    }).pipe(Effect.provide(platform)))
})

describe("a process that is killed", () => {
  it.live(
    "never leaves a file half-written, in 500 writes",
    () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const root = yield* folder
        const random = seeded(Number(process.env["SEED"] ?? 1))
        const size = 500_000
        const files = Array.from({ length: 16 }, (_, index) => `f${index}`)
        for (const file of files) yield* fs.writeFileString(`${root}/${file}`, "0".repeat(size))
        const writer = new URL("writer.ts", import.meta.url).pathname
        let writes = 0
        let kills = 0
        while (writes < 500) {
          const child = spawn(process.execPath, [writer, root, files.join(","), String(size)], {
            stdio: ["ignore", "pipe", "inherit"]
          })
          const wanted = 20 + below(random, 40)
          let said = 0
          const enough = new Promise<void>((resolve) => {
            child.stdout.on("data", (bytes: Buffer) => {
              said += bytes.length
              if (said >= wanted) resolve()
            })
          })
          yield* Effect.promise(() => enough)
          // in the midst of several writes, each as far as it happens to be
          yield* Effect.sleep(below(random, 30))
          child.kill("SIGKILL")
          yield* Effect.promise(() => once(child, "close"))
          writes += said
          kills++
          for (const name of yield* fs.readDirectory(root)) {
            if (!files.includes(name)) {
              // what the killed process was at
              yield* fs.remove(`${root}/${name}`)
              continue
            }
            const text = yield* fs.readFileString(`${root}/${name}`)
            assert.strictEqual(text.length, size)
            assert.isTrue(text === (text[0] ?? "").repeat(size))
          }
        }
        assert.isAbove(kills, 5)
      }).pipe(Effect.provide(platform)),
    240_000
  )
})
