/** A server taken from its definition to its first list of tools, or to the reason why not. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Semaphore from "effect/Semaphore"
import { type McpServerDefinition, normalize } from "../McpConfig.ts"
import { connect, type McpSession, type RawTool } from "../McpSession.ts"
import { diagnostic, entryError } from "./entryError.ts"
import { type EnabledServer, openServer } from "./openServer.ts"

/** A server that answered and listed its tools, all of them. */
export interface Connected {
  readonly _tag: "Connected"
  readonly server: EnabledServer
  readonly session: McpSession
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

/** Never fails: a failure is a state. The caller's scope holds the connection, also one that failed. */
export const connectServer = Effect.fnUntraced(
  function*(name: string, definition: McpServerDefinition, slots: Semaphore.Semaphore) {
    const normalized = normalize(name, definition)
    if (Result.isFailure(normalized)) return failed(normalized.failure)
    const { diagnostics, server } = normalized.success
    if (server._tag === "Disabled") return unconnected(SourceEntry.disabled(name))
    return yield* Effect.catch(
      connectAndList(server, diagnostics, slots),
      (error) => Effect.succeed(failed(error, diagnostics))
    )
  },
  // a defect of one server's transport costs only that server
  (effect, name) =>
    Effect.catchDefect(
      effect,
      (defect) => Effect.succeed(failed(entryError(name, "initialize", `it broke: ${describeDefect(defect)}`)))
    )
)

const describeDefect = (defect: unknown): string => defect instanceof Error ? defect.message : String(defect)

export const unconnected = (entry: SourceEntry.SourceEntry): ServerState => ({ _tag: "Unconnected", entry })

const failed = (error: SourceEntry.EntryError, diagnostics: ReadonlyArray<Diagnostic> = []): ServerState =>
  unconnected(SourceEntry.failed(error, { diagnostics }))

const connectAndList = Effect.fnUntraced(
  function*(server: EnabledServer, diagnostics: ReadonlyArray<Diagnostic>, slots: Semaphore.Semaphore) {
    const session = yield* connect(server.name, openServer(server, slots), server.timeout)
    const list = yield* session.listTools
    const state: ServerState = {
      _tag: "Connected",
      server,
      session,
      tools: list.tools,
      startDiagnostics: [...diagnostics, ...noiseDiagnostics(server.name, yield* session.noise)],
      listDiagnostics: list.diagnostics
    }
    return state
  }
)

const noiseDiagnostics = (name: string, noise: Effect.Success<McpSession["noise"]>): ReadonlyArray<Diagnostic> => {
  if (noise.lines === 0) return []
  const samples = noise.samples.map((sample) => JSON.stringify(sample)).join(", ")
  const what = noise.lines === 1
    ? "a line on stdout that is no message"
    : `${noise.lines} lines on stdout that are no messages`
  const message = `it wrote ${what}, e.g. ${samples}`
  return [diagnostic(name, "warning", "stdout-noise", message)]
}
