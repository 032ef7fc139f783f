/** Two agents over the same servers and functions, each with the skills it needs, and nothing it could load beside them. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect } from "effect"
import { defineTool, Toolkit, ToolkitLive } from "effect-toolnexus"
import { join } from "node:path"

const skills = join(import.meta.dirname, "skills")

/** What is opened once: servers, agents, functions. */
const shared = ToolkitLive({
  tools: [defineTool({ name: "refund", handler: () => "refunded" })],
  builtins: false
})

/** A small toolkit for one agent: the tools of the shared one, and skills of its own. */
const forAgent = Effect.fnUntraced(function*(skillsFilter: Readonly<Record<string, boolean>>) {
  const { tools } = yield* Toolkit
  return ToolkitLive({ tools: yield* tools, skills, skillsFilter, builtins: false })
})

const show = (agent: string) =>
  Effect.gen(function*() {
    const { execute, skillsPrompt, toolNames } = yield* Toolkit
    yield* Console.log(`${agent}: ${(yield* toolNames).join(", ")}`)
    yield* Console.log(yield* skillsPrompt)
    yield* Console.log((yield* execute("skill", { name: "refund" })).output.split("\n")[0])
    yield* Console.log(
      (yield* execute("skill", { name: "release-notes", file: "templates/notes.md" })).output.split("\n")[0]
    )
  })

const program = Effect.gen(function*() {
  yield* Effect.provide(show("writer"), yield* forAgent({ refund: false }))
  yield* Console.log("")
  yield* Effect.provide(show("support"), yield* forAgent({ refund: true, tone: true }))
})

NodeRuntime.runMain(Effect.provide(program, shared))
