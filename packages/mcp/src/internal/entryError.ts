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

export const withStderr = (detail: string, stderr: string): string => {
  const lines = stderr.trim().split("\n").slice(-SHOWN_LINES).join("\n").slice(-SHOWN_LENGTH).toWellFormed()
  return lines === "" ? detail : `${detail}; its stderr ends with:\n${lines}`
}
