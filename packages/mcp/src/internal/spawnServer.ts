/** The one place where a server's process is started. */
import * as Redaction from "@effect-toolnexus/core/Redaction"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type { ResolvedServer } from "../McpConfig.ts"
import { entryError } from "./entryError.ts"
import { commandHint } from "./startupHints.ts"

export const spawnServer = Effect.fnUntraced(
  function*(server: ResolvedServer) {
    const spawner = yield* ChildProcessSpawner
    return yield* spawner.spawn(
      ChildProcess.make(server.command, server.args, {
        env: server.env,
        extendEnv: false,
        ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
        detached: true,
        killSignal: "SIGTERM",
        forceKillAfter: server.shutdown.term
      })
    )
  },
  (effect, server) =>
    effect.pipe(
      Effect.mapError((error) => spawnError(server, error)),
      // Node throws what it can't make an event of, e.g. ENOTDIR and E2BIG
      Effect.catchDefect((defect) => Effect.fail(spawnError(server, defect)))
    )
)

const HINTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such command; check its spelling and the PATH it is looked up in"],
  ["EACCES", "it may not be executed, or is a directory"],
  ["ENOTDIR", "part of its path is not a directory"],
  ["E2BIG", "its arguments and environment are too long"],
  ["ENOEXEC", "it is not a program this system can run"],
  ["EAGAIN", "the system has no more processes to give"],
  ["EMFILE", "too many files are open"]
])

/** With the command as it was written, and without the cause: both the expanded one and the arguments may hold secrets. */
const spawnError = (server: ResolvedServer, error: unknown): EntryError => {
  const code = errnoOf(error)
  const reason = code === undefined
    ? Redaction.make(server.secrets)(descriptionOf(error))
    : withHint(code, server.label)
  return entryError(server.name, "spawn", `the command "${server.label}" can't be started: ${reason}`)
}

const withHint = (code: string, command: string): string => {
  const hint = HINTS.get(code)
  return (hint === undefined ? code : `${code}: ${hint}`) + (code === "ENOENT" ? commandHint(command) : "")
}

/** Effect's error keeps Node's as its cause, inside its reason. */
const errnoOf = (error: unknown): string | undefined => {
  if (!Predicate.isObject(error)) return undefined
  if (Predicate.hasProperty(error, "code") && typeof error.code === "string") return error.code
  if (Predicate.hasProperty(error, "reason")) return errnoOf(error.reason)
  return Predicate.hasProperty(error, "cause") ? errnoOf(error.cause) : undefined
}

const descriptionOf = (error: unknown): string => {
  const reason = Predicate.hasProperty(error, "reason") ? error.reason : error
  if (Predicate.hasProperty(reason, "description") && typeof reason.description === "string") return reason.description
  return Predicate.hasProperty(reason, "_tag") ? String(reason._tag) : "for an unknown reason"
}
