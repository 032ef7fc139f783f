/** The states of all servers as the entries of one source: names are given over all tools at once. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as NameFilter from "@effect-toolnexus/core/NameFilter"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import type { Tool } from "@effect-toolnexus/core/Tool"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Effect from "effect/Effect"
import type { RawTool } from "../McpSession.ts"
import { callTool, type Serving } from "./callTool.ts"
import { diagnostic } from "./entryError.ts"
import { type Listed, notesOf, type ServerState, toEntry as toTroubledEntry } from "./serverState.ts"

export type ToEntries = (
  states: ReadonlyMap<string, ServerState>
) => Effect.Effect<ReadonlyArray<SourceEntry.SourceEntry>>

/** What didn't change keeps its entry and its tools, so that whoever follows sees what did. */
export const makeToEntries = (): ToEntries => {
  const entries = new WeakMap<Listed, Named<SourceEntry.SourceEntry>>()
  const lists = new WeakMap<Listed["tools"], Named<ReadonlyArray<Tool>>>()
  const toolsOf = (state: Listed, names: OwnNames) =>
    recall(lists, state.tools, names, () => wanted(state).map((raw) => toTool(state.serving, raw, names)))
  return Effect.fnUntraced(function*(states: ReadonlyMap<string, ServerState>) {
    const names = yield* assignNames(states)
    return [...states].map(([name, state]) => {
      if (state._tag === "Unlisted") return state.entry
      const own = names.get(name) ?? NO_NAMES
      return recall(entries, state, own, () => toEntry(state, toolsOf(state, own)))
    })
  })
}

/** What was made under these names. */
interface Named<A> {
  readonly names: OwnNames
  readonly made: A
}

const recall = <K extends object, A>(known: WeakMap<K, Named<A>>, key: K, names: OwnNames, make: () => A): A => {
  const before = known.get(key)
  if (before !== undefined && sameNames(before.names, names)) return before.made
  const made = make()
  known.set(key, { names, made })
  return made
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
    if (state._tag === "Unlisted") continue
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

const wanted = ({ serving: { server }, tools }: Listed): ReadonlyArray<RawTool> =>
  tools.filter(({ name }) => NameFilter.accepts(server.tools, name))

const toEntry = (state: Listed, tools: ReadonlyArray<Tool>): SourceEntry.SourceEntry => {
  const { serving: { server: { name, required, trusted } }, trouble } = state
  const diagnostics = [
    ...state.startDiagnostics,
    ...state.listDiagnostics,
    ...filterDiagnostics(state),
    ...notesOf(trouble)
  ]
  // the tools of one that is gone stay listed: a model that was offered one learns that it is unavailable, not unknown
  const fields = { tools, diagnostics, ...(required ? { required } : {}), ...(trusted ? { trusted } : {}) }
  return trouble === undefined ? SourceEntry.loaded(name, fields) : toTroubledEntry(trouble, fields)
}

const toTool = (serving: Serving, raw: RawTool, names: OwnNames): Tool => ({
  ...raw,
  name: names.get(raw.name) ?? raw.name,
  source: "mcp",
  origin: { kind: "mcp", entry: serving.server.name, name: raw.name },
  handler: callTool(serving, raw)
})

const filterDiagnostics = ({ serving: { server }, tools }: Listed): ReadonlyArray<Diagnostic> => {
  const known = new Set(tools.map(({ name }) => name))
  const unknown = (name: string, key: string) =>
    diagnostic(server.name, "warning", "unknown-tool", `it has no tool "${name}"`, `${server.path}.${key}`)
  return [
    ...NameFilter.unmatched(server.tools, known).map((name) => unknown(name, "tools")),
    ...[...server.toolTimeouts.keys()].filter((name) => !known.has(name)).map((name) => unknown(name, "toolTimeouts"))
  ]
}
