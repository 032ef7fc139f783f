/** Skills as data, from a provider, and filtered: an explicit word of the filter wins over `disableSkills`. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect } from "effect"
import { LogFailures, Toolkit, ToolkitLive } from "effect-toolnexus"

const toolkit = ToolkitLive({
  skillDefs: [
    { name: "greeting", description: "How to greet a customer", content: "Be warm." },
    { name: "refund", description: "How to refund an order", content: "Ask for the order first." },
    { name: "legal", description: "What not to promise", content: "Promise nothing." }
  ],
  // a provider that fails costs only its own skills
  skillProvider: () => {
    throw new Error("the database is down")
  },
  disableSkills: ["refund", "legal"],
  skillsFilter: { refund: true, greeting: true },
  builtins: false
})

const program = Effect.gen(function*() {
  const { errors, execute, skills, skillsPrompt, statuses } = yield* Toolkit
  yield* Console.log((yield* skills).map(({ name }) => name))
  yield* Console.log(yield* skillsPrompt)
  yield* Console.log(yield* statuses)
  yield* Console.log(Object.values(yield* errors))
  yield* Console.log((yield* execute("skill", { name: "refund" })).output)
  yield* Console.log((yield* execute("skill", { name: "legal" })).output)
})

// what has failed is printed above
NodeRuntime.runMain(Effect.provideService(Effect.provide(program, toolkit), LogFailures, false))
