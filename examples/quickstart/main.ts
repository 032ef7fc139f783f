/**
 * The main job: one toolkit from a configuration file with a real MCP server, a folder of skills, builtins and a remote
 * agent, and a function of our own beside them. It prints what the toolkit holds, calls one tool of each source, and
 * leaves nothing running.
 */
import { A2aReply, FakeA2aAgent } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { defineTool, Environment, Toolkit, ToolkitLive } from "effect-toolnexus"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** A function of our own: its input is an Effect Schema. */
const convert = defineTool({
  name: "celsius_to_fahrenheit",
  description: "Converts a temperature",
  input: Schema.Struct({ celsius: Schema.Finite }),
  handler: ({ celsius }) => `${celsius * 9 / 5 + 32} °F`
})

/** One call to each source; the last one is a tool that a model made up. */
const calls = [
  ["everything_get-sum", { a: 40, b: 2 }],
  ["skill", { name: "release-notes" }],
  ["bash", { command: "echo hello from $(basename $PWD)", workdir: import.meta.dirname }],
  ["Translator_translate", { task: "good morning" }],
  ["celsius_to_fahrenheit", { celsius: 21 }],
  ["delete_repo", {}]
] as const

const program = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  const { errors, statuses, tools } = yield* toolkit.snapshot

  yield* Console.log(`${tools.length} tools\n`)
  for (const { description, name, source } of tools) yield* Console.log(row(source, name, description))
  yield* Console.log("")
  for (const [name, status] of Object.entries(statuses)) yield* Console.log(row(status, name, errors[name] ?? ""))

  for (const [name, args] of calls) {
    const { isError, output } = yield* toolkit.execute(name, args)
    yield* Console.log(`\n> ${name} ${JSON.stringify(args)}${isError ? " (error)" : ""}\n${output}`)
  }
})

const row = (...[kind, name, text]: readonly [string, string, string]) =>
  `${kind.padEnd(10)} ${name.padEnd(34)} ${text.split("\n", 1).join("").slice(0, 70)}`.trimEnd()

/** The agent that stands for a remote one: it runs on loopback as long as the toolkit that uses it. */
const translator = FakeA2aAgent.layer({
  name: "Translator",
  skills: [{ id: "translate", name: "Translate", description: "Translates into French" }],
  reply: () => A2aReply.completed("bonjour", { polls: 1 })
})

/** The configuration names the agent's card `${TRANSLATOR_CARD}`; here is what that is. */
const environment = Layer.effect(
  Environment,
  Effect.gen(function*() {
    const { cardUrl } = yield* FakeA2aAgent
    return { ...yield* Environment, TRANSLATOR_CARD: cardUrl }
  })
)

const toolkit = ToolkitLive({ config: `${import.meta.dirname}/mcp.json`, tools: [convert] }).pipe(
  Layer.provide(environment),
  Layer.provide(translator)
)

NodeRuntime.runMain(Effect.provide(program, toolkit))
