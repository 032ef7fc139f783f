/** The states of all servers as the entries of one source: names are given over all tools at once. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import type { Tool } from "@effect-toolnexus/core/Tool"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Effect from "effect/Effect"
import type { RawTool } from "../McpSession.ts"
import { callTool } from "./callTool.ts"
import type { Connected, ServerState } from "./connectServer.ts"
import { diagnostic } from "./entryError.ts"
import type { Run } from "./progressRelay.ts"
import * as ToolFilter from "./toolFilter.ts"

export const toEntries = Effect.fnUntraced(function*(states: ReadonlyMap<string, ServerState>, run: Run) {
  const names = yield* assignNames(states)
  return [...states.values()].map((state) => state._tag === "Unconnected" ? state.entry : toEntry(state, names, run))
})

type Names = ReadonlyMap<string, ReadonlyMap<string, string>>

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
  tools.filter(({ name }) => ToolFilter.accepts(server.tools, name))

const toEntry = (state: Connected, names: Names, run: Run): SourceEntry.SourceEntry => {
  const { failure, server: { name } } = state
  const tools = wanted(state).map((raw) => toTool(state, raw, names.get(name)?.get(raw.name) ?? raw.name, run))
  const diagnostics = [...state.startDiagnostics, ...state.listDiagnostics, ...filterDiagnostics(state)]
  // A dead server's tools stay listed: a model that was offered one learns that it is unavailable, not that it is unknown.
  return failure === undefined
    ? SourceEntry.loaded(name, { tools, diagnostics })
    : SourceEntry.failed(failure, { tools, diagnostics })
}

const toTool = ({ server, session }: Connected, raw: RawTool, name: string, run: Run): Tool => ({
  ...raw,
  name,
  source: "mcp",
  origin: { kind: "mcp", entry: server.name, name: raw.name },
  handler: callTool({ server: server.name, session, limits: server.timeout, run }, raw.name)
})

const filterDiagnostics = ({ server, tools }: Connected): ReadonlyArray<Diagnostic> =>
  ToolFilter.unmatched(server.tools, new Set(tools.map(({ name }) => name))).map((name) =>
    diagnostic(server.name, "warning", "unknown-tool", `it has no tool "${name}"`, `${server.path}.tools`)
  )
