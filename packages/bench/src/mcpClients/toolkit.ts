/** The whole toolkit, imported and used as an application does. */
import { LogFailures, Toolkit } from "@effect-toolnexus/core"
import { ToolkitLive } from "@effect-toolnexus/toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { byName, type Client, ECHO, type Server } from "./client.ts"

const layer = (servers: ReadonlyArray<Server>, limit: number | undefined) => {
  const toEntry = (server: Server) => ({ ...server, ...(limit === undefined ? {} : { timeout: { startup: limit } }) })
  return ToolkitLive({ config: { mcpServers: byName(servers, toEntry) }, builtins: false })
}

export const client: Client = {
  open: async (servers, limit) => {
    const scope = Scope.makeUnsafe()
    // standard output is the worker's own
    const build = Effect.provideService(Layer.buildWithScope(layer(servers, limit), scope), LogFailures, false)
    const context = await Effect.runPromise(build)
    const toolkit = Context.get(context, Toolkit)
    const callOnce = toolkit.call("s0_echo", ECHO)
    return {
      tools: (await Effect.runPromise(toolkit.tools)).length,
      call: (count, atOnce) =>
        Effect.runPromise(
          Effect.forEach(Array.from({ length: count }), () => callOnce, { concurrency: atOnce, discard: true })
        ),
      close: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
