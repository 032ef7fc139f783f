/**
 * Log lines for the person at the shell, on standard error: one line each, and where the message has several, such as the
 * end of a server's stderr, those that follow are indented: none of them passes for a line of its own.
 */
import * as Cause from "effect/Cause"
import * as Formatter from "effect/Formatter"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import { plainText } from "./plainText.ts"

/**
 * `warning: message`. `lineStart` goes before each: at a terminal it clears the progress that may stand there.
 */
export const logger = (lineStart: string): Logger.Logger<unknown, void> =>
  Logger.withConsoleError(
    Logger.make(({ cause, logLevel, message }) => {
      const parts = (Array.isArray(message) ? message : [message]).map(showPart)
      const text = cause.reasons.length === 0 ? parts : [...parts, Cause.pretty(cause)]
      const shown = plainText(text.filter((part) => part !== "").join(" "))
      return `${lineStart}${labels[logLevel]}: ${shown.replaceAll("\n", "\n  ")}`
    })
  )

/** Moves to the start of the line and clears it. */
export const CLEAR_LINE = "\r\u001B[2K"

const labels = {
  All: "all",
  Trace: "trace",
  Debug: "debug",
  Info: "info",
  Warn: "warning",
  Error: "error",
  Fatal: "fatal",
  None: "none"
} as const

const showPart = (part: unknown): string => {
  if (typeof part === "string") return part
  return Predicate.isError(part) ? part.message : Formatter.format(part)
}
