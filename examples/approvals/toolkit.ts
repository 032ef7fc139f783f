/** The same toolkit in every process: what a suspended call needs is in its request, and not in this memory. */
import { Effect, FileSystem } from "effect"
import { defineTool, Policy, ToolkitLive } from "effect-toolnexus"

export const log = `${process.argv[2] ?? "."}/log.txt`

const pay = defineTool({
  name: "pay",
  description: "Pays an amount",
  input: {
    type: "object",
    properties: { to: { type: "string" }, amount: { type: "number" } },
    required: ["to", "amount"]
  },
  handler: ({ amount, to }) =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const line = `paid ${JSON.stringify(amount)} to ${JSON.stringify(to)}`
      yield* fs.writeFileString(log, `${line}\n`, { flag: "a" })
      return line
    })
})

export const toolkit = ToolkitLive({
  tools: [pay],
  builtins: false,
  policy: [Policy.ask({ tool: "pay", when: ({ amount }) => Number(amount) > 100, reason: "more than 100" })]
})
