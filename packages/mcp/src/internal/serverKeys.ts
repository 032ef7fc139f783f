/** What is said about the keys of a server's configuration: unknown, or misplaced. */
import * as ConfigKeys from "@effect-toolnexus/core/ConfigKeys"
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import { diagnostic } from "./entryError.ts"

type Kind = "Local" | "Remote" | "InProcess"

const LOCAL = ["command", "args", "env", "environment", "cwd", "envFile", "inheritEnv", "shutdown"]
const REMOTE = ["url", "httpUrl", "serverUrl", "headers", "ca", "cert", "key", "proxy"]
const IN_PROCESS = ["connect"]
const COMMON = [
  "type",
  "transport",
  "enabled",
  "disabled",
  "tools",
  "timeout",
  "toolTimeouts",
  "required",
  "trusted",
  "maxConcurrent",
  "resourcesAsTools"
]

const KNOWN = [...LOCAL, ...REMOTE, ...COMMON]

const OWN: Readonly<Record<Kind, ReadonlySet<string>>> = {
  Local: new Set([...LOCAL, ...COMMON]),
  Remote: new Set([...REMOTE, ...COMMON]),
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

/** Without a kind, where it can't be told, no key is misplaced. */
export const keyDiagnostics = (
  entry: string,
  kind: Kind | undefined,
  found: ReadonlyArray<FoundKey>
): ReadonlyArray<Diagnostic> =>
  found.flatMap(({ key, path }) => {
    if (kind === undefined ? KNOWN.includes(key) || IN_PROCESS.includes(key) : OWN[kind].has(key)) return []
    if (kind !== undefined && (KNOWN.includes(key) || IN_PROCESS.includes(key))) {
      return [diagnostic(entry, "warning", "misplaced-key", `${key} has no effect on ${LABEL[kind]}`, path)]
    }
    return [ConfigKeys.unknown(key, { entry, path, known: KNOWN })]
  })
