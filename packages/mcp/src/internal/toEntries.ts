/** The states of all servers as the entries of one source: names are given over all tools at once. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as NameFilter from "@effect-toolnexus/core/NameFilter"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import type { Tool } from "@effect-toolnexus/core/Tool"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Effect from "effect/Effect"
import type { RawTool } from "../McpSession.ts"
import { type Ask, callTool, type Serving } from "./callTool.ts"
import { diagnostic } from "./entryError.ts"
import { offers } from "./offers.ts"
import { type AddedTool, resourceTools } from "./resourceTools.ts"
import { type Listed, notesOf, type ServerState, toEntry as toTroubledEntry } from "./serverState.ts"

export type ToEntries = (
  states: ReadonlyMap<string, ServerState>
) => Effect.Effect<ReadonlyArray<SourceEntry.SourceEntry>>

/** What didn't change keeps its entry and its tools, so that whoever follows sees what did. */
export const makeToEntries = (): ToEntries => {
  const entries = new WeakMap<Listed, Named<SourceEntry.SourceEntry>>()
  const lists = new WeakMap<Listed["tools"], Named<ReadonlyArray<Tool>>>()
  const toolsOf = (state: Listed, names: OwnNames) => recall(lists, state.tools, names, () => toTools(state, names))
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

/** Final names by original name: of the tools that a server lists, and of those that we add. */
interface OwnNames {
  readonly listed: ReadonlyMap<string, string>
  readonly added: ReadonlyMap<string, string>
}

const NO_NAMES: OwnNames = { listed: new Map(), added: new Map() }

const sameNames = (left: OwnNames, right: OwnNames): boolean =>
  sameEntries(left.listed, right.listed) && sameEntries(left.added, right.added)

const sameEntries = (left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean =>
  left.size === right.size && [...left].every(([original, name]) => right.get(original) === name)

/** A tool's claim to a name, and where the name it gets is kept. */
interface Claim extends ToolName.Candidate {
  readonly names: Map<string, string>
}

/**
 * One name for each pair of server and original name: of two tools that share both, the second is shadowed. A tool that
 * we add claims after those of its server, so that the server's own keeps the name.
 */
const assignNames = Effect.fnUntraced(function*(states: ReadonlyMap<string, ServerState>) {
  const claims: Array<Claim> = []
  const byServer = new Map<string, OwnNames>()
  for (const [entry, state] of states) {
    if (state._tag === "Unlisted") continue
    const claim = (tools: ReadonlyArray<RawTool>) => {
      const names = new Map<string, string>()
      for (const original of new Set(tools.map(({ name }) => name))) {
        claims.push({ parts: [entry, original], entry, original, names })
      }
      return names
    }
    byServer.set(entry, { listed: claim(wanted(state)), added: claim(added(state).map(({ raw }) => raw)) })
  }
  const assigned = yield* ToolName.assign(claims)
  claims.forEach(({ names, original }, index) => names.set(original, assigned[index] ?? original))
  return byServer
})

const wanted = ({ serving: { server }, tools }: Listed): ReadonlyArray<RawTool> =>
  tools.filter(({ name }) => NameFilter.accepts(server.tools, name))

const added = ({ greeting, serving: { server } }: Listed): ReadonlyArray<AddedTool> =>
  server.resourcesAsTools && offers(greeting.capabilities, "resources") ? resourceTools(server.name) : []

const toTools = (state: Listed, names: OwnNames): ReadonlyArray<Tool> => [
  ...wanted(state).map((raw) => toTool(state.serving, raw, names.listed)),
  ...added(state).map(({ ask, raw }) => toTool(state.serving, raw, names.added, ask))
]

const toEntry = (state: Listed, tools: ReadonlyArray<Tool>): SourceEntry.SourceEntry => {
  const { serving: { server: { name, required, trusted } }, trouble } = state
  const diagnostics = [
    ...state.startDiagnostics,
    ...state.listDiagnostics,
    ...filterDiagnostics(state),
    ...(trouble === undefined ? state.repairDiagnostics : notesOf(trouble))
  ]
  // the tools of one that is gone stay listed: a model that was offered one learns that it is unavailable, not unknown
  const fields = { tools, diagnostics, ...(required ? { required } : {}), ...(trusted ? { trusted } : {}) }
  return trouble === undefined ? SourceEntry.loaded(name, fields) : toTroubledEntry(trouble, fields)
}

const toTool = (serving: Serving, raw: RawTool, names: ReadonlyMap<string, string>, ask?: Ask): Tool => ({
  ...raw,
  name: names.get(raw.name) ?? raw.name,
  source: "mcp",
  origin: { kind: "mcp", entry: serving.server.name, name: raw.name },
  handler: callTool(serving, raw, ask)
})

/** What the configuration names and the server doesn't have. */
const filterDiagnostics = (state: Listed): ReadonlyArray<Diagnostic> => {
  const { serving: { server }, tools } = state
  const listed = new Set(tools.map(({ name }) => name))
  const known = new Set([...listed, ...added(state).map(({ raw: { name } }) => name)])
  const warn = (code: string, key: string, message: string) =>
    diagnostic(server.name, "warning", code, message, `${server.path}.${key}`)
  const unknown = (name: string, key: string) => warn("unknown-tool", key, `it has no tool "${name}"`)
  return [
    ...NameFilter.unmatched(server.tools, listed).map((name) => unknown(name, "tools")),
    ...[...server.toolTimeouts.keys()].filter((name) => !known.has(name)).map((name) => unknown(name, "toolTimeouts")),
    ...(server.resourcesAsTools && added(state).length === 0
      ? [warn("no-resources", "resourcesAsTools", NO_RESOURCES)]
      : [])
  ]
}

const NO_RESOURCES = "it offers no resources, so there are no tools for them"
