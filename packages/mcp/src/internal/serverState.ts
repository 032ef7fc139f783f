/** What is known of one server at a time; its entry is made of that. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import type { McpSession, RawTool } from "../McpSession.ts"
import type { Serving } from "./callTool.ts"
import { diagnosticsOf, type ReadServer } from "./readServers.ts"

/** A server whose tools are known: it is connected, or was. */
export interface Listed {
  readonly _tag: "Listed"
  readonly serving: Serving
  /** What it said of itself when it was connected. */
  readonly greeting: Pick<McpSession, "capabilities" | "instructions">
  readonly tools: ReadonlyArray<RawTool>
  /** Of the configuration, and of the connection; a list that changes doesn't touch them. */
  readonly startDiagnostics: ReadonlyArray<Diagnostic>
  /** Why it had to be repaired the last time. */
  readonly repairDiagnostics: ReadonlyArray<Diagnostic>
  /** Of the list; a new list brings its own. */
  readonly listDiagnostics: ReadonlyArray<Diagnostic>
  /** Why it is gone, while it is. */
  readonly trouble?: Trouble
}

/** A server of which no list is known: on its way, switched off, or failed. */
export interface Unlisted {
  readonly _tag: "Unlisted"
  readonly entry: SourceEntry.SourceEntry
}

export type ServerState = Listed | Unlisted

/** Why a server isn't connected. */
export interface Trouble {
  readonly error: SourceEntry.EntryError
  /** Whether somebody is at it. */
  readonly isRepaired: boolean
  /** How far that is, or how it ended. */
  readonly note?: Diagnostic
}

export const unlisted = (entry: SourceEntry.SourceEntry): ServerState => ({ _tag: "Unlisted", entry })

/** Where every server begins. */
export const connecting = ({ flags, name }: ReadServer): ServerState => unlisted(SourceEntry.connecting(name, flags))

export const isConnecting = (state: ServerState | undefined): boolean =>
  state?._tag === "Unlisted" && state.entry._tag === "Connecting"

/** A server that is gone, or never came; what was known of it stays listed. */
export const troubled = (before: ServerState | undefined, server: ReadServer, trouble: Trouble): ServerState => {
  if (before?._tag === "Listed") return { ...before, trouble }
  const fields = { ...server.flags, diagnostics: [...diagnosticsOf(server), ...notesOf(trouble)] }
  return unlisted(toEntry(trouble, fields))
}

/** The entry of a server in trouble. */
export const toEntry = (
  { error, isRepaired }: Trouble,
  fields: Partial<SourceEntry.EntryFields>
): SourceEntry.SourceEntry => {
  if (isRepaired) return SourceEntry.reconnecting(error.entry, error, fields)
  return error.challenge === undefined ? SourceEntry.failed(error, fields) : SourceEntry.needsAuth(error, fields)
}

export const notesOf = (trouble: Trouble | undefined): ReadonlyArray<Diagnostic> =>
  trouble?.note === undefined ? [] : [trouble.note]
