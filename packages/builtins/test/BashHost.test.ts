import { Environment } from "@effect-toolnexus/core"
import { NothingLeft } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { builtins, call, failure, folder } from "./harness.ts"

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
        const [, head = "", cut = "", total = "", tail = ""] =
          /^([^]*)\n\[\.\.\. (\d+) of (\d+) bytes left out \.\.\.\]\n([^]*)$/.exec(output) ?? []
        assert.isTrue(text.startsWith(head) && text.endsWith(tail), `limit ${limit}`)
        assert.strictEqual(Number(total), length(text))
        assert.strictEqual(Number(cut), length(text) - length(head) - length(tail))
        assert.isAtMost(length(head) + length(tail), limit)
      }
      const whole = builtins({ limits: { output: length(text) } })
      assert.strictEqual((yield* Effect.provide(call("bash", { command: `cat ${file}` }), whole)).output, text)
    }).pipe(Effect.provide(builtins(true))))
})
