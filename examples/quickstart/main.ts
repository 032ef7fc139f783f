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
  ["bash", { command: "echo $((6 * 7))" }],
  ["Translator_translate", { task: "good morning" }],
  ["celsius_to_fahrenheit", { celsius: 21 }],
  ["delete_repo", {}]
] as const

const program = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  const { errors, statuses, tools } = yield* toolkit.snapshot

  yield* Console.log(`${tools.length} tools\n`)
  yield* Console.log(table(tools.map(({ description, name, source }) => [source, name, description])))
  yield* Console.log(table(Object.entries(statuses).map(([name, status]) => [status, name, errors[name] ?? ""])))

  for (const [name, args] of calls) {
    const { isError, output } = yield* toolkit.execute(name, args)
    yield* Console.log(`> ${name} ${JSON.stringify(args)}${isError ? " (error)" : ""}\n${output.trimEnd()}\n`)
  }
})

/** Three columns; of the last only the first line, so far as it fits. */
const table = (rows: ReadonlyArray<readonly [kind: string, name: string, text: string]>) => {
  const width = Math.max(...rows.map(([, name]) => name.length))
  const lines = rows.map(([kind, name, text]) =>
    `${kind.padEnd(9)}  ${name.padEnd(width)}  ${text.split("\n", 1).join("").slice(0, 60)}`.trimEnd()
  )
  return `${lines.join("\n")}\n`
}

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
