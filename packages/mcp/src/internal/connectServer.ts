/** A server taken from its definition to its first list of tools, or to the reason why not. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Tracing from "@effect-toolnexus/core/Tracing"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { type EnabledServer, type McpServerDefinition, normalize } from "../McpConfig.ts"
import { connect, type McpSession, type Noise, type RawTool } from "../McpSession.ts"
import { broken } from "./broken.ts"
import { diagnostic } from "./entryError.ts"
import { type Flags, readFlags } from "./readServer.ts"

/** A server that answered and listed its tools, all of them. */
export interface Connected {
  readonly _tag: "Connected"
  readonly server: EnabledServer
  readonly session: McpSession
  /** One for each call that may run at once, where that is bounded; a new list changes nothing about it. */
  readonly permits: Semaphore.Semaphore | undefined
  readonly tools: ReadonlyArray<RawTool>
  /** Of the configuration, and of the start; they stay the same. */
  readonly startDiagnostics: ReadonlyArray<Diagnostic>
  /** Of the list; a new list brings its own. */
  readonly listDiagnostics: ReadonlyArray<Diagnostic>
  /** Why it is gone, once it is. */
  readonly failure?: SourceEntry.EntryError
}

/** A server without a connection: on its way to one, switched off, or failed. */
export interface Unconnected {
  readonly _tag: "Unconnected"
  readonly entry: SourceEntry.SourceEntry
}

export type ServerState = Connected | Unconnected

/** A definition that was read, once and for all: what it says the next time doesn't matter. */
export interface ReadServer {
  readonly name: string
  readonly flags: Flags
  readonly normalized: ReturnType<typeof normalize>
}

/** Sorted by name; of two with one name the later wins. */
export const readServers = (
  servers: Iterable<readonly [name: string, definition: McpServerDefinition]>
): ReadonlyArray<ReadServer> =>
  [...new Map(servers)]
    .toSorted(([left], [right]) => ToolName.byCodePoints(left, right))
    .map(([name, definition]) => ({ name, flags: readFlags(definition), normalized: normalize(name, definition) }))

/** Where every server begins. */
export const connecting = ({ flags, name }: ReadServer): ServerState => unconnected(SourceEntry.connecting(name, flags))

const unconnected = (entry: SourceEntry.SourceEntry): ServerState => ({ _tag: "Unconnected", entry })

/** Where a server ends that can't be used. */
export const failed = (
  { flags }: ReadServer,
  error: SourceEntry.EntryError,
  diagnostics: ReadonlyArray<Diagnostic> = []
): ServerState => unconnected(SourceEntry.failed(error, { diagnostics, ...flags }))

/** Never fails: a failure is a state. The caller's scope holds the connection, also one that failed. */
export const connectServer = Effect.fnUntraced(
  function*(given: ReadServer, slots: Semaphore.Semaphore) {
    const { name, normalized } = given
    if (Result.isFailure(normalized)) return failed(given, normalized.failure.error, normalized.failure.diagnostics)
    const { diagnostics, server } = normalized.success
    if (server._tag === "Disabled") return unconnected(SourceEntry.disabled(name))
    return yield* connectAndList(server, diagnostics, slots).pipe(
      // a defect on the way costs only that server
      Effect.catchDefect((defect) => broken(name, "initialize", (text) => text, defect)),
      Effect.catch((error) => Effect.succeed(failed(given, error, diagnostics)))
    )
  }
)

const connectAndList = Effect.fnUntraced(
  function*(server: EnabledServer, diagnostics: ReadonlyArray<Diagnostic>, slots: Semaphore.Semaphore) {
    const session = yield* Tracing.entrySpan(connect({ server, slots }), "source.connect", spanOf(server, "initialize"))
    const list = yield* Tracing.entrySpan(session.listTools, "source.list", spanOf(server, "tools/list"))
    const state: ServerState = {
      _tag: "Connected",
      server,
      session,
      permits: server.maxConcurrent === undefined ? undefined : yield* Semaphore.make(server.maxConcurrent),
      tools: list.tools,
      startDiagnostics: [...diagnostics, ...noiseDiagnostics(server.name, yield* session.noise)],
      listDiagnostics: list.diagnostics
    }
    return state
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
