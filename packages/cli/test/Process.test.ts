import { NothingLeft, ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { bin, childrenOf, configFile, ended, folder, sleep, start, toolnexus } from "./command.ts"

const silent = ScriptedMcpServer.command({ methods: { initialize: "hang" } })
const stubborn = ScriptedMcpServer.command({
  methods: { initialize: "hang" },
  ignores: ["stdin", "SIGTERM"],
  grandchild: { ignoresSigterm: true }
})
const bare = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] }
const many = ScriptedMcpServer.command({ tools: [{ name: "tool", description: "x".repeat(500), repeat: 4000 }] })

/** Ctrl-C and the like are fixed at three seconds; what a busy machine adds to that is no fault of the command. */
const WITHIN_MS = 3000

/** For what is no matter of time: how long a process takes to start is up to whatever else the machine does. */
const LIMIT = 120_000

describe("signals", { timeout: LIMIT }, () => {
  const cases = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const
  it.live.each(cases)(
    "%s while servers connect ends it within three seconds, with no process left",
    ([signal, code]) =>
      Effect.gen(function*() {
        const config = yield* configFile({ mcpServers: { silent, stubborn, bare } })
        const child = yield* start(["tools", "--json", "--config", config])
        const end = yield* Effect.forkChild(ended(child), { startImmediately: true })
        const servers = yield* childrenOf(child.pid ?? 0, 3)
        const grandchildren = (yield* Effect.forEach(servers, (server) => childrenOf(server, 0))).flat()
        const before = performance.now()
        child.kill(signal)
        yield* sleep(200)
        // a second one, impatient, takes nothing from the clean-up
        child.kill(signal)
        const result = yield* Fiber.join(end)
        assert.isBelow(performance.now() - before, WITHIN_MS)
        assert.deepInclude(result, { code, stdout: "" })
        assert.deepStrictEqual(yield* NothingLeft.awaitDead([...servers, ...grandchildren], 500), [])
      })
  )

  it.live("Ctrl-C during a call ends it, and what the call started", () =>
    Effect.gen(function*() {
      const child = yield* start(["call", "bash", JSON.stringify({ command: "sleep 1000 & sleep 1000" })])
      const end = yield* Effect.forkChild(ended(child), { startImmediately: true })
      const shells = yield* childrenOf(child.pid ?? 0, 1)
      const sleepers = yield* childrenOf(shells[0] ?? 0, 2)
      const before = performance.now()
      child.kill("SIGINT")
      const result = yield* Fiber.join(end)
      assert.isBelow(performance.now() - before, WITHIN_MS)
      assert.deepInclude(result, { code: 130, stdout: "", stderr: "" })
      assert.deepStrictEqual(yield* NothingLeft.awaitDead([...shells, ...sleepers], 500), [])
    }))

  it.live("Ctrl-C ends it while it waits for standard input", () =>
    Effect.gen(function*() {
      const child = yield* start(["call", "read", "-"])
      const end = yield* Effect.forkChild(ended(child), { startImmediately: true })
      // more than a pipe holds: it has all been taken when the command reads
      yield* Effect.callback<void>((resume) => void child.stdin.write(" ".repeat(2 ** 20), () => resume(Effect.void)))
      child.kill("SIGINT")
      assert.deepInclude(yield* Fiber.join(end), { code: 130, stdout: "", stderr: "" })
    }))

  it.live("ends in an orderly way when a library throws where nobody catches it", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { silent, bare } })
      const bomb = "data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('boom')})"
      const child = yield* start(["tools", "--json", "--config", config], { node: ["--import", bomb] })
      const end = yield* Effect.forkChild(ended(child), { startImmediately: true })
      const servers = yield* childrenOf(child.pid ?? 0, 2)
      child.kill("SIGUSR2")
      const { code, stderr, stdout } = yield* Fiber.join(end)
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.match(stderr, /^error: Unexpected failure of toolnexus Error: boom/)
      assert.deepStrictEqual(yield* NothingLeft.awaitDead(servers, 500), [])
    }))

  it.live("leaves nothing when it ends by itself", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: {
          quick: many,
          stuck: { ...stubborn, timeout: 1000 },
          deaf: ScriptedMcpServer.command({ tools: [{ name: "t" }], ignores: ["stdin", "SIGTERM"] })
        }
      })
      const child = yield* start(["tools", "--json", "--config", config])
      const end = yield* Effect.forkChild(ended(child), { startImmediately: true })
      const servers = yield* childrenOf(child.pid ?? 0, 3)
      assert.strictEqual((yield* Fiber.join(end)).code, 0)
      assert.deepStrictEqual(yield* NothingLeft.awaitDead(servers, 500), [])
    }))
})

/** Lets the pipe run full before it is read on. */
const readSlowly = Effect.fnUntraced(function*(child: ChildProcessWithoutNullStreams) {
  const end = yield* Effect.forkChild(ended(child), { startImmediately: true })
  yield* Effect.promise(() => once(child.stdout, "data"))
  child.stdout.pause()
  yield* sleep(500)
  child.stdout.resume()
  return yield* Fiber.join(end)
})

describe("pipes", { timeout: LIMIT }, () => {
  it.live("a slow reader gets a large document whole", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { many }, builtins: false })
      const child = yield* start(["tools", "--json", "--config", config])
      const { code, stdout } = yield* readSlowly(child)
      assert.strictEqual(code, 0)
      assert.isAbove(stdout.length, 2_000_000)
      assert.deepNestedInclude(JSON.parse(stdout), { "tools[3999].origin.name": "tool_4000" })
    }))

  it.live("also where the exit code is 1", () =>
    Effect.gen(function*() {
      const text = "x".repeat(100_000)
      const config = yield* configFile({
        mcpServers: { s: ScriptedMcpServer.command({ tools: [{ name: "fail", does: [{ error: text }] }] }) }
      })
      const child = yield* start(["call", "s_fail", "--config", config])
      const { code, stdout } = yield* readSlowly(child)
      assert.deepStrictEqual([code, stdout.length], [1, text.length + 1])
    }))

  it.live("a reader that goes away ends it quietly, with the clean-up done", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { many }, builtins: false })
      const child = yield* start(["tools", "--json", "--config", config])
      const servers = yield* childrenOf(child.pid ?? 0, 1)
      yield* Effect.promise(() => once(child.stdout, "readable"))
      child.stdout.read()
      child.stdout.destroy()
      const { code, stderr } = yield* ended(child)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.deepStrictEqual(yield* NothingLeft.awaitDead(servers, 500), [])
    }))
})

describe("the cache of Node", { timeout: LIMIT }, () => {
  // where Node itself would try for ever: /proc says that a folder is missing which it has
  const caches = ["", "/nonexistent/cache", ...process.platform === "linux" ? ["/proc"] : []]
  it.live.each(caches)("may be where no folder can be made: %j", (XDG_CACHE_HOME) =>
    Effect.gen(function*() {
      const env = { XDG_CACHE_HOME, HOME: "/nonexistent" }
      const ending = yield* Effect.timeoutOption(toolnexus(["--version"], { env }), "20 seconds")
      assert.deepInclude(Option.getOrUndefined(ending), { code: 0, stderr: "" })
    }))
})

describe("a host with a toolkit of its own", { timeout: LIMIT }, () => {
  it.live("has the command as it is, with its exit codes", () =>
    Effect.gen(function*() {
      const program = fileURLToPath(new URL("host.ts", import.meta.url))
      const called = yield* toolnexus(["call", "hello"], { program })
      assert.deepInclude(called, { code: 0, stdout: "hello\n", stderr: "" })
      const unknown = yield* toolnexus(["call", "bash", "--log-level", "none"], { program })
      assert.deepInclude(unknown, { code: 1, stdout: "Unknown tool: bash\n", stderr: "" })
      const wrong = yield* toolnexus(["frobnicate"], { program })
      assert.deepInclude(wrong, { code: 2, stdout: "" })
      assert.match(wrong.stderr, /^error: Unknown subcommand "frobnicate" for "toolnexus"\nusage: .+\n.+\n$/)
    }))
})

describe.skipIf(!hasScript())("at a terminal", { timeout: LIMIT }, () => {
  it.live("prints a table that fits, and shows what is waited for until it is there", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: {
          slow: ScriptedMcpServer.command({
            startupDelay: 1500,
            tools: [{ name: "greet", description: "Says \u001B[2J\u001B]0;title\u0007hello. ".repeat(20) }]
          })
        },
        builtins: false
      })
      const output = yield* terminal(60, ["tools", "--config", config])
      assert.include(output, "\r\u001B[2KConnecting to slow")
      const shown = output.slice(output.lastIndexOf("\u001B[2K") + 4)
      assert.match(shown, /slow_greet +mcp +Says hello\. Says/)
      assert.match(shown, /slow +mcp +connected +1/)
      assert.notInclude(output, "title")
      assert.notInclude(output, "\u001B[2J")
      const lines = stripVTControlCharacters(shown).split("\r\n")
      assert.isAtMost(Math.max(...lines.map((line) => line.length)), 60)
    }))

  it.live("names only what is still connecting", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: {
          quick: ScriptedMcpServer.command({ tools: [{ name: "a" }] }),
          slow: ScriptedMcpServer.command({ startupDelay: 4000, tools: [{ name: "b" }] })
        },
        builtins: false
      })
      const frames = framesOf(yield* terminal(60, ["tools", "--config", config]))
      const waiting = frames.filter((frame) => frame.startsWith("Connecting to "))
      assert.match(waiting.at(-1) ?? "", /^Connecting to slow \(\d s\)$/)
      // the frames and the table are all there is
      assert.strictEqual(frames.length, waiting.length + 1)
    }))

  it.live("shows how far a call is, and then its result alone", () =>
    Effect.gen(function*() {
      const does = [{ progress: { count: 5, every: 200 } }, { text: "done" }]
      const config = yield* configFile({
        mcpServers: { s: ScriptedMcpServer.command({ tools: [{ name: "work", does }] }) }
      })
      const output = yield* terminal(60, ["call", "s_work", "--config", config])
      const progress = framesOf(output).filter((frame) => frame.startsWith("s_work: "))
      // two that come too soon after each other, as on a busy machine, are drawn once
      assert.isAbove(progress.length, 1)
      assert.strictEqual(progress[0], "s_work: 1/5")
      assert.strictEqual(framesOf(output).at(-1), "done\r\n")
    }))

  it.live("asks on standard error, with keys as they are typed, and goes on", () =>
    Effect.gen(function*() {
      const out = yield* Effect.map(folder({}), (root) => join(root, "out"))
      const { code, shown } = yield* typing([["Allow it?", "y"], ["Your answer", "blue\r"]], out)
      assert.strictEqual(code, 0)
      assert.strictEqual(readFileSync(out, "utf8"), "blue\n")
      // the progress is gone before the question comes
      assert.include(shown, "paint: 1\r\u001B[2KPaint it?\r\n")
    }))

  it.live("Ctrl-C at a prompt ends it, with the terminal as it was", () =>
    Effect.gen(function*() {
      const { code, shown } = yield* typing([["Allow it?", "\u0003"]], "/dev/null")
      assert.strictEqual(code, 130)
      // the cursor is back, the shell has a line of its own, and the terminal edits lines again
      assert.include(shown, "\u001B[?25h\r\n")
      assert.match(shown, / icanon /)
    }))

  it.live("cuts no path of a skill", () =>
    Effect.gen(function*() {
      const deep = Array.from({ length: 6 }, (_, index) => `folder-${index}`).join("/")
      const root = yield* folder({
        [`${deep}/lunch/SKILL.md`]: `---\nname: lunch\ndescription: ${"Orders lunch. ".repeat(20)}\n---\nCall.\n`
      })
      const output = yield* terminal(60, ["skills", "--skills", root], { NO_COLOR: "1" })
      assert.include(output, `lunch  ${root}/${deep}/lunch/SKILL.md\r\n    Orders lunch. Orders`)
      assert.include(output, "…")
    }))

  it.live("has no colors with NO_COLOR, and JSON all the same with --json", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: {} })
      assert.notInclude(yield* terminal(60, ["tools", "--config", config], { NO_COLOR: "1" }), "\u001B")
      const document = yield* terminal(60, ["tools", "--json", "--config", config])
      assert.strictEqual(JSON.parse(document).tools[0].name, "bash")
    }))
})

/** What a line of standard error showed, one after the other, and what came after it. */
const framesOf = (output: string) => output.split("\r\u001B[2K").filter((frame) => frame !== "")

/** `script` of util-linux gives a program a terminal; other systems have another program of that name. */
function hasScript(): boolean {
  try {
    const found = execFileSync("script", ["--version"], { encoding: "utf8", stdio: "pipe" }).includes("util-linux")
    if (!found) process.stderr.write("skipped: `script` is not that of util-linux\n")
    return found
  } catch {
    process.stderr.write("skipped: there is no `script` to make a terminal with\n")
    return false
  }
}

/** A shell's command at a terminal; it ends with the scope of the test. */
const startAtTerminal = (command: string, stdin: "ignore" | "pipe", env: NodeJS.ProcessEnv = {}) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn("script", ["-qec", command, "/dev/null"], {
        stdio: [stdin, "pipe", "inherit"],
        env: { ...process.env, TERM: "xterm", ...env }
      })
    ),
    (running) => Effect.sync(() => running.kill("SIGKILL"))
  )

/** What a terminal of that width gets to see. */
const terminal = Effect.fnUntraced(function*(columns: number, args: ReadonlyArray<string>, env?: NodeJS.ProcessEnv) {
  const command = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(" ")
  const { stdout } = yield* ended(yield* startAtTerminal(`stty cols ${columns}; ${command}`, "ignore", env))
  return stdout
})

/** Types the texts at a terminal, each once what it answers is shown; the command's standard output goes to the file. */
const typing = Effect.fnUntraced(
  function*(steps: ReadonlyArray<readonly [awaited: string, typed: string]>, out: string) {
    const program = fileURLToPath(new URL("asking.ts", import.meta.url))
    const command = `'${process.execPath}' '${program}' call paint > '${out}'; code=$?; stty -a; exit $code`
    const child = yield* startAtTerminal(command, "pipe")
    const waiting = [...steps]
    let shown = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      shown += chunk.toString()
      const [next] = waiting
      if (next === undefined || !shown.includes(next[0])) return
      waiting.shift()
      child.stdin?.write(next[1])
    })
    const { code } = yield* ended(child)
    return { code, shown }
  }
)
