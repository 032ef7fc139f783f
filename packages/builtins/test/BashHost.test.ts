import { BuiltinSource } from "@effect-toolnexus/builtins"
import { Environment, type Json, ToolCall } from "@effect-toolnexus/core"
import { NothingLeft } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import { builtins, call, failure, folder, platform, tool } from "./harness.ts"

const length = (text: string) => new TextEncoder().encode(text).length

describe("the environment of bash", () => {
  const variables = {
    PATH: process.env["PATH"],
    HOME: "/home/h",
    LC_TIME: "C",
    SECRET_TOKEN: "s3cr3t",
    CI: "yes",
    NODE_OPTIONS: "--inspect"
  }
  const printed = (options: Parameters<typeof builtins>[0]) =>
    Effect.map(call("bash", { command: "env; set" }), ({ output }) => output).pipe(
      Effect.provide(builtins(options)),
      Effect.provideService(Environment, variables)
    )

  it.live("has the base list and nothing else of the host", () =>
    Effect.gen(function*() {
      const output = yield* printed(true)
      assert.match(output, /^HOME=\/home\/h$/m)
      assert.match(output, /^LC_TIME=C$/m)
      assert.notMatch(output, /s3cr3t|SECRET_TOKEN|NODE_OPTIONS|^CI=/m)
    }))

  it.live("has what the host names", () =>
    Effect.gen(function*() {
      const output = yield* printed({ bash: { env: ["CI", "NOT_SET"] } })
      assert.match(output, /^CI=yes$/m)
      assert.notMatch(output, /s3cr3t|NOT_SET/)
    }))

  it.live("falls back on sh, and says so when there is no shell at all", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* folder
      const inPath = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        effect.pipe(Effect.provide(builtins(true)), Effect.provideService(Environment, { PATH: directory }))
      const none = yield* inPath(failure("bash", { command: "echo hi" }))
      assert.strictEqual(none.message, "there is neither bash nor sh on the PATH")
      yield* fs.symlink("/bin/sh", `${directory}/sh`)
      const result = yield* inPath(call("bash", { command: "echo $0; echo err >&2" }))
      assert.strictEqual(result.output, "sh\nerr\n")
    }).pipe(Effect.provide(builtins(true))))
})

it.live("bash leaves nothing behind, whatever it ran", () =>
  NothingLeft.assertNothingLeft(
    Effect.gen(function*() {
      yield* call("bash", { command: "sleep 60 & echo hi" })
      yield* failure("bash", { command: "sleep 60", timeout: 50 })
      yield* failure("bash", { command: "sleep 60 & exit 1" })
      yield* Effect.timeoutOption(call("bash", { command: "sleep 60 | sleep 60" }), 100)
    }).pipe(Effect.provide(builtins(true)))
  ))

describe("the output limit of bash", () => {
  it.live("keeps both ends, never cuts a character, and counts right", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const text = "aé日😀".repeat(300)
      const file = `${yield* folder}/text`
      yield* fs.writeFileString(file, text)
      for (const limit of [1, 2, 3, 4, 5, 6, 7, 8, 31, 32, 33, 2999, length(text) - 1]) {
        const { output } = yield* Effect.provide(
          call("bash", { command: `cat ${file}` }),
          builtins({ limits: { output: limit } })
        )
        const [, head = "", cut = "", total = "", rest = ""] =
          /^([^]*)\n\[\.\.\. (\d+) of (\d+) bytes left out \.\.\.\]\n([^]*)$/.exec(output) ?? []
        const tail = rest.replace(/\n?\[the whole output, \d+ bytes, is in [^\n]+\]$/, "")
        assert.isTrue(text.startsWith(head) && text.endsWith(tail), `limit ${limit}`)
        assert.strictEqual(Number(total), length(text))
        assert.strictEqual(Number(cut), length(text) - length(head) - length(tail))
        assert.isAtMost(length(head) + length(tail), limit)
      }
      const whole = builtins({ limits: { output: length(text) } })
      assert.strictEqual((yield* Effect.provide(call("bash", { command: `cat ${file}` }), whole)).output, text)
    }).pipe(Effect.provide(builtins(true))))
})

describe("the whole output of bash", () => {
  /** More than is shown. */
  const run = Effect.map(call("bash", { command: "seq 1 100" }), ({ output }) => output)
  const on = (disk: FileSystem.FileSystem) => <A, E, R>(calls: Effect.Effect<A, E, R>) =>
    calls.pipe(
      Effect.provide(BuiltinSource.layer({ limits: { output: 20 } })),
      Effect.provideService(FileSystem.FileSystem, disk)
    )

  const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("")

  it.live("is in a file that read opens under a root, and that is gone when the toolkit closes", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* folder
      const path = yield* Effect.gen(function*() {
        const { metadata, output } = yield* call("bash", { command: "seq 1 30000" })
        const [, bytes, file = ""] = /\n\[the whole output, (\d+) bytes, is in (\S+)\]$/.exec(output) ?? []
        const whole = lines(30_000)
        assert.strictEqual(Number(bytes), whole.length)
        assert.deepStrictEqual(metadata?.["outputFile"], { path: file, bytes: whole.length })
        assert.strictEqual(yield* fs.readFileString(file), whole)
        assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
        const window = yield* call("read", { path: file, offset: 15_000, limit: 2 })
        assert.match(window.output, /^15000\n15001\n\(14999 more lines; offset=15002\)/)
        for (
          const [name, args] of [["write", { path: file, content: "" }], ["read", { path: "/etc/passwd" }]] as const
        ) {
          assert.match((yield* failure(name, args)).message, /outside the root/)
        }
        // another file of the folder isn't shared
        assert.match((yield* failure("read", { path: `${file}x` })).message, /outside the root/)
        return file
      }).pipe(Effect.provide(builtins({ root })))
      assert.isFalse(yield* fs.exists(path))
      assert.isFalse(yield* fs.exists(path.replace(/\/[^/]+$/, "")))
    }).pipe(Effect.provide(builtins(true))))

  it.live("is kept of a command that fails or is stopped, and of the latest ones only", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const fileOf = (command: string, timeout = 60_000) =>
        Effect.map(failure("bash", { command, timeout }), ({ result }) =>
          /is in (\S+)\]\n\[/.exec(result?.output ?? "")?.[1] ?? "")
      yield* Effect.gen(function*() {
        const first = yield* fileOf("seq 1 100; exit 1")
        assert.strictEqual(yield* fs.readFileString(first), lines(100))
        const stopped = yield* fileOf("seq 1 200; sleep 60", 300)
        assert.strictEqual(yield* fs.readFileString(stopped), lines(200))
        for (let index = 0; index < 15; index++) {
          yield* fileOf("seq 1 100; exit 1")
        }
        assert.isFalse(yield* fs.exists(first))
        assert.match((yield* failure("read", { path: first })).message, /doesn't exist/)
        assert.isTrue(yield* fs.exists(stopped))
      }).pipe(Effect.provide(builtins({ limits: { output: 50 } })))
    }).pipe(Effect.provide(builtins(true))))

  it.live("that can't be written is said to be lost, and the rest is answered all the same", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const full = {
        ...fs,
        makeTempDirectoryScoped: () =>
          Effect.fail(PlatformError.systemError({ _tag: "PermissionDenied", module: "FileSystem", method: "mkdtemp" }))
      }
      const output = yield* run.pipe(on(full))
      assert.match(
        output,
        /^1\n2\n.*100\n\[the whole output is lost: it can't be written to a file \(permission denied\)\]$/s
      )
    }).pipe(Effect.provide(platform)))

  it.live("is there again when the disk is", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      let isFull = true
      const filling: FileSystem.FileSystem = {
        ...fs,
        makeTempDirectoryScoped: (options) =>
          Effect.suspend(() =>
            isFull
              ? Effect.fail(PlatformError.systemError({ _tag: "WriteZero", module: "FileSystem", method: "mkdtemp" }))
              : fs.makeTempDirectoryScoped(options)
          )
      }
      yield* Effect.gen(function*() {
        assert.match(yield* run, /the whole output is lost/)
        isFull = false
        assert.match(yield* run, /the whole output, 292 bytes, is in \S+\]$/)
      }).pipe(on(filling))
    }).pipe(Effect.provide(platform)))

  it.live("that can't be written costs no other its place", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      let isFull = false
      const filling: FileSystem.FileSystem = {
        ...fs,
        open: (...args) =>
          isFull
            ? Effect.fail(PlatformError.systemError({ _tag: "WriteZero", module: "FileSystem", method: "open" }))
            : fs.open(...args)
      }
      yield* Effect.gen(function*() {
        const [, first = ""] = /is in (\S+)\]$/.exec(yield* run) ?? []
        isFull = true
        for (let index = 0; index < 20; index++) assert.match(yield* run, /the whole output is lost/)
        isFull = false
        yield* run
        assert.isTrue(yield* fs.exists(first))
      }).pipe(on(filling))
    }).pipe(Effect.provide(platform)))

  it.live("is whole also where the disk it goes to is slow", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const slow: FileSystem.FileSystem = {
        ...fs,
        open: (...args) =>
          Effect.map(fs.open(...args), (file) => ({
            ...file,
            writeAll: (bytes) => Effect.andThen(Effect.sleep(300), file.writeAll(bytes))
          }))
      }
      const { metadata, output } = yield* call("bash", { command: "seq 1 30000; echo the end" }).pipe(
        Effect.provide(BuiltinSource.layer(true)),
        Effect.provideService(FileSystem.FileSystem, slow)
      )
      assert.match(output, /\n30000\nthe end\n\[the whole output, 168902 bytes, is in \S+\]$/)
      assert.strictEqual(metadata?.["bytes"], 168_902)
    }).pipe(Effect.provide(platform)))
})

describe("an answer of bash as long as a file would be", () => {
  it.live("has no file beside it", () =>
    Effect.gen(function*() {
      const { metadata, output } = yield* call("bash", { command: "head -c 50000100 /dev/zero | tr '\\0' x" })
      assert.match(output.replaceAll("x", ""), /^\n\[... 100 of 50000100 bytes left out ...\]\n$/)
      assert.notProperty(metadata, "outputFile")
    }).pipe(Effect.provide(builtins({ limits: { output: 50_000_000 } }))))
})

describe("the progress of bash", () => {
  const reports = Effect.fnUntraced(function*(args: Json.JsonObject, timeout: number) {
    const told: Array<ToolCall.Progress> = []
    const { handler } = yield* tool("bash")
    const onProgress = (progress: ToolCall.Progress) => Effect.sync(() => void told.push(progress))
    const exit = yield* Effect.timeoutOption(
      Effect.exit(handler(args, ToolCall.make("bash", "call-1", { onProgress }))),
      timeout
    )
    return { told, exit }
  })

  it.live("is what has arrived, as it arrives", () =>
    Effect.gen(function*() {
      const { told } = yield* reports({ command: "for i in 1 2 3; do echo line $i; sleep 0.6; done" }, 30_000)
      assert.isAtLeast(told.length, 2)
      assert.isTrue("line 1\nline 2\nline 3\n".startsWith(told.map(({ message }) => message).join("")))
      assert.deepStrictEqual(
        told.map(({ progress }) => progress),
        told.map(({ progress }) => progress).toSorted((left, right) => left - right)
      )
    }).pipe(Effect.provide(builtins(true))))

  it.live("has the last words of a command whose call is interrupted, and no more of a flood than its end", () =>
    Effect.gen(function*() {
      const quiet = yield* reports({ command: "echo before; sleep 60" }, 1000)
      assert.strictEqual(quiet.exit._tag, "None")
      assert.strictEqual(
        quiet.told.map(({ message }) => message).join(""),
        "before\n\n[interrupted; the command was stopped]"
      )
      // of what is stopped in the middle of a character that one never comes whole
      const cut = /\uFFFD(?=\n\[interrupted; the command was stopped\]$)/
      const half = yield* reports({ command: "printf '\\346\\227'; sleep 60" }, 1000)
      assert.match(half.told.map(({ message }) => message).join(""), cut)
      const flood = yield* reports({ command: "yes 日本" }, 1000)
      for (const { message = "" } of flood.told) {
        assert.isAtMost(message.length, 4200)
        assert.notInclude(message.replace(cut, ""), "\uFFFD")
      }
    }).pipe(Effect.provide(builtins(true))))
})
