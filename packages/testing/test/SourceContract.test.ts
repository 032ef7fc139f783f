import { defineTool, Source, SourceEntry, type Tool, ToolError } from "@effect-toolnexus/core"
import { checks, type Options, sourceContract } from "@effect-toolnexus/testing/SourceContract"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { spawn } from "node:child_process"

type Fault =
  | "unsettled"
  | "wrong origin"
  | "empty output"
  | "costs others"
  | "deaf call"
  | "deaf build"
  | "silent close"
  | "defect after close"
  | "leaves a process"
  | "leaves a timer"
  | "shares state"

/** Counts the builds of a source that wrongly share one process. */
let shared: { users: number; isOpen: boolean } = { users: 0, isOpen: true }

/** What the faulty ones left, for the tests to take away. */
const opened: Array<() => void> = []

/** A source with a child process, as a server's would be, and each fault a source can have. */
const source = (fault?: Fault, bad = false) =>
  Layer.effect(
    Source,
    Effect.gen(function*() {
      const own = { users: 0, isOpen: true }
      const state = fault === "shares state" ? shared : own
      const child = spawn("sleep", ["300"], { stdio: "ignore" })
      const timer = setInterval(() => {}, 1000)
      opened.push(() => child.kill("SIGKILL"), () => clearInterval(timer))
      const stop = Effect.sync(() => {
        if (fault !== "leaves a process") child.kill("SIGKILL")
        if (fault !== "leaves a timer") clearInterval(timer)
        if (fault !== "silent close" && fault !== "defect after close") state.isOpen = false
        if (fault === "defect after close") state.users = -1
      })
      yield* Effect.addFinalizer(() => stop)
      // a build that can't be interrupted
      if (fault === "deaf build") yield* Effect.uninterruptible(Effect.sleep(6000))

      const guard = (tool: Tool.Tool): Tool.Tool => ({
        ...tool,
        source: "mcp",
        origin: { kind: fault === "wrong origin" ? "native" : "mcp", entry: "good", name: tool.name },
        handler: (args, call) => {
          if (state.users === -1) return Effect.die("used after it was freed")
          return state.isOpen
            ? tool.handler(args, call)
            : Effect.fail(new ToolError.ToolUnavailable({ toolName: tool.name, reason: "closed" }))
        }
      })
      const tools = [
        guard(defineTool({ name: "echo", handler: (args) => fault === "empty output" ? "" : JSON.stringify(args) })),
        guard(defineTool({
          name: "hang",
          handler: () => fault === "deaf call" ? Effect.uninterruptible(Effect.sleep(2500)) : Effect.never
        }))
      ]
      const error = new SourceEntry.EntryError({ kind: "mcp", entry: "broken", phase: "spawn", detail: "no such file" })
      const good = fault === "unsettled" ? SourceEntry.connecting("good") : SourceEntry.loaded("good", { tools })
      const entries: ReadonlyArray<SourceEntry.SourceEntry> = [
        bad && fault === "costs others" ? SourceEntry.loaded("good") : good,
        ...(bad ? [SourceEntry.failed(error)] : [])
      ]
      return { kind: "mcp" as const, entries: yield* SubscriptionRef.make(entries) }
    })
  )

const options = (fault?: Fault): Options => ({
  kind: "mcp",
  toolKind: "mcp",
  good: source(fault),
  tools: ["echo", "hang"],
  call: { tool: "echo", args: { city: "Oslo" }, output: "Oslo" },
  hang: { tool: "hang", args: {} },
  bad: { layer: source(fault, true), entry: "broken" }
})

sourceContract("A good source", options())

describe("a runner of little patience", { timeout: 100 }, () => {
  sourceContract("A good source", options())
})

/** Which rule notices which fault, and what it says. */
const noticedBy: ReadonlyArray<readonly [Fault, string, RegExp]> = [
  ["unsettled", "its entries settle", /still connecting after 10000 ms: good/],
  ["wrong origin", "each tool has a name", /echo: expected 'native' to equal 'mcp'/],
  ["empty output", "a call answers", /expected '' to include 'Oslo'/],
  ["costs others", "a bad entry costs only itself", /expected \[\] to deeply equal \[ 'echo', 'hang' \]/],
  ["deaf call", "an interrupted call ends promptly", /still running 1000 ms after it was interrupted/],
  ["deaf build", "building can be interrupted", /still running 4000 ms after it was interrupted/],
  ["silent close", "a call after the close", /after the close gave Success/],
  ["defect after close", "a call after the close", /after the close gave .*used after it was freed/],
  ["leaves a process", "many builds and closes", /process \d+: sleep 300/],
  ["leaves a timer", "many builds and closes", /\d more of Timeout, made at .*SourceContract\.test\.ts/],
  ["shares state", "two builds share nothing", /echo is unavailable: closed/]
]

describe("sourceContract", () => {
  afterAll(() => {
    for (const close of opened) close()
  })

  for (const [fault, rule, says] of noticedBy) {
    it.live(`notices: ${fault}`, () =>
      Effect.gen(function*() {
        shared = { users: 0, isOpen: true }
        const check = checks(options(fault)).find(({ name }) => name.startsWith(rule))?.check ?? Effect.void
        const cause = yield* Effect.flip(Effect.sandbox(check))
        assert.match(Cause.pretty(cause), says)
      }))
  }

  it("leaves out the rules that don't apply", () => {
    const { bad: _bad, hang: _hang, ...rest } = options()
    assert.strictEqual(checks(rest).length, checks(options()).length - 2)
  })

  it.live("lets a source that holds nothing work on after its close", () =>
    Effect.forEach(checks({ ...options("silent close"), isPure: true }), ({ check }) => check))
})
