/** Calls that can tell whether the answer they got is theirs, and what is wrong with how they ended. */
import type { Tool } from "@effect-toolnexus/core/Tool"
import type { ToolError } from "@effect-toolnexus/core/ToolError"
import type { ToolResult } from "@effect-toolnexus/core/ToolResult"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { call as callTool } from "./support.ts"

export interface Call {
  readonly tool: Tool
  readonly text: string
  /** What the server says to it, and to no other. */
  readonly answer: string
  /** The caller loses patience after so many milliseconds. */
  readonly patience: number | undefined
}

export const callOf = (tool: Tool, text: string, patience?: number): Call => ({
  tool,
  text,
  answer: JSON.stringify({ text }),
  patience
})

/** Short and long ones, with characters to tear apart; every eleventh caller leaves early. */
export const makeCalls = (tools: ReadonlyArray<Tool>, label: string, count: number): ReadonlyArray<Call> =>
  Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const tool = tools[index % tools.length]
    const filler = "größe 😀 ".repeat(LENGTHS[index % LENGTHS.length] ?? 0)
    if (tool === undefined) return []
    return [callOf(tool, `${label}.${index} ${filler}`, index % 11 === 10 ? 2 * index % 50 : undefined)]
  })

const LENGTHS = [0, 1, 100, 0, 10_000]

/** What may come on top of a limit where the machine has nothing else to do, in milliseconds. */
export const MARGIN = 1000

/** How often it is looked how late this process is. */
const TICK = 20

let late = 0
let nextTick = Infinity

/** By how much timers have rung too late, all in all, in milliseconds: that is the machine's time, and no call's. */
const lateness = (): number => late + Math.max(0, performance.now() - nextTick)

/** Looks at it for as long as the scope is open. */
export const measureLateness = Effect.forkScoped(
  Effect.forever(Effect.suspend(() => {
    late = lateness()
    nextTick = performance.now() + TICK
    return Effect.sleep(TICK)
  })).pipe(Effect.ensuring(Effect.sync(() => {
    nextTick = Infinity
  })))
)

/**
 * `result` is the output, the tag of the error, `Interrupted` or `Endless`; a defect is told by its message. `why`: the
 * message of an error. `took`: without what the machine was late.
 */
export interface Outcome extends Result {
  readonly call: Call
  readonly took: number
}

interface Result {
  readonly result: string
  readonly why?: string
}

/** No limit is that long. */
const ENDLESS = "20 seconds"

export const run = (call: Call): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    const started = performance.now() - lateness()
    return Effect.timeoutOption(Effect.exit(attempt(call)), ENDLESS).pipe(
      Effect.map((exit): Outcome => ({
        call,
        ...Option.match(exit, { onNone: () => ({ result: "Endless" }), onSome: describe }),
        took: performance.now() - lateness() - started
      }))
    )
  })

const attempt = ({ patience, text, tool }: Call) => {
  const whole = callTool(tool, { text })
  if (patience === undefined) return whole
  return Effect.raceFirst(whole, Effect.andThen(Effect.sleep(patience), Effect.interrupt))
}

const describe = (exit: Exit.Exit<ToolResult, ToolError>): Result => {
  if (Exit.isSuccess(exit)) return { result: exit.value.output }
  if (Cause.hasInterruptsOnly(exit.cause)) return { result: "Interrupted" }
  const [first, ...others] = exit.cause.reasons
  return first !== undefined && Cause.isFailReason(first) && others.length === 0
    ? { result: first.error._tag, why: first.error.message }
    : { result: `a defect: ${Cause.pretty(exit.cause)}` }
}

export const isAnswer = ({ call, result }: Outcome): boolean => result === call.answer

/** Calls that nobody gave up, and that got no answer. */
export const missingOf = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> =>
  outcomes.filter((outcome) => !isAnswer(outcome) && outcome.call.patience === undefined)
    .map(({ call, result, why }) => `${call.text.slice(0, 20)}: ${result} ${why}`)

const ERRORS: ReadonlySet<string> = new Set(["ToolTimeout", "ToolUnavailable", "ToolFailed"])

/** `limit` is the longest that the call may take. */
export const problemsOf = (outcome: Outcome, limit: number): ReadonlyArray<string> => {
  const { call, result, took } = outcome
  const name = `${call.tool.name}(${call.text.slice(0, 20).trim()})`
  const problems: Array<string> = []
  const isExpected = isAnswer(outcome) || ERRORS.has(result)
    || (result === "Interrupted" && call.patience !== undefined)
  if (!isExpected) problems.push(`${name} ended with ${result.slice(0, 500)}`)
  const longest = Math.min(limit, call.patience ?? limit) + MARGIN
  if (took > longest) problems.push(`${name} took ${Math.round(took)} ms to end with ${result.slice(0, 100)}`)
  return problems
}
