/** Which of the host's variables a command gets: the base list of CONTRACT 3, and those the host names. */
import type { Environment } from "@effect-toolnexus/core"

type Variables = typeof Environment["Service"]

const BASE: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "LANG",
  "TZ",
  "TMPDIR"
])

export const selectVariables = (variables: Variables, named: ReadonlyArray<string>): Record<string, string> => {
  const isPassed = (name: string) => BASE.has(name) || name.startsWith("LC_") || named.includes(name)
  return Object.fromEntries(
    Object.entries(variables).filter((pair): pair is [string, string] => isPassed(pair[0]) && pair[1] !== undefined)
  )
}
