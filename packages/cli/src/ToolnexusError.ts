/**
 * How the command fails. Each error has its exit code with it (`Runtime.errorExitCode`), for whoever runs the command.
 *
 * @since 0.1.0
 */
import type { SourceEntry } from "@effect-toolnexus/core"
import type { PlatformError } from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"

/**
 * The command was called wrongly. The problems are printed by then, or the help where no command was named, so nothing
 * more is said.
 *
 * @category errors
 * @since 0.1.0
 */
export class WrongUsage extends Schema.TaggedError<WrongUsage>("@effect-toolnexus/cli/ToolnexusError/WrongUsage")(
  "WrongUsage",
  { problems: Schema.Array(Schema.String) }
) {
  override readonly [Runtime.errorExitCode] = 2
  override readonly [Runtime.errorReported] = false

  override get message(): string {
    return this.problems.length === 0 ? "No command was named" : this.problems.join("; ")
  }
}

/**
 * The called tool failed, was unknown or asks for a person. Its answer is printed by then, so nothing more is said.
 *
 * @category errors
 * @since 0.1.0
 */
export class CallFailed extends Schema.TaggedError<CallFailed>("@effect-toolnexus/cli/ToolnexusError/CallFailed")(
  "CallFailed",
  { toolName: Schema.String }
) {
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false

  override get message(): string {
    return `The call of ${this.toolName} failed`
  }
}

/**
 * Standard input holds more than any arguments do. `limit` is in bytes.
 *
 * @category errors
 * @since 0.1.0
 */
export class InputTooLarge
  extends Schema.TaggedError<InputTooLarge>("@effect-toolnexus/cli/ToolnexusError/InputTooLarge")(
    "InputTooLarge",
    { limit: Schema.Finite }
  )
{
  override get message(): string {
    return `Standard input holds more than ${this.limit} bytes`
  }
}

const streams = { stdin: "Standard input", stdout: "Standard output" }

/**
 * What a command reads or prints ended in a fault of its file, pipe or terminal, e.g. a disk that is full. A reader of
 * standard output that goes away is none.
 *
 * @category errors
 * @since 0.1.0
 */
export class StdioFailed extends Schema.TaggedError<StdioFailed>("@effect-toolnexus/cli/ToolnexusError/StdioFailed")(
  "StdioFailed",
  { stream: Schema.Literals(["stdin", "stdout"]), detail: Schema.String, cause: Schema.Defect() }
) {
  /** The platform has it as `cause`, whose own message says what happened. */
  static readonly from = (stream: "stdin" | "stdout") => (error: PlatformError): StdioFailed => {
    const { cause = error } = error
    return new StdioFailed({ stream, detail: Predicate.isError(cause) ? cause.message : error.message, cause })
  }

  override get message(): string {
    return `${streams[this.stream]} failed: ${this.detail}`
  }
}

/**
 * A provider can't be told of some of the tools. The report is printed by then, so nothing more is said.
 *
 * @category errors
 * @since 0.1.0
 */
export class ToolsLeftOut extends Schema.TaggedError<ToolsLeftOut>("@effect-toolnexus/cli/ToolnexusError/ToolsLeftOut")(
  "ToolsLeftOut",
  { provider: Schema.String, names: Schema.Array(Schema.String) }
) {
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false

  override get message(): string {
    return `${this.provider} can't be told of ${this.names.join(", ")}`
  }
}

/**
 * Some skills can't be used as they are. The findings are printed by then, so nothing more is said.
 *
 * @category errors
 * @since 0.1.0
 */
export class SkillsUnusable
  extends Schema.TaggedError<SkillsUnusable>("@effect-toolnexus/cli/ToolnexusError/SkillsUnusable")(
    "SkillsUnusable",
    { locations: Schema.Array(Schema.String) }
  )
{
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false

  override get message(): string {
    return `These can't be used as they are: ${this.locations.join(", ")}`
  }
}

/**
 * @category errors
 * @since 0.1.0
 */
export type ToolnexusError =
  | WrongUsage
  | CallFailed
  | ToolsLeftOut
  | SkillsUnusable
  | InputTooLarge
  | StdioFailed
  | SourceEntry.RequiredEntriesFailed
