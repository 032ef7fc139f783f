import { Chaos, ChaosProxy, ScriptedMcpServer } from "@effect-toolnexus/testing"
import { alive, assertNothingLeft, awaitDead } from "@effect-toolnexus/testing/NothingLeft"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const quiet: Chaos.Rates = { delay: 0, split: 0, join: 0, duplicate: 0, noise: 0, drop: 0, garble: 0, cut: 0 }

const options = (rates: Partial<Chaos.Rates> = {}, more: Partial<ChaosProxy.Options> = {}): ChaosProxy.Options => ({
  seed: 1,
  rates: { ...quiet, ...rates },
  ...more
})

interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** The proxy in front of a server, in a group of its own; ended with the scope. */
const start = Effect.fnUntraced(function*(server: ChaosProxy.Server, chaos: ChaosProxy.Options) {
  const { args, command } = ChaosProxy.wrap(server, chaos)
  const proxy = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(command, [...args], { stdio: "pipe", detached: true })),
    (child) => Effect.sync(() => killGroup(child))
  )
  const output = { stdout: "", stderr: "" }
  proxy.stdout.setEncoding("utf8").on("data", (text: string) => void (output.stdout += text))
  proxy.stderr.setEncoding("utf8").on("data", (text: string) => void (output.stderr += text))
  proxy.stdin.on("error", () => undefined)
  const silent = once(proxy.stdout, "end")
  const exit = new Promise<Exit>((resolve) => void proxy.once("close", (code, signal) => resolve({ code, signal })))
  return {
    proxy,
    output,
    silent: Effect.promise(() => silent),
    exit: Effect.promise(() => exit),
    lines: () => output.stdout.split("\n").slice(0, -1)
  }
})

const killGroup = ({ exitCode, pid, signalCode }: ChildProcessWithoutNullStreams) => {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL")
}

/** Says every line again, and first its own pid. */
const parrot = (...more: ReadonlyArray<string>): ChaosProxy.Server => ({
  command: process.execPath,
  args: ["-e", `${more.join(";")};process.stdout.write(process.pid+"\\n");process.stdin.pipe(process.stdout)`]
})

const until = (condition: () => boolean) =>
  Effect.promise(async () => {
    for (let waited = 0; !condition() && waited < 5000; waited += 10) {
      await new Promise((resolve) => void setTimeout(resolve, 10))
    }
    assert.isTrue(condition(), "it never came true")
  })

const pidIn = Effect.fnUntraced(function*({ lines }: { readonly lines: () => ReadonlyArray<string> }) {
  yield* until(() => lines().length > 0)
  return Number(lines()[0])
})

const tell = ({ proxy }: { readonly proxy: ChildProcessWithoutNullStreams }, count: number) => {
  for (let index = 0; index < count; index++) proxy.stdin.write(`${JSON.stringify({ index, text: "größe 😀" })}\n`)
}

const onlyToServer = (rates: Partial<Chaos.Rates>) => options({}, { toServer: rates })

describe("without faults", () => {
  it.live("passes everything on: messages, stderr, what has no line end, the exit code", () =>
    assertNothingLeft(Effect.gen(function*() {
      const program = "process.stderr.write('oh');process.stdin.pipe(process.stdout);"
        + "process.stdin.on('end',()=>process.exitCode=3)"
      const running = yield* start({ command: process.execPath, args: ["-e", program] }, options())
      running.proxy.stdin.end("größe\r\n\nthe rest")
      assert.deepStrictEqual(yield* running.exit, { code: 3, signal: null })
      assert.deepStrictEqual(running.output, { stdout: "größe\r\n\nthe rest", stderr: "oh" })
    })))

  it.live("says when there is no such command", () =>
    Effect.gen(function*() {
      const running = yield* start({ command: "no-such-command-here" }, options())
      assert.deepStrictEqual(yield* running.exit, { code: 127, signal: null })
      assert.include(running.output.stderr, "ENOENT")
    }))

  it("keeps what else an entry says", () => {
    const entry = ChaosProxy.wrap({ command: "files", env: { TOKEN: "t" } }, options({}, { connections: "/${x}" }))
    assert.deepStrictEqual(entry.env, { TOKEN: "t" })
    assert.notInclude(entry.args.join(" "), "${")
    assert.throws(() => ChaosProxy.wrap({ command: "files" }, options({ drop: 2 })))
  })
})

describe("the faults", () => {
  it.live("keep the order, and change nothing of what is only late, in pieces, or joined", () =>
    assertNothingLeft(Effect.gen(function*() {
      const running = yield* start(parrot(), options({ delay: 0.3, split: 0.4, join: 0.3 }, { maxDelay: 3 }))
      tell(running, 50)
      yield* until(() => running.lines().length >= 51)
      running.proxy.stdin.end()
      yield* running.exit
      assert.deepStrictEqual(
        running.lines().slice(1),
        Array.from({ length: 50 }, (_, index) => JSON.stringify({ index, text: "größe 😀" }))
      )
    })))

  it.live("double, drop and garble, and bring noise", () =>
    Effect.gen(function*() {
      const count = Effect.fnUntraced(function*(chaos: ChaosProxy.Options) {
        const running = yield* start(parrot(), chaos)
        yield* pidIn(running)
        tell(running, 20)
        running.proxy.stdin.end()
        yield* running.exit
        return running.lines().length - 1
      })
      assert.strictEqual(yield* count(onlyToServer({ duplicate: 1 })), 40)
      assert.strictEqual(yield* count(onlyToServer({ drop: 1 })), 0)
      assert.strictEqual(yield* count(onlyToServer({ garble: 1 })), 20)
      assert.strictEqual(yield* count(onlyToServer({ noise: 1 })), 40)
    }))

  it.live("are the same for the same seed, and others with each start where the starts are counted", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "chaos-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const received = Effect.fnUntraced(function*(more: Partial<ChaosProxy.Options> = {}) {
        const running = yield* start(
          parrot("process.pid=0"),
          options({}, { toServer: { drop: 0.3, garble: 0.3 }, ...more })
        )
        tell(running, 30)
        running.proxy.stdin.end()
        yield* running.exit
        return running.lines().slice(1).join("\n")
      })
      const counted = { connections: join(folder, "connections") }
      const [first, second] = [yield* received(), yield* received()]
      assert.strictEqual(first, second)
      assert.strictEqual(yield* received(counted), first)
      assert.notStrictEqual(yield* received(counted), first)
    }))
})

describe("a cut", () => {
  /** With a seed whose first message to the server is cut like this. */
  const cutLike = Effect.fnUntraced(function*(cut: Chaos.Cut) {
    const text = JSON.stringify(cut)
    const chaos = (seed: number) => options({}, { seed, toServer: { cut: 1 } })
    let seed = 1
    while (!JSON.stringify(Chaos.plan(chaos(seed))("toServer", 0)).includes(text)) seed++
    const running = yield* start(parrot(), chaos(seed))
    const server = yield* pidIn(running)
    tell(running, 1)
    yield* until(() => running.output.stderr.includes(`chaos: cut (${text}) at message 0 to the server`))
    return { ...running, server }
  })

  it.live("ends both by an exit code", () =>
    assertNothingLeft(Effect.gen(function*() {
      const running = yield* cutLike({ exit: 137 })
      assert.deepStrictEqual(yield* running.exit, { code: 137, signal: null })
      assert.deepStrictEqual(yield* awaitDead([running.server]), [])
    })))

  it.live("ends both by a signal", () =>
    assertNothingLeft(Effect.gen(function*() {
      const running = yield* cutLike({ signal: "SIGTERM" })
      assert.deepStrictEqual(yield* running.exit, { code: null, signal: "SIGTERM" })
      assert.deepStrictEqual(yield* awaitDead([running.server]), [])
    })))

  it.live("closes the output alone, until stdin ends", () =>
    assertNothingLeft(Effect.gen(function*() {
      const running = yield* cutLike({ closes: "output" })
      yield* running.silent
      assert.isTrue(yield* alive(running.server))
      running.proxy.stdin.end()
      assert.deepStrictEqual(yield* running.exit, { code: 0, signal: null })
      assert.deepStrictEqual(yield* awaitDead([running.server]), [])
    })))
})

describe("whatever ends the proxy", () => {
  it.live.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const)(
    "the server ends with it: %s",
    (signal) =>
      assertNothingLeft(Effect.gen(function*() {
        const running = yield* start(parrot(), options())
        const server = yield* pidIn(running)
        running.proxy.kill(signal)
        assert.deepStrictEqual(yield* running.exit, { code: null, signal })
        assert.deepStrictEqual(yield* awaitDead([server]), [])
      }))
  )

  it.live("a server that has a way of its own to end has it", () =>
    assertNothingLeft(Effect.gen(function*() {
      const running = yield* start(parrot("process.on('SIGTERM',()=>process.exit(9))"), options())
      yield* pidIn(running)
      running.proxy.kill("SIGTERM")
      assert.deepStrictEqual(yield* running.exit, { code: 9, signal: null })
    })))

  it.live("a stubborn server ends with the group", () =>
    assertNothingLeft(Effect.gen(function*() {
      const stubborn = ScriptedMcpServer.command({
        ignores: ["stdin", "SIGTERM"],
        tools: [{ name: "pids", does: [{ report: "pids" }] }]
      })
      const running = yield* start(stubborn, options())
      running.proxy.stdin.write(
        `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pids" } })}\n`
      )
      yield* until(() => running.lines().length > 0)
      const server = Number(/pid\D+(\d+)/.exec(running.output.stdout)?.[1])
      assert.isTrue(yield* alive(server))
      running.proxy.stdin.end()
      running.proxy.kill("SIGTERM")
      yield* Effect.sleep("300 millis")
      assert.isTrue(yield* alive(server))
      killGroup(running.proxy)
      yield* running.exit
      assert.deepStrictEqual(yield* awaitDead([server]), [])
    })))

  it.live("a server that stops reading isn't read to any more", () =>
    assertNothingLeft(Effect.gen(function*() {
      const running = yield* start(
        { command: process.execPath, args: ["-e", "process.stdin.destroy();fs.closeSync(0);setTimeout(()=>{},60000)"] },
        options()
      )
      const closed = Effect.callback<void>((resume) =>
        void running.proxy.stdin.once("close", () => resume(Effect.void))
      )
      const telling = Effect.forever(Effect.andThen(Effect.sync(() => tell(running, 1)), Effect.sleep("20 millis")))
      yield* Effect.raceFirst(closed, telling)
    })))
})
