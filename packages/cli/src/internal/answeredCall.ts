/** A call to its end: what it asks a person is answered, and it goes on, for as long as there is somebody to answer. */
import type * as Answer from "@effect-toolnexus/core/Answer"
import { Request } from "@effect-toolnexus/core/Request"
import type { CallOptions } from "@effect-toolnexus/core/ToolCall"
import * as ToolError from "@effect-toolnexus/core/ToolError"
import type { CallArguments, ToolkitService } from "@effect-toolnexus/core/Toolkit"
import type { ToolResult } from "@effect-toolnexus/core/ToolResult"
import type * as Prompt from "effect/cli/Prompt"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import type { GivenAnswer } from "./answerFlag.ts"
import { askPerson, showMisfit } from "./askPerson.ts"
import { withCallProgress } from "./progress.ts"

/** One call, and who answers what it asks: first `answer`, if there is one, then whoever is at the terminal. */
export interface AnsweredCall {
  readonly name: string
  readonly args: CallArguments
  readonly timeout: number | undefined
  readonly answer: GivenAnswer | undefined
  readonly isAttended: boolean
}

/** One whose tool is there; `spent` is how much of its limit the way there took, in milliseconds. */
interface ReadyCall extends AnsweredCall {
  readonly spent: number
}

/** The result; it holds a request still (`metadata.pending`) where there is nobody to answer it. */
export const callAnswered = Effect.fnUntraced(function*(toolkit: ToolkitService, call: ReadyCall) {
  const run = makeRounds(call)
  const resume = (request: Request, answer: Answer.Answer) => run((options) => toolkit.resume(request, answer, options))
  const first = yield* fold(run((options) => toolkit.call(call.name, call.args, options)))
  const asked = readPending(first)
  if (asked === undefined) return first
  let result = call.answer === undefined
    ? first
    : yield* fold(resume(asked, { ...call.answer, id: asked.id }))
  for (let request = readPending(result); request !== undefined && call.isAttended; request = readPending(result)) {
    result = yield* fold(askUntilFit(request, resume))
  }
  return result
})

/** What a tool says when it fails is kept whole too. */
const fold = <R>(call: Effect.Effect<ToolResult, ToolError.ToolError, R>) =>
  ToolError.fold(call, identity, Number.MAX_SAFE_INTEGER)

/** One that has passed would be no limit at all. */
const MIN_LIMIT = 0.001

/** Runs the parts of a call under one limit: it goes on where it stood, for the time a person takes doesn't count. */
const makeRounds = ({ name, spent, timeout }: ReadyCall) => {
  let left = timeout === undefined ? undefined : Math.max(timeout - spent, MIN_LIMIT)
  return Effect.fnUntraced(function*(start: (options: CallOptions) => Effect.Effect<ToolResult, ToolError.ToolError>) {
    const started = yield* Clock.currentTimeMillis
    const limit = left === undefined ? {} : { timeout: left }
    // the limit that was given says more than what was left of it
    const whole = (error: ToolError.ToolError) =>
      timeout !== undefined && error._tag === "ToolTimeout" && error.limit === limit.timeout
        ? tookTooLong(name, timeout)
        : error
    const spend = Effect.map(Clock.currentTimeMillis, (now) => {
      if (left !== undefined) left = Math.max(left - (now - started), MIN_LIMIT)
    })
    const round = Effect.mapError(withCallProgress(name, (options) => start({ ...limit, ...options })), whole)
    return yield* Effect.ensuring(round, spend)
  })
}

/** `limit` is what the whole call was given. */
export const tookTooLong = (toolName: string, limit: number) =>
  new ToolError.ToolTimeout({ toolName, limit, phase: "total" })

const decodeRequest = Schema.decodeUnknownOption(Request)

/** A tool may put what it likes into its metadata, but not this error. */
const readPending = ({ isError, metadata }: ToolResult): Request | undefined =>
  isError && metadata?.["error"] === "ToolSuspended"
    ? Option.getOrUndefined(decodeRequest(metadata["pending"]))
    : undefined

/** A typing error shouldn't cost the call: an answer that isn't what the schema asks for may be given again. */
const askUntilFit = <R>(
  request: Request,
  resume: (request: Request, answer: Answer.Answer) => Effect.Effect<ToolResult, ToolError.ToolError, R>
): Effect.Effect<ToolResult, ToolError.ToolError, R | Stdio.Stdio | Prompt.Environment> =>
  Effect.gen(function*() {
    const outcome = yield* Effect.result(resume(request, yield* askPerson(request)))
    const misfit = Result.isFailure(outcome) ? readMisfit(request, outcome.failure) : undefined
    if (misfit === undefined) return yield* Effect.fromResult(outcome)
    yield* showMisfit(misfit)
    return yield* askUntilFit(request, resume)
  })

const ANSWER_PATH = /^data(?:\.|$)/

/** Only with a schema is it the answer that is refused; a handler may have objections of its own, which are final. */
const readMisfit = ({ data }: Request, error: ToolError.ToolError): string | undefined => {
  if (error._tag !== "InvalidArguments" || data?.["schema"] === undefined) return undefined
  if (!error.issues.some(({ path }) => ANSWER_PATH.test(path))) return undefined
  return error.issues
    .map(({ message, path }) => ({ message, path: path.replace(ANSWER_PATH, "") }))
    .map(({ message, path }) => path === "" ? message : `${path}: ${message}`)
    .join("; ")
}
