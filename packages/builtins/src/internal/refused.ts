/** Why a tool does nothing; becomes its failure. */
import { ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { WorkspaceError } from "../Workspace.ts"

export class Refused extends Schema.TaggedError<Refused>("@effect-toolnexus/builtins/Refused")("Refused", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** `what` goes on where the path ends: `can't be read`. */
export const refusedBy = (path: string, what: string) => (error: PlatformError.PlatformError): Refused =>
  new Refused({ detail: `${path} ${what} (${reasonOf(error)})` })

/** The platform's own code says more than the kind of error it was sorted into. */
const reasonOf = ({ reason }: PlatformError.PlatformError): string => {
  const { cause } = reason
  const code = Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : undefined
  return words[reason._tag] ?? words[code ?? ""] ?? code ?? reason._tag
}

const words: Readonly<Record<string, string>> = {
  AlreadyExists: "it exists already",
  NotFound: "it doesn't exist",
  PermissionDenied: "permission denied",
  EISDIR: "it is a directory",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "no space left on the device",
  ENOTDIR: "a part of the path is no directory",
  EROFS: "the file system is read-only"
}

/** What is wrong with one argument. */
export const badArgument = (toolName: string, path: string, message: string): ToolError.InvalidArguments =>
  new ToolError.InvalidArguments({ toolName, issues: ToolError.limitIssues([{ path, message }]) })

/** The failure that the caller sees. */
export const asToolFailed = (toolName: string) =>
<A, R>(
  effect: Effect.Effect<A, Refused | WorkspaceError, R>
): Effect.Effect<A, ToolError.ToolFailed, R> =>
  Effect.mapError(effect, ({ message }) => new ToolError.ToolFailed({ toolName, message }))
