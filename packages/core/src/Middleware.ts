/**
 * What stands in a call's way, one stage after the other: checks, limits, telemetry, and whatever a host adds (caching,
 * redaction, a dry run). The pipeline of a toolkit is made of nothing else.
 *
 * @since 0.1.0
 */
import type { Handler, Tool } from "./Tool.ts"

/**
 * From a tool and the handler behind it to a handler around it. Called once for each tool, not for each call.
 *
 * **Details**
 *
 * A stage sees arguments that have been checked, and a result that is a success or a typed failure. It may answer by
 * itself, change arguments and results, or do something before and after.
 *
 * **Example** (A dry run)
 *
 * ```ts
 * const dryRun: Middleware = (tool, next) => (args, call) =>
 *   tool.annotations?.readOnlyHint === true
 *     ? next(args, call)
 *     : Effect.succeed(ToolResult.success(`would call ${call.toolName}`))
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export type Middleware = (tool: Tool, next: Handler) => Handler

/**
 * A tool behind its stages; the first is the outermost.
 *
 * @category operations
 * @since 0.1.0
 */
export const apply = (tool: Tool, stages: ReadonlyArray<Middleware>): Tool => ({
  ...tool,
  handler: stages.reduceRight<Handler>((next, stage) => stage(tool, next), tool.handler)
})
