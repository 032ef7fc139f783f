/**
 * When a call may start: once no entry that is on its way could still take the name of its tool. So it doesn't wait for a
 * server that hangs and has nothing to do with it, and never reaches a tool that another one takes the place of.
 */
import type { Snapshot, SourceEntry, ToolkitEntry } from "@effect-toolnexus/core"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import { connecting } from "./useToolkit.ts"

/** The entries that have to settle first: all of them while there is no tool of that name. */
export const rivalsOf =
  (name: string, documents: ReadonlySet<string>) => (snapshot: Snapshot): ReadonlyArray<ToolkitEntry> => {
    const { byName, entries } = snapshot
    const tool = byName.get(name)
    // entries stand in the order of precedence
    const place = tool === undefined ? -1 : entries.findIndex(({ entry }) => entry.tools.includes(tool))
    const owner = entries[place]
    const all = connecting(snapshot)
    if (owner === undefined) return all
    const earlier = new Set(entries.slice(0, place))
    return all.filter((each) => {
      if (each.kind === "mcp") return isPrefix(each.entry, name)
      // agents take names from each other whatever their order
      return earlier.has(each) || each.kind === owner.kind || isReplacement(each, owner, documents)
    })
  }

/** An own tool may stand in a builtin's place, whatever the order; an operation of a document never does. */
const isReplacement = (each: ToolkitEntry, owner: ToolkitEntry, documents: ReadonlySet<string>): boolean =>
  each.kind === "extra" && owner.kind === "builtin" && !documents.has(each.entry.name)

/** Whether a tool of this name may be one of an entry whose tools begin with its name. */
export const isPrefix = (entry: SourceEntry.SourceEntry, name: string): boolean =>
  name.startsWith(`${ToolName.sanitize(entry.name)}_`)
