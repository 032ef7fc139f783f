/** An entry whose tools are behind the pipeline; made anew only for an entry that has changed. */
import type { Diagnostic, SourceEntry, Tool } from "@effect-toolnexus/core"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Piped } from "./pipeline.ts"

export interface PipedEntry {
  readonly entry: SourceEntry.SourceEntry
  /** Of tools that couldn't be put there. */
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

type Entry = SourceEntry.SourceEntry

/**
 * Every tool of an entry behind the pipeline: no way leads around it. One that can't be put there is left out. `trusted`
 * gets those whose entry is, before and behind it.
 */
export const makeEntryPipe = (
  pipe: (tool: Tool.Tool) => Piped,
  trusted: WeakSet<Tool.Tool> = new WeakSet()
): (entry: Entry) => PipedEntry => {
  const made = new WeakMap<Entry, PipedEntry>()
  return (entry) => {
    const before = made.get(entry)
    if (before !== undefined) return before
    const piped = pipeTools(entry, pipe, trusted)
    made.set(entry, piped)
    return piped
  }
}

const pipeTools = (entry: Entry, pipe: (tool: Tool.Tool) => Piped, trusted: WeakSet<Tool.Tool>): PipedEntry => {
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  if (entry.tools.length === 0) return { entry, diagnostics }
  const tools = entry.tools.flatMap((tool) => {
    const lacking = lackOf(tool)
    if (lacking !== undefined) {
      diagnostics.push(brokenTool(entry.name, tool, `${lacking}; make tools by defineTool`))
      return []
    }
    if (entry.trusted === true) trusted.add(tool)
    const piped = pipe(tool)
    if (Result.isSuccess(piped)) {
      if (entry.trusted === true) trusted.add(piped.success)
      return [piped.success]
    }
    diagnostics.push(brokenTool(entry.name, tool, "a middleware threw when it was given it"))
    return []
  })
  return { entry: { ...entry, tools }, diagnostics }
}

/** What a tool lacks to be one: untyped callers and sources of others put anything among the tools. */
const lackOf = (tool: unknown): string | undefined => {
  if (!Predicate.isObject(tool)) return "it is no object"
  if (!Predicate.hasProperty(tool, "name") || typeof tool.name !== "string") return "it has no name"
  if (!Predicate.hasProperty(tool, "handler") || typeof tool.handler !== "function") return "it has no handler"
  if (!Predicate.hasProperty(tool, "inputSchema") || !Predicate.isObject(tool.inputSchema)) {
    return "it has no inputSchema"
  }
  return Predicate.hasProperty(tool, "origin") && Predicate.isObject(tool.origin) ? undefined : "it has no origin"
}

const brokenTool = (entry: string, tool: unknown, reason: string): Diagnostic.Diagnostic => {
  const name = Predicate.hasProperty(tool, "name") && typeof tool.name === "string" ? ` "${tool.name}"` : ""
  return { level: "error", code: "broken-tool", entry, message: `A tool${name} was left out: ${reason}` }
}
