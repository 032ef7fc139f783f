import { NothingLeft } from "@effect-toolnexus/testing"
import { assert, layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { builtins, call, failure, folder, tool } from "./harness.ts"

/** Milliseconds of real time an effect takes. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const started = yield* Clock.currentTimeMillis
    const value = yield* effect
    return { value, ms: (yield* Clock.currentTimeMillis) - started }
  })

const awaitFile = (path: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    while ((yield* Effect.orElseSucceed(fs.readFileString(path), () => "")) === "") yield* Effect.sleep(10)
    return (yield* fs.readFileString(path)).trim().split("\n").map(Number)
  })

layer(builtins(true), { excludeTestServices: true })("bash", (it) => {
  it.effect("describes itself truthfully", () =>
    Effect.gen(function*() {
      const bash = yield* tool("bash")
      assert.deepStrictEqual(bash.origin, { kind: "builtin", entry: "builtin", name: "bash" })
      assert.strictEqual(bash.source, "builtin")
      assert.strictEqual(bash.inputSchema["additionalProperties"], false)
      assert.deepStrictEqual(bash.inputSchema["required"], ["command"])
      assert.strictEqual(bash.annotations?.destructiveHint, true)
      assert.strictEqual(bash.annotations?.openWorldHint, true)
    }))

  it.effect("gives what the command printed, as it is", () =>
    Effect.gen(function*() {
      const result = yield* call("bash", { command: "printf 'a\\n\\n b'" })
      assert.strictEqual(result.output, "a\n\n b")
      assert.strictEqual(result.metadata?.["exitCode"], 0)
      assert.isNumber(result.metadata?.["ms"])
    }))

  it.effect("keeps the order of output and errors, in a burst too", () =>
    Effect.gen(function*() {
      const result = yield* call("bash", { command: "for i in $(seq 1 200); do echo o$i; echo e$i >&2; done" })
      const expected = Array.from({ length: 200 }, (_, index) => `o${index + 1}\ne${index + 1}\n`)
      assert.strictEqual(result.output, expected.join(""))
    }))

  it.effect("puts a character together that arrives in pieces, with another program's text between", () =>
    Effect.gen(function*() {
      const pieces = "printf '\\xe2'; sleep 0.1; echo err >&2; sleep 0.1; printf '\\x80'; sleep 0.1; printf '\\x94'"
      const result = yield* call("bash", { command: pieces })
      assert.strictEqual(result.output, "err\n—")
      const many = yield* call("bash", { command: "for i in $(seq 1 5000); do printf 你; done" })
      assert.strictEqual(many.output, "你".repeat(5000))
    }))

  it.effect("runs bash, not sh", () =>
    Effect.gen(function*() {
      const result = yield* call("bash", { command: "a=(1 2 3); [[ ${#a[@]} == 3 ]] && echo $0 $# $SHLVL" })
      assert.strictEqual(result.output, "bash 0 1\n")
    }))

  it.effect("fails with the exit code and what was printed", () =>
    Effect.gen(function*() {
      const error = yield* failure("bash", { command: "echo before; exit 3" })
      assert.strictEqual(error.message, "exit code 3")
      assert.strictEqual(error.result?.output, "before\n[exit code 3]")
      assert.strictEqual(error.result?.isError, true)
      assert.strictEqual(error.result?.metadata?.["exitCode"], 3)
    }))

  it.effect("tells a signal from an exit code", () =>
    Effect.gen(function*() {
      const error = yield* failure("bash", { command: "echo before; kill -SEGV $$" })
      assert.strictEqual(error.message, "killed by SIGSEGV")
      assert.match(error.result?.output ?? "", /^before\n/)
      assert.strictEqual(error.result?.metadata?.["signal"], "SIGSEGV")
      assert.notProperty(error.result?.metadata, "exitCode")
    }))

  it.effect("stops at its limit, children and all, and keeps what was printed", () =>
    Effect.gen(function*() {
      const command = "echo $$ >pids; echo before; trap '' TERM; (echo $BASHPID >>pids; sleep 60) & sleep 60; sleep 60"
      const workdir = yield* folder
      const { ms, value } = yield* timed(failure("bash", { command, workdir, timeout: 300 }))
      assert.strictEqual(value.message, "timed out after 300 ms and was stopped")
      assert.strictEqual(value.result?.output, "before\n[timed out after 300 ms and was stopped]")
      assert.strictEqual(value.result?.metadata?.["timedOut"], true)
      assert.isBelow(ms, 2500)
      assert.deepStrictEqual(yield* NothingLeft.awaitDead(yield* awaitFile(`${workdir}/pids`), 100), [])
    }))

  it.effect("keeps what a command says while it is being stopped", () =>
    Effect.gen(function*() {
      const command = "trap 'echo bye; exit 0' TERM; echo hi; sleep 60 & wait"
      const { result } = yield* failure("bash", { command, timeout: 300 })
      assert.match(result?.output ?? "", /^hi\nbye\n\[timed out/)
    }))

  it.effect("refuses limits out of range", () =>
    Effect.gen(function*() {
      for (const timeout of [0, -1, 1.5, 600_001]) {
        const error = yield* Effect.flip(call("bash", { command: "echo ran", timeout }))
        assert.strictEqual(error._tag, "InvalidArguments")
      }
      yield* call("bash", { command: "true", timeout: 600_000 })
    }))

  it.effect("refuses what no shell can be given", () =>
    Effect.gen(function*() {
      for (const command of ["echo \0", "#".repeat(200_000)]) {
        assert.strictEqual((yield* Effect.flip(call("bash", { command })))._tag, "InvalidArguments")
      }
      const longest = yield* call("bash", { command: `echo ok; #${"x".repeat(131_061)}` })
      assert.strictEqual(longest.output, "ok\n")
    }))

  it.effect("marks what is no UTF-8 where it stands", () =>
    Effect.gen(function*() {
      const result = yield* call("bash", { command: "printf 'a\\xffb\\xe9 \\xef\\xbb\\xbf\\xe2\\x80'" })
      assert.strictEqual(result.output, "a\uFFFDb\uFFFD \uFEFF\uFFFD")
    }))

  it.effect("has an empty input", () =>
    Effect.gen(function*() {
      const result = yield* call("bash", { command: "cat; read -r x; echo got:$x" })
      assert.strictEqual(result.output, "got:\n")
    }))

  for (
    const [what, command] of [
      ["silent", "sleep 60 & echo done"],
      ["chatty", "(while :; do echo x; sleep 0.01; done) & echo done"],
      ["holding errors only", "sleep 60 >/dev/null & echo done"]
    ] as const
  ) {
    it.effect(`ends with the shell when a ${what} background child holds the output`, () =>
      Effect.gen(function*() {
        const { ms, value } = yield* timed(call("bash", { command: `${command}; echo $! >&2` }))
        assert.isBelow(ms, 2500)
        assert.match(value.output, /^done$/m)
        assert.match(value.output, /its process group was stopped\]$/)
        const pid = Number(/^\d+$/m.exec(value.output)?.[0])
        assert.deepStrictEqual(yield* NothingLeft.awaitDead([pid], 500), [])
      }))
  }

  it.effect(
    "keeps head and tail of a flood, in flat memory, and says the cut and the total",
    () =>
      Effect.gen(function*() {
        const before = process.memoryUsage.rss()
        const result = yield* call("bash", { command: "echo first; yes | head -c 300000000; echo last >&2" })
        // buffers that nobody holds any more are let go when it suits the runtime; what must not be there is the flood
        assert.isBelow(process.memoryUsage.rss() - before, 200_000_000)
        assert.match(result.output, /^first\ny\n/)
        assert.match(result.output, /\ny\nlast\n\[the first 50000000 bytes of the output are in [^\n]+\]$/)
        const [, cut, total] = /\[\.\.\. (\d+) of (\d+) bytes left out \.\.\.\]/.exec(result.output) ?? []
        assert.strictEqual(Number(total), 300_000_011)
        assert.strictEqual(Number(total) - Number(cut), 65_536)
      }),
    60_000
  )

  it.effect("says that a workdir is missing or no directory", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* folder
      yield* fs.writeFileString(`${directory}/file`, "")
      const missing = yield* failure("bash", { command: "pwd", workdir: `${directory}/none` })
      assert.strictEqual(missing.message, `workdir ${directory}/none doesn't exist`)
      const file = yield* failure("bash", { command: "pwd", workdir: `${directory}/file` })
      assert.strictEqual(file.message, `workdir ${directory}/file is not a directory`)
      assert.strictEqual((yield* call("bash", { command: "pwd", workdir: directory })).output, `${directory}\n`)
    }))

  it.effect("kills the whole group on interruption", () =>
    Effect.gen(function*() {
      const workdir = yield* folder
      const command = "trap '' TERM; echo $$ >p; (echo $BASHPID >>p; exec sleep 60) & sleep 60; sleep 60"
      const fiber = yield* Effect.forkChild(call("bash", { command, workdir }))
      const path = yield* Path.Path
      yield* awaitFile(path.join(workdir, "p"))
      yield* Effect.sleep(100)
      const { ms } = yield* timed(Fiber.interrupt(fiber))
      assert.isBelow(ms, 2500)
      const pids = yield* awaitFile(path.join(workdir, "p"))
      assert.strictEqual(pids.length, 2)
      assert.deepStrictEqual(yield* NothingLeft.awaitDead(pids, 100), [])
    }))

  it.effect("serves fifty calls at once", () =>
    Effect.gen(function*() {
      const outputs = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        (index) => Effect.map(call("bash", { command: `sleep 0.1; echo ${index}` }), ({ output }) => output.trim()),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(outputs, Array.from({ length: 50 }, (_, index) => String(index)))
    }))
})
