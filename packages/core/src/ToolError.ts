/**
 * How a call fails (CONTRACT 1). Each error names the tool, says what happened and what to do about it, and can be
 * serialised; none holds a secret.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Defect from "./Defect.ts"
import { Request } from "./Request.ts"
import * as Text from "./Text.ts"
import * as Result from "./ToolResult.ts"
import { ToolResult } from "./ToolResult.ts"

/**
 * There is no tool of that name; `suggestions` are close names that exist.
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolNotFound extends Schema.TaggedError<ToolNotFound>("@effect-toolnexus/core/ToolError/ToolNotFound")(
  "ToolNotFound",
  { toolName: Schema.String, suggestions: Schema.Array(Schema.String) }
) {
  // exactly this text is what `execute` answers (CONTRACT 1)
  override get message(): string {
    return `Unknown tool: ${this.toolName}`
  }
}

/**
 * One thing that is wrong with the arguments of a call: `path` is a JSON pointer-like dotted path, empty for the root.
 *
 * @category models
 * @since 0.1.0
 */
export const ArgumentIssue = Schema.Struct({ path: Schema.String, message: Schema.String })

/**
 * @category models
 * @since 0.1.0
 */
export interface ArgumentIssue extends Schema.Schema.Type<typeof ArgumentIssue> {}

/** As many as a model can act on, in as many characters as it should read. */
const MAX_ISSUES = 10
const MAX_ISSUE_TEXT = 2000
const MAX_MESSAGE = 400
const MAX_PATH = 160
const NOTE_ROOM = 40

/**
 * Issues as they go to a model: at most ten, 2000 characters in all, and how many more there are.
 *
 * @category operations
 * @since 0.1.0
 */
export const limitIssues = (issues: ReadonlyArray<ArgumentIssue>): ReadonlyArray<ArgumentIssue> => {
  const kept: Array<ArgumentIssue> = []
  let room = MAX_ISSUE_TEXT
  for (const { message, path } of issues) {
    const issue = { path: Text.cut(path, MAX_PATH, "…"), message: Text.cut(message, MAX_MESSAGE, "…") }
    const isLast = kept.length === issues.length - 1
    room -= issue.path.length + issue.message.length
    // the note of how many there are more takes a place, and room, of its own
    if (room < (isLast ? 0 : NOTE_ROOM) || (kept.length === MAX_ISSUES - 1 && !isLast)) break
    kept.push(issue)
  }
  const more = issues.length - kept.length
  return more === 0 ? kept : [...kept, { path: "", message: `... and ${more} more` }]
}

/**
 * The arguments are not what the tool's input schema asks for.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidArguments
  extends Schema.TaggedError<InvalidArguments>("@effect-toolnexus/core/ToolError/InvalidArguments")(
    "InvalidArguments",
    { toolName: Schema.String, issues: Schema.Array(ArgumentIssue) }
  )
{
  override get message(): string {
    const issues = this.issues.map(({ message, path }) => path === "" ? message : `${path}: ${message}`)
    return `Invalid arguments for ${this.toolName}: ${issues.join("; ")}`
  }
}

/**
 * The tool ran and failed. `result` is what it answered, where it answered at all, so that nothing is lost.
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolFailed extends Schema.TaggedError<ToolFailed>("@effect-toolnexus/core/ToolError/ToolFailed")(
  "ToolFailed",
  {
    toolName: Schema.String,
    message: Schema.String,
    result: Schema.optionalKey(ToolResult),
    cause: Schema.optionalKey(Schema.Defect())
  }
) {}

/**
 * The call ran into a limit. `limit` is in milliseconds; `phase` names which one it was: the whole call's (`total`), or
 * the time without any news of it (`call`).
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolTimeout extends Schema.TaggedError<ToolTimeout>("@effect-toolnexus/core/ToolError/ToolTimeout")(
  "ToolTimeout",
  { toolName: Schema.String, limit: Schema.Finite, phase: Schema.Literals(["call", "total"]) }
) {
  override get message(): string {
    return `${this.toolName} did not answer within its ${this.phase} limit of ${this.limit} ms`
  }
}

/**
 * The tool exists but can't be reached now: its server is gone, or the toolkit is closed.
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolUnavailable
  extends Schema.TaggedError<ToolUnavailable>("@effect-toolnexus/core/ToolError/ToolUnavailable")(
    "ToolUnavailable",
    { toolName: Schema.String, reason: Schema.String }
  )
{
  override get message(): string {
    return `${this.toolName} is unavailable: ${this.reason}`
  }
}

/**
 * A person or a policy said no. `rule` says which.
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolDenied extends Schema.TaggedError<ToolDenied>("@effect-toolnexus/core/ToolError/ToolDenied")(
  "ToolDenied",
  { toolName: Schema.String, rule: Schema.String }
) {
  override get message(): string {
    return `${this.toolName} was denied: ${this.rule}`
  }
}

/**
 * The call waits for a person. Store `request`, ask, and resume.
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolSuspended extends Schema.TaggedError<ToolSuspended>("@effect-toolnexus/core/ToolError/ToolSuspended")(
  "ToolSuspended",
  { toolName: Schema.String, request: Request }
) {
  override get message(): string {
    return this.request.url === undefined ? this.request.prompt : `${this.request.prompt}\n${this.request.url}`
  }
}

/**
 * Every way a call can fail.
 *
 * @category errors
 * @since 0.1.0
 */
export const ToolError = Schema.Union([
  ToolNotFound,
  InvalidArguments,
  ToolFailed,
  ToolTimeout,
  ToolUnavailable,
  ToolDenied,
  ToolSuspended
])

/**
 * @category errors
 * @since 0.1.0
 */
export type ToolError = Schema.Schema.Type<typeof ToolError>

/**
 * An error as a model sees it: a result with `isError` that says what happened, with `metadata.error` = the tag.
 *
 * @category operations
 * @since 0.1.0
 */
export const toResult = (error: ToolError): ToolResult => {
  const metadata = { error: error._tag }
  switch (error._tag) {
    case "ToolFailed":
      return error.result === undefined
        ? Result.failure(error.message, { metadata })
        : { ...error.result, isError: true, metadata: { ...error.result.metadata, ...metadata } }
    case "ToolNotFound":
      return Result.failure(error.message, { metadata: { ...metadata, suggestions: error.suggestions } })
    case "ToolSuspended":
      return Result.failure(error.message, { metadata: { ...metadata, pending: { ...error.request } } })
    default:
      return Result.failure(error.message, { metadata })
  }
}

/**
 * A call as a model sees it: whatever happens, there is an answer it can act on. This is how `execute` answers; a host that
 * resumes a call has use for it too. `show` is given the result of a failure, in the form in which results leave a toolkit.
 *
 * **Details**
 *
 * An error becomes its result ({@link toResult}). A defect is answered with fixed text, for its message may hold anything;
 * what it was is logged once under the id in that text. Interruption is the caller's and passes.
 *
 * **Example**
 *
 * ```ts
 * const result = yield* ToolError.fold(toolkit.resume(request, answer), identity)
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const fold = <A, R>(
  call: Effect.Effect<A, ToolError, R>,
  show: (failure: ToolResult) => A,
  maxOutput: number = Result.MAX_OUTPUT
): Effect.Effect<A, never, R> =>
  Effect.catchCause(call, (cause) => {
    if (Cause.hasInterrupts(cause)) return Effect.failCause(withoutFailures(cause))
    const failure = cause.reasons.find(Cause.isFailReason)
    if (failure === undefined) return Effect.map(ofDefect(Cause.squash(cause)), show)
    // untyped code fails with anything, also with what breaks whoever reads it
    const result = Effect.sync(() => Result.normalize(toResult(failure.error), maxOutput))
    return Effect.map(Effect.catchDefect(result, ofDefect), show)
  })

const withoutFailures = (cause: Cause.Cause<unknown>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((reason) => !Cause.isFailReason(reason)))

const ofDefect = (defect: unknown): Effect.Effect<ToolResult> =>
  Effect.map(
    Defect.log("A tool", defect),
    (id) => Result.failure(`The tool failed unexpectedly (${id}).`, { metadata: { error: "Defect", id } })
  )

/**
 * Whether a value is one of these errors.
 *
 * @category guards
 * @since 0.1.0
 */
export const isToolError: (value: unknown) => value is ToolError = Schema.is(ToolError)
