/** An API that describes itself in an OpenAPI document, and an endpoint that doesn't, both as tools of one toolkit. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Environment, httpTool, openApiTools, Toolkit, ToolkitLive } from "effect-toolnexus"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { startApi } from "./api.ts"

const program = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  for (const { description, name, origin } of yield* toolkit.tools) {
    yield* Console.log(`${name}  ${description}  (${origin.name})`)
  }
  yield* Console.log("\nfor createTicket a model is told:")
  const [ticket] = (yield* toolkit.tools).filter(({ name }) => name === "createTicket")
  yield* Console.log(JSON.stringify(ticket?.inputSchema))

  yield* Console.log("\nwhat arrives:")
  const call = (name: string, args: string) =>
    Effect.flatMap(toolkit.execute(name, args), ({ output }) => Console.log(output))
  yield* call("listTickets", `{"tag": ["open", "a & b"], "limit": 5}`)
  yield* call("createTicket", `{"body": {"title": "Tea is out", "parent": {"title": "Kitchen"}}}`)
  yield* call("comment", `{"ticket": "7/8", "text": "Buy some", "notify": true}`)

  yield* Console.log("\nand what doesn't:")
  yield* call("comment", `{"ticket": "..", "text": "Up we go"}`)
  yield* call("createTicket", `{"body": {"name": "no title"}}`)
  yield* call("listTickets", `{"limit": 1000}`)
})

const main = Effect.gen(function*() {
  const api = yield* startApi
  const comment = httpTool({
    name: "comment",
    description: "Comments on a ticket",
    method: "POST",
    url: `${api}/v1/tickets/{ticket}/comments`,
    query: ["notify"],
    headers: { Authorization: "Bearer ${TICKETS_TOKEN}" }
  })
  const tickets = openApiTools(`${api}/openapi.json`, {
    security: { token: "${TICKETS_TOKEN}" },
    exclude: ["DELETE"]
  })
  yield* Effect.provide(program, ToolkitLive({ tools: [tickets, comment], builtins: false }))
})

NodeRuntime.runMain(
  // in a real program this is the environment's
  Effect.provideService(Effect.scoped(main), Environment, { TICKETS_TOKEN: "let-me-in" })
)
