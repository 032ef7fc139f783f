/**
 * Eight servers that need 300 ms each: the toolkit against the same eight processes, started bare and at once, that
 * answer the same two requests. The aim: at most 1.2 times as long.
 */
import { Toolkit } from "@effect-toolnexus/core"
import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import { ToolkitLive } from "@effect-toolnexus/toolkit"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { measure } from "./harness.ts"

const AIM = 1.2
/** What a check lets pass: other work on a machine is no fault of ours. */
const LIMIT = 1.6
const SERVERS = 8

const command = ScriptedMcpServer.command({ startupDelay: 300, tools: [{ name: "echo" }] })
/** What the toolkit's children get as well: some variables of a host make every Node process slower. */
const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] }
const names = Array.from({ length: SERVERS }, (_, index) => `s${index}`)
const config = { mcpServers: Object.fromEntries(names.map((name) => [name, command])) }

export const startup = Effect.gen(function*() {
  const toClose: Array<() => Promise<void>> = []
  const [bare = Number.NaN, ours = Number.NaN] = yield* measure({
    title: `${SERVERS} servers that need 300 ms each: until all tools are listed`,
    batch: 1,
    samples: 9,
    unit: "ms",
    contenders: [
      { name: "bare processes", run: () => Promise.all(names.map(bareServer)).then((close) => toClose.push(...close)) },
      { name: "toolkit", run: () => build(toClose) }
    ],
    afterEach: async () => void await Promise.all(toClose.splice(0).map((close) => close()))
  })
  yield* Console.log(`Ratio: ${(ours / bare).toFixed(2)} (aim: at most ${AIM})\n`)
  return { value: ours / bare, limit: LIMIT }
})

/** Builds a toolkit, and leaves closing it to after the sample. */
const build = async (toClose: Array<() => Promise<void>>) => {
  const built = Promise.withResolvers<number>()
  const close = Promise.withResolvers<void>()
  const program = Effect.gen(function*() {
    built.resolve((yield* Toolkit.use((toolkit) => toolkit.tools)).length)
    yield* Effect.promise(() => close.promise)
  })
  const done = Effect.runPromise(Effect.provide(program, ToolkitLive({ config, builtins: false })))
  toClose.push(() => {
    close.resolve()
    return done
  })
  const tools = await built.promise
  if (tools !== SERVERS) throw new Error(`expected ${SERVERS} tools, found ${tools}`)
}

/** A process that is sent `initialize` and `tools/list` by hand, the second when the first is answered. */
const bareServer = () =>
  new Promise<() => Promise<void>>((resolve) => {
    const child = spawn(command.command, command.args, { env, stdio: ["pipe", "pipe", "ignore"] })
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.includes(`"id":2`)) return resolve(() => end(child))
      send({ method: "notifications/initialized" })
      send({ id: 2, method: "tools/list", params: {} })
    })
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "0.1.0" } }
    })
  })

const end = (child: ReturnType<typeof spawn>) =>
  new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.stdin?.end()
  })
