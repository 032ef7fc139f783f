/** Skills and nothing else: what goes into the system prompt, and what the model gets when it loads one. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect } from "effect"
import { Toolkit, ToolkitLive } from "effect-toolnexus"
import { join } from "node:path"

const program = Effect.gen(function*() {
  const { execute, skillsPrompt, toolNames } = yield* Toolkit
  yield* Console.log(yield* toolNames)
  yield* Console.log(yield* skillsPrompt)
  yield* Console.log((yield* execute("skill", `{"name": "release-notes"}`)).output)
})

const skills = join(import.meta.dirname, "../quickstart/skills")
NodeRuntime.runMain(Effect.provide(program, ToolkitLive({ skills, builtins: false })))
