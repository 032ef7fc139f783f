/**
 * What a call leaves in traces and metrics, under the names of OpenTelemetry's conventions for generative AI and MCP:
 * which tool, how long, and which kind of error; never what was in the arguments, the result or an error's message.
 *
 * @since 0.1.0
 */
import { type Middleware, type Tool, type ToolError, Tracing } from "@effect-toolnexus/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

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
  const unseen = makeUnseen()
  return (tool, next) => {
    let measured: ReturnType<typeof measurement> | undefined
    const measure = () => {
      if (names.size < MAX_NAMES) names.add(tool.name)
      return measurement(tool, names.has(tool.name) ? tool.name : "(other)")
    }
    const attributes = attributesOf(tool)
    return (args, call) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const clock = Context.get(context, Clock.Clock)
        const started = clock.monotonicTimeNanosUnsafe()
        const isSeen = Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer
        const traced = isSeen
          ? inSpan(next(args, call), { ...attributes, "gen_ai.tool.call.id": call.id })
          : unseen(next(args, call), context)
        // as a finalizer: of a call that is interrupted nothing else comes to an end
        return Effect.onExit(traced, (exit) => {
          const seconds = Number(clock.monotonicTimeNanosUnsafe() - started) / 1e9
          // with its first call: of ten thousand tools that are listed a model uses a few
          measured ??= measure()
          measured(Tracing.errorTypeOf(exit, kindOf)).updateUnsafe(seconds, context)
          return Effect.void
        })
      })
  }
}

const SPAN = "tool.call"

/** Where a call was made from is the program's own loop, and finding that out takes as long as the rest of the span. */
const inSpan = (handled: ReturnType<Tool.Handler>, attributes: Readonly<Record<string, string>>) =>
  Tracing.inSpan(handled, SPAN, { kind: "client", attributes, captureStackTrace: false }, kindOf)

type Unseen = (
  handled: ReturnType<Tool.Handler>,
  context: Context.Context<never>
) => ReturnType<Tool.Handler>

/**
 * Where no tracer is installed, nobody sees the span. It keeps nothing then, and is made once for all calls from a context.
 */
const makeUnseen = (): Unseen => {
  const contexts = new WeakMap<Context.Context<never>, Context.Context<never>>()
  return (handled, context) => {
    const inside = contexts.get(context)
    if (inside !== undefined) return Effect.updateContext(handled, () => inside)
    return Effect.flatMap(NOTHING, (span) => {
      contexts.set(context, Context.add(context, Tracer.ParentSpan, span))
      return Effect.provideService(handled, Tracer.ParentSpan, span)
    })
  }
}

/** A span without effect, below the one there is. */
const NOTHING = Effect.provideService(Effect.makeSpan(SPAN), References.TracerEnabled, false)

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
