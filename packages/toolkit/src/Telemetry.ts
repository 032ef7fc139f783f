/**
 * What a call leaves in traces and metrics, under the names of OpenTelemetry's conventions for generative AI and MCP:
 * which tool, how long, and which kind of error; never what was in the arguments, the result or an error's message.
 *
 * @since 0.1.0
 */
import { type Middleware, type Tool, type ToolError, Tracing } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/** In seconds, as the convention asks for; from a function in this process to an agent that works for minutes. */
const BOUNDARIES = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600]

/**
 * How long calls of tools took, in seconds, with the attributes `gen_ai.tool.name`, `toolnexus.source` and, of a failed
 * call, `error.type`. Its count is the number of calls.
 *
 * @category metrics
 * @since 0.1.0
 */
export const duration = Metric.histogram("gen_ai.execute_tool.duration", {
  description: "Time of one tool call in seconds",
  boundaries: BOUNDARIES
})

/** Servers choose the names of their tools; more than these count as one, so that a metric can't grow without end. */
const MAX_NAMES = 1000

/**
 * The stage that traces and measures every call: a span `tool.call`, and {@link duration}.
 *
 * @category middleware
 * @since 0.1.0
 */
export const makeStage = (): Middleware.Middleware => {
  const names = new Set<string>()
  return (tool, next) => {
    let measure: ReturnType<typeof measurement> | undefined
    // with its first call: of ten thousand tools that are listed a model uses a few
    const measured = () => {
      if (names.size < MAX_NAMES) names.add(tool.name)
      return measure ??= measurement(tool, names.has(tool.name) ? tool.name : "(other)")
    }
    const attributes = attributesOf(tool)
    return (args, call) =>
      Effect.flatMap(
        Effect.makeSpan("tool.call", { kind: "client", attributes: { ...attributes, "gen_ai.tool.call.id": call.id } }),
        (span) =>
          Effect.clockWith((clock) => {
            // a span without timing knows no start
            const started = clock.currentTimeNanosUnsafe()
            return Effect.onExit(Effect.withParentSpan(next(args, call), span, NO_STACK), (exit) => {
              const now = clock.currentTimeNanosUnsafe()
              const errorType = Tracing.errorTypeOf(exit, kindOf)
              if (errorType !== undefined) span.attribute("error.type", errorType)
              span.end(now, Tracing.withoutContents(exit, errorType))
              return Metric.update(measured()(errorType), Number(now - started) / 1e9)
            })
          })
      )
  }
}

/** Where a call was made from is the program's own loop, and finding that out takes as long as the rest of the span. */
const NO_STACK = { captureStackTrace: false } as const

const attributesOf = (tool: Tool.Tool) => ({
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": tool.name,
  "gen_ai.tool.type": "function",
  "toolnexus.source": tool.source,
  "toolnexus.entry": tool.origin.entry,
  ...(tool.source === "mcp" ? { "mcp.method.name": "tools/call" } : {})
})

/** One metric for each outcome of a tool, made when it first comes up. */
const measurement = (tool: Tool.Tool, name: string) => {
  const labels = { "gen_ai.tool.name": name, "toolnexus.source": tool.source }
  const made = new Map<string | undefined, typeof duration>()
  return (errorType: string | undefined) => {
    const before = made.get(errorType)
    if (before !== undefined) return before
    const attributes = errorType === undefined ? labels : { ...labels, "error.type": errorType }
    const metric = Metric.withAttributes(duration, attributes)
    made.set(errorType, metric)
    return metric
  }
}

const kindOf = ({ _tag }: ToolError.ToolError): string => _tag
