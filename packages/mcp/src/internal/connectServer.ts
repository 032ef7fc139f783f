/** One connection to a server, up to its first list of tools. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Tracing from "@effect-toolnexus/core/Tracing"
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"
import type { EnabledServer } from "../McpConfig.ts"
import { connect, type McpSession, type Noise, type ToolList } from "../McpSession.ts"
import { broken } from "./broken.ts"
import { diagnostic } from "./entryError.ts"

/** A server that answered and listed its tools, all of them. */
export interface Connection {
  readonly session: McpSession
  readonly list: ToolList
  /** What was odd on the way. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** The caller's scope holds the connection, also one that failed. A defect on the way costs only that server. */
export const connectServer = (server: EnabledServer, slots: Semaphore.Semaphore) =>
  Effect.catchDefect(
    connectAndList(server, slots),
    (defect): Effect.Effect<never, EntryError> => broken(server.name, "initialize", (text) => text, defect)
  )

const connectAndList = Effect.fnUntraced(
  function*(server: EnabledServer, slots: Semaphore.Semaphore) {
    const session = yield* Tracing.entrySpan(connect({ server, slots }), "source.connect", spanOf(server, "initialize"))
    const list = yield* Tracing.entrySpan(session.listTools, "source.list", spanOf(server, "tools/list"))
    const connection: Connection = {
      session,
      list,
      diagnostics: noiseDiagnostics(server.name, yield* session.noise)
    }
    return connection
  }
)

const spanOf = ({ name }: EnabledServer, method: string) => ({
  "toolnexus.source": "mcp",
  "toolnexus.entry": name,
  "mcp.method.name": method
})

const noiseDiagnostics = (name: string, noise: Noise): ReadonlyArray<Diagnostic> => {
  if (noise.lines === 0) return []
  const samples = noise.samples.map((sample) => JSON.stringify(sample)).join(", ")
  const what = noise.lines === 1
    ? "a line on stdout that is no message"
    : `${noise.lines} lines on stdout that are no messages`
  const message = `it wrote ${what}, e.g. ${samples}`
  return [diagnostic(name, "warning", "stdout-noise", message)]
}
