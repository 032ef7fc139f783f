/**
 * A bounded loop over a model of `effect/ai`, which by itself runs one round per request: the model is asked, the tools it
 * calls are run, and it is asked again with their results, until it calls none.
 *
 * Whatever a model calls is answered, also a tool that doesn't exist. A call that waits for a person ends the loop; it
 * goes on, here or in another process, from the conversation and the answer.
 *
 * @since 0.1.0
 */
import { type Answer, type Request, Toolkit } from "@effect-toolnexus/core"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Concurrency } from "effect/Types"
import * as EffectAi from "./EffectAi.ts"
import { makeRound, type Round, type Said, type Step } from "./internal/round.ts"

/**
 * **Details**
 *
 * - `prompt`: the conversation so far, and what is new
 * - `maxRounds`: how often the model is asked at most; a whole number from 1. Default: 20
 * - `answers`: to what the conversation is waiting for
 * - `concurrency`: of the calls of one round. Default: `unbounded`
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Omit<EffectAi.Options, "approvedIn"> {
  readonly prompt: Prompt.RawInput
  readonly maxRounds?: number
  readonly answers?: ReadonlyArray<AnsweredRequest>
  readonly toolChoice?: "auto" | "none" | "required"
  readonly concurrency?: Concurrency
}

/**
 * A request, and what a person answered to it.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnsweredRequest {
  readonly request: Request.Request
  readonly answer: Answer.Answer
}

/**
 * A call that waits for a person. `request` says what for; it is plain JSON, and stands in the conversation until it is
 * answered. `approvalId` is its id. Absent: not a loop has asked, but `generateText` or `streamText` of `effect/ai`, whose
 * approvals are answered in the conversation, by a `tool-approval-response`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Waiting {
  readonly toolCallId: string
  readonly approvalId: string
  readonly request?: Request.Request
}

/**
 * How a loop ended.
 *
 * **Details**
 *
 * - `text`: what the model said last
 * - `prompt`: the whole conversation, with which a later loop goes on; every call in it is answered but those that wait
 * - `rounds`: how often the model was asked
 * - `stopped`: `done` the model calls no more tools; `waiting` for a person; `rounds` the bound was reached;
 *   `incomplete` the model's answer was cut off (see `finishReason`), and its calls were not run
 * - `waiting`: the calls that wait for a person, those of earlier loops as well
 * - `unused`: of the `answers` those that fit nothing the conversation waited for, each with a warning in the log
 *
 * @category models
 * @since 0.1.0
 */
export interface Outcome {
  readonly text: string
  readonly prompt: Prompt.Prompt
  readonly rounds: number
  readonly stopped: "done" | "waiting" | "rounds" | "incomplete"
  readonly finishReason: Response.FinishReason
  readonly waiting: ReadonlyArray<Waiting>
  readonly unused: ReadonlyArray<AnsweredRequest>
}

/**
 * The last part of a streamed loop.
 *
 * @category models
 * @since 0.1.0
 */
export interface OutcomePart {
  readonly type: "outcome"
  readonly outcome: Outcome
}

/**
 * What comes out of a streamed loop: the model's parts as they come, results of tools and requests for approval, and at
 * its end the outcome.
 *
 * @category models
 * @since 0.1.0
 */
export type Part = Response.StreamPart<EffectAi.LiveToolkit["tools"], "deferred"> | OutcomePart

/**
 * Runs the loop to its end.
 *
 * **Details**
 *
 * Fails only where the model does. Tools are read anew in each round. What somebody approved in the conversation itself
 * (`tool-approval-response`) is run as well as what is in `answers`; a call it waits for that nobody answered keeps it
 * waiting, and the model isn't asked. What is no request in `answers` is a `TypeError`, as a defect. With fewer tools: provide a view of the toolkit.
 *
 * **Example**
 *
 * ```ts
 * const outcome = yield* ToolLoop.run({ prompt: "Is it warmer in Oslo or in Rome?", maxRounds: 5 })
 * console.log(outcome.text)
 * ```
 *
 * @category running
 * @since 0.1.0
 */
export const run = (
  options: Options
): Effect.Effect<Outcome, AiError.AiError, LanguageModel.LanguageModel | Toolkit> =>
  Effect.gen(function*() {
    const round = yield* makeRound(options, yield* Toolkit)
    let step = yield* round.begin
    while (step._tag === "Ask") {
      const response = yield* LanguageModel.generateText(requestOf(options, step))
      step = yield* round.end(step, {
        parts: response.content,
        finishReason: response.finishReason,
        text: response.text
      })
    }
    return step.outcome
  })

/**
 * Runs the loop, and tells what happens while it does. Tools run when a round's answer is complete.
 *
 * **Example**
 *
 * ```ts
 * ToolLoop.stream({ prompt: "Is it warmer in Oslo or in Rome?" }).pipe(
 *   Stream.runForEach((part) => part.type === "text-delta" ? Console.log(part.delta) : Effect.void)
 * )
 * ```
 *
 * @category running
 * @since 0.1.0
 */
export const stream = (
  options: Options
): Stream.Stream<Part, AiError.AiError, LanguageModel.LanguageModel | Toolkit> =>
  Stream.unwrap(Effect.map(
    Effect.flatMap(Toolkit, (service) => makeRound(options, service)),
    (round) =>
      Stream.flatten(Stream.unfold<Coming, Told, never, never>(round.begin, (coming) => tell(options, round, coming)))
  ))

type Told = Stream.Stream<Part, AiError.AiError, LanguageModel.LanguageModel>

/** The next step; none after the last. */
type Coming = Effect.Effect<Step> | undefined

/** What is told until the next step, and that step, which begins when all of it is told. */
const tell = Effect.fnUntraced(function*(
  options: Options,
  round: Round,
  coming: Coming
): Effect.fn.Return<readonly [Told, Coming] | undefined> {
  if (coming === undefined) return undefined
  const step = yield* coming
  const added = Stream.fromIterable<Part>(step.added)
  if (step._tag === "Done") {
    return [Stream.concat(added, Stream.succeed<Part>({ type: "outcome", outcome: step.outcome })), undefined]
  }
  const parts: Array<Said["parts"][number]> = []
  let text = ""
  let finishReason: Response.FinishReason = "unknown"
  const asked = Stream.map(LanguageModel.streamText(requestOf(options, step)), (part): Part => {
    parts.push(part)
    if (part.type === "text-delta") text += part.delta
    if (part.type === "finish") finishReason = part.reason
    return part
  })
  return [Stream.concat(added, asked), Effect.suspend(() => round.end(step, { parts, finishReason, text }))]
})

/** Calls come back to us as they are, of tools that don't exist too. */
const requestOf = ({ toolChoice }: Options, { prompt, toolkit }: Extract<Step, { readonly _tag: "Ask" }>) => ({
  prompt,
  toolkit,
  disableToolCallResolution: true as const,
  toolCallValidation: "deferred" as const,
  ...(toolChoice === undefined ? {} : { toolChoice })
})
