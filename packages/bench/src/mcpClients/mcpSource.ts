/** Our source of MCP servers alone, module by module: calls go to its sessions, without a toolkit's pipeline. */
import { Source } from "@effect-toolnexus/core/Source"
import { McpSource } from "@effect-toolnexus/mcp/McpSource"
import * as NodePlatform from "@effect-toolnexus/toolkit/NodePlatform"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { byName, type Client, ECHO, type Server } from "./client.ts"

const layer = (servers: ReadonlyArray<Server>, limit: number | undefined) => {
  const toDefinition = (server: Server) => ({
    config: { ...server, ...(limit === undefined ? {} : { timeout: { startup: limit } }) },
    folder: process.cwd(),
    path: "bench"
  })
  return Layer.provide(
    McpSource.layer({ servers: Object.entries(byName(servers, toDefinition)) }),
    NodePlatform.layer
  )
}

const openIn = Effect.fnUntraced(function*(scope: Scope.Scope, servers: ReadonlyArray<Server>, limit?: number) {
  const context = yield* Layer.buildWithScope(layer(servers, limit), scope)
  const entries = yield* Source.settled(Context.get(context, Source))
  const sessions = yield* Context.get(context, McpSource).connections
  return { tools: entries.reduce((sum, { tools }) => sum + tools.length, 0), session: sessions.get("s0") }
})

export const client: Client = {
  open: async (servers, limit) => {
    const scope = Scope.makeUnsafe()
    const { session, tools } = await Effect.runPromise(openIn(scope, servers, limit))
    const callOnce = Effect.suspend(() => session?.callTool("echo", ECHO) ?? Effect.die("s0 is not connected"))
    return {
      tools,
      call: (count, atOnce) =>
        Effect.runPromise(
          Effect.forEach(Array.from({ length: count }), () => callOnce, { concurrency: atOnce, discard: true })
        ),
      close: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
