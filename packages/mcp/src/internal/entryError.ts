/** Errors and diagnostics of one server's entry. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import { EntryError, type Phase } from "@effect-toolnexus/core/SourceEntry"

export const entryError = (entry: string, phase: Phase, detail: string): EntryError =>
  new EntryError({ kind: "mcp", entry, phase, detail })

export const diagnostic = (
  entry: string,
  level: Diagnostic["level"],
  code: string,
  message: string,
  path?: string
): Diagnostic => ({ level, code, entry, message, ...(path === undefined ? {} : { path }) })

/** Enough of stderr for a person to see what happened; the whole tail is on the session. */
const SHOWN_LINES = 10
const SHOWN_LENGTH = 2000

/** Where in its own code a program was, and Node's farewell: they would push out what went wrong. */
const TRACE = /^\s+at |^Node\.js v\d/

/** What went wrong, as programs of many kinds put it. */
const ERROR = /^\s*(?:Uncaught |\[cause\]: )?[\w.]*(?:Error|Exception)\b.*:/

export const withStderr = (detail: string, stderr: string): string => {
  const said = stderr.trim().split("\n")
  const lines = said.filter((line) => !TRACE.test(line))
  const end = lines.slice(-SHOWN_LINES).join("\n").trim().slice(-SHOWN_LENGTH).toWellFormed()
  if (end === "") return detail
  const traces = said.length - lines.length
  const note = traces === 0 ? "" : ` (${traces} ${traces === 1 ? "line" : "lines"} of stack traces left out)`
  return `${detail}; its stderr ends with${note}:\n${errorBefore(lines, end)}${end}`
}

const SHOWN_ERROR_LENGTH = 500

/** Without the error that led to it, the end of an output may say nothing. */
const errorBefore = (lines: ReadonlyArray<string>, end: string): string => {
  if (end.split("\n").some((line) => ERROR.test(line))) return ""
  const error = lines.findLast((line) => ERROR.test(line))
  return error === undefined ? "" : `${error.trim().slice(0, SHOWN_ERROR_LENGTH).toWellFormed()}\n...\n`
}
