/** The official client of MCP, and a call by it. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import * as Effect from "effect/Effect"

export const connect = Effect.fnUntraced(function*(transport: Transport) {
  const client = new Client({ name: "test", version: "1" })
  yield* Effect.addFinalizer(() => Effect.promise(() => client.close()))
  yield* Effect.promise(() => client.connect(transport))
  return client
})

export const call = (client: Client, name: string, options?: Parameters<Client["callTool"]>[2]) =>
  Effect.promise(() => client.callTool({ name, arguments: { city: "Oslo" } }, undefined, options))
