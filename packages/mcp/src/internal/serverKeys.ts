/** What is said about the keys of a server's configuration: unknown, misplaced, or not acted on yet. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as Suggestion from "@effect-toolnexus/core/Suggestion"
import { diagnostic } from "./entryError.ts"

type Kind = "Local" | "Remote" | "InProcess"

const LOCAL = ["command", "args", "env", "environment", "cwd", "envFile", "inheritEnv", "shutdown"]
const REMOTE = ["url", "httpUrl", "serverUrl", "headers", "ca", "cert", "key", "proxy"]
const IN_PROCESS = ["connect"]
const COMMON = ["type", "transport", "enabled", "disabled", "tools", "timeout"]
const NOT_YET = ["required", "trusted", "maxConcurrent", "resourcesAsTools", "toolTimeouts"]

const KNOWN = [...LOCAL, ...REMOTE, ...COMMON, ...NOT_YET]

const OWN: Readonly<Record<Kind, ReadonlySet<string>>> = {
  Local: new Set([...LOCAL, ...COMMON]),
  // remote entries fail as a whole for now, so nothing of them is reported as ignored
  Remote: new Set([...REMOTE, ...COMMON, ...NOT_YET]),
  InProcess: new Set([...IN_PROCESS, ...COMMON])
}

const LABEL: Readonly<Record<Kind, string>> = {
  Local: "a local server",
  Remote: "a remote server",
  InProcess: "a server in this process"
}

/** `path` is the full path of the key, `key` its last part. */
export interface FoundKey {
  readonly key: string
  readonly path: string
}

export const keyDiagnostics = (entry: string, kind: Kind, found: ReadonlyArray<FoundKey>): ReadonlyArray<Diagnostic> =>
  found.flatMap(({ key, path }) => {
    if (OWN[kind].has(key)) return []
    if (NOT_YET.includes(key)) {
      return [diagnostic(entry, "info", "not-supported-yet", `${key} has no effect in this version`, path)]
    }
    if (KNOWN.includes(key) || IN_PROCESS.includes(key)) {
      return [diagnostic(entry, "warning", "misplaced-key", `${key} has no effect on ${LABEL[kind]}`, path)]
    }
    return [unknownKey(entry, key, path, KNOWN)]
  })

export const unknownKey = (entry: string, key: string, path: string, known: ReadonlyArray<string>): Diagnostic => {
  const [nearest] = Suggestion.closest(key, known, 1)
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`
  return diagnostic(entry, "warning", "unknown-key", `${key} is not a known key${hint}`, path)
}
