/** A program without Effect: a toolkit by `await using`, calls as Promises, errors by their tag, a signal, an approval. */
import { Schema } from "effect"
import { Answer, createToolkit, defineTool, Policy } from "effect-toolnexus"

const stock: Record<string, number> = { tea: 12 }

const count = defineTool({
  name: "count",
  description: "How many of an item are left",
  input: Schema.Struct({ item: Schema.String }),
  // what it throws is the call's error; `signal` aborts with the call
  handler: async ({ item }, { signal }) => {
    signal.throwIfAborted()
    const left = stock[item]
    if (left === undefined) throw new Error(`There is no ${item}`)
    return await Promise.resolve(`${left} left`)
  }
})

const sell = defineTool({
  name: "sell",
  input: Schema.Struct({ item: Schema.String }),
  handler: ({ item }) => `sold one ${item}`
})

{
  await using toolkit = await createToolkit({
    builtins: false,
    tools: [count, sell],
    // Ctrl-C closes it, and then ends the program
    closeOn: ["SIGINT", "SIGTERM", "SIGHUP"],
    policy: [Policy.ask({ tool: "sell" })],
    waitFor: (request) => {
      console.log(request.prompt)
      return Answer.make(request, true)
    }
  })

  console.log(await toolkit.toolNames())
  console.log((await toolkit.call("count", { item: "tea" }, { signal: AbortSignal.timeout(5000) })).output)
  for (const [name, args] of [["count", { item: "coffee" }], ["count", {}], ["cuont", {}]] as const) {
    try {
      await toolkit.call(name, args)
    } catch (error) {
      if (error instanceof Error) console.log(`${error.name}: ${error.message}`)
    }
  }
  console.log((await toolkit.call("sell", { item: "tea" })).output)
  // for a model: every failure is a result that says what to do
  console.log(await toolkit.execute("cuont"))
  console.log((await toolkit.toAnthropic()).map(({ name }) => name))
}
// closed: every connection, process and timer of the toolkit is gone
