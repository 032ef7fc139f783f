/** The states of all servers as the entries of one source: names are given over all tools at once. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as NameFilter from "@effect-toolnexus/core/NameFilter"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import type { Tool } from "@effect-toolnexus/core/Tool"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Effect from "effect/Effect"
import type { RawTool } from "../McpSession.ts"
import { callTool } from "./callTool.ts"
import type { Connected, ServerState } from "./connectServer.ts"
import { diagnostic } from "./entryError.ts"
import type { Run } from "./progressRelay.ts"

export type ToEntries = (
  states: ReadonlyMap<string, ServerState>
) => Effect.Effect<ReadonlyArray<SourceEntry.SourceEntry>>

/** What didn't change keeps its entry and its tools, so that whoever follows sees what did. */
export const makeToEntries = (run: Run): ToEntries => {
  const made = new WeakMap<Connected, Made>()
  return Effect.fnUntraced(function*(states: ReadonlyMap<string, ServerState>) {
    const names = yield* assignNames(states)
    return [...states].map(([name, state]) => {
      if (state._tag === "Unconnected") return state.entry
      const own = names.get(name) ?? NO_NAMES
      const before = made.get(state)
      if (before !== undefined && sameNames(before.names, own)) return before.entry
      const entry = toEntry(state, own, run)
      made.set(state, { names: own, entry })
      return entry
    })
  })
}

interface Made {
  readonly names: OwnNames
  readonly entry: SourceEntry.SourceEntry
}

/** Final names by original name. */
type OwnNames = ReadonlyMap<string, string>

const NO_NAMES: OwnNames = new Map()

const sameNames = (left: OwnNames, right: OwnNames): boolean =>
  left.size === right.size && [...left].every(([original, name]) => right.get(original) === name)

/** One name for each pair of server and original name: of two tools that share both, the second is shadowed. */
const assignNames = Effect.fnUntraced(function*(states: ReadonlyMap<string, ServerState>) {
  const candidates: Array<ToolName.Candidate> = []
  for (const [entry, state] of states) {
    if (state._tag === "Unconnected") continue
    for (const original of new Set(wanted(state).map(({ name }) => name))) {
      candidates.push({ parts: [entry, original], entry, original })
    }
  }
  const assigned = yield* ToolName.assign(candidates)
  const names = new Map<string, Map<string, string>>()
  candidates.forEach(({ entry, original }, index) => {
    const own = names.get(entry) ?? new Map<string, string>()
    names.set(entry, own.set(original, assigned[index] ?? original))
  })
  return names
})

const wanted = ({ server, tools }: Connected): ReadonlyArray<RawTool> =>
  tools.filter(({ name }) => NameFilter.accepts(server.tools, name))

const toEntry = (state: Connected, names: OwnNames, run: Run): SourceEntry.SourceEntry => {
  const { failure, server: { name, required, trusted } } = state
  const tools = wanted(state).map((raw) => toTool(state, raw, names.get(raw.name) ?? raw.name, run))
  const diagnostics = [...state.startDiagnostics, ...state.listDiagnostics, ...filterDiagnostics(state)]
  // A dead server's tools stay listed: a model that was offered one learns that it is unavailable, not that it is unknown.
  const fields = { tools, diagnostics, ...(required ? { required } : {}), ...(trusted ? { trusted } : {}) }
  return failure === undefined ? SourceEntry.loaded(name, fields) : SourceEntry.failed(failure, fields)
}

const toTool = ({ permits, server, session }: Connected, raw: RawTool, name: string, run: Run): Tool => ({
  ...raw,
  name,
  source: "mcp",
  origin: { kind: "mcp", entry: server.name, name: raw.name },
  handler: callTool({ server: server.name, session, permits, limits: server.timeout, run }, raw.name)
})

const filterDiagnostics = ({ server, tools }: Connected): ReadonlyArray<Diagnostic> =>
  NameFilter.unmatched(server.tools, new Set(tools.map(({ name }) => name))).map((name) =>
    diagnostic(server.name, "warning", "unknown-tool", `it has no tool "${name}"`, `${server.path}.tools`)
  )
