/** One round of a loop: what a conversation is still waiting for, and what becomes of the calls a model has made. */
import { type Request, type ToolCall, ToolError, type ToolkitService, ToolResult } from "@effect-toolnexus/core"
import * as Model from "effect/ai/Model"
import * as Prompt from "effect/ai/Prompt"
import * as Response from "effect/ai/Response"
import type * as AiTool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as EffectAi from "../EffectAi.ts"
import type { Options, Outcome, Waiting } from "../ToolLoop.ts"
import { withId, withTarget } from "./bridgeOptions.ts"
import { asking, type OpenCall, openCalls, withoutApprovals } from "./conversation.ts"
import { callDeclared } from "./declaredCall.ts"
import { toHandlerResult } from "./handlerResult.ts"

type Tools = EffectAi.LiveToolkit["tools"]
type ResultPart = Response.ToolResultParts<Tools>
type Added = ResultPart | Response.ToolApprovalRequestPart

/** What a model has said, in either form. */
export interface Said {
  readonly parts: ReadonlyArray<Response.Part<Tools, "deferred"> | Response.StreamPart<Tools, "deferred">>
  readonly finishReason: Response.FinishReason
  readonly text: string
}

/** What comes next; `added` is what a round has put into the conversation itself. */
export type Step =
  | {
    readonly _tag: "Ask"
    readonly prompt: Prompt.Prompt
    /** Read when the model is asked. */
    readonly toolkit: Effect.Effect<EffectAi.LiveToolkit>
    readonly rounds: number
    readonly said: Said
    readonly added: ReadonlyArray<Added>
  }
  | { readonly _tag: "Done"; readonly outcome: Outcome; readonly added: ReadonlyArray<Added> }

export interface Round {
  /** Answers what the conversation is still waiting for. */
  readonly begin: Effect.Effect<Step>
  /** Runs what the model has called. */
  readonly end: (asked: Extract<Step, { readonly _tag: "Ask" }>, said: Said) => Effect.Effect<Step>
}

const DEFAULT_ROUNDS = 20

/** A call and its answer, or what it waits for. */
type Answered = { readonly result: ResultPart } | {
  readonly waiting: Waiting
  /** The request, where it is this loop that has asked. */
  readonly asked?: Request.Request
}

/** What a loop's options come to for its calls. */
interface Calling {
  readonly options: Options & Required<Pick<Options, "target">>
  readonly service: ToolkitService
  readonly unused: Outcome["unused"]
  readonly show: (result: ToolResult.ToolResult) => AiTool.HandlerResult<EffectAi.DynamicTool>
}

export const makeRound = (options: Options, service: ToolkitService): Effect.Effect<Round> => {
  const { maxRounds = DEFAULT_ROUNDS } = options
  if (!Number.isInteger(maxRounds) || maxRounds < 1) {
    throw new TypeError(`maxRounds must be a whole number of at least 1, but is ${maxRounds}`)
  }
  checkAnswers(options)
  const concurrency = options.concurrency ?? "unbounded"
  const prompt = Prompt.make(options.prompt)
  const open = openCalls(prompt)
  const unused = unusedOf(options, open)
  return Effect.map(Effect.serviceOption(Model.ProviderName), (provider): Round => {
    const known = withTarget(options, EffectAi.targetOf(provider))
    const calling = { options: known, service, unused, show: toHandlerResult(known.acceptsMedia) }
    return {
      begin: Effect.gen(function*() {
        for (const { request } of unused) yield* Effect.logWarning(notWaiting(request))
        const answered = yield* Effect.forEach(open, (call) => reopen(calling, call), { concurrency })
        return next(calling, { prompt, rounds: 0, said: NOTHING, answered })
      }),
      end: (asked, said) =>
        Effect.gen(function*() {
          const parts = withOwnIds(said.parts)
          const calls = parts.flatMap((part) => part.type === "tool-call" && !part.providerExecuted ? [part] : [])
          const isComplete = COMPLETE.has(said.finishReason)
          const answered = isComplete
            ? yield* Effect.forEach(calls, (call) => make(calling, call, false), { concurrency })
            : calls.map((call) => ({ result: toPart(calling, call, cutOff(said.finishReason)) }))
          return next(calling, {
            prompt: Prompt.concat(asked.prompt, Prompt.fromResponseParts(parts)),
            rounds: asked.rounds + 1,
            said,
            answered
          }, isComplete)
        })
    }
  })
}

/** Without an id it would fit nothing, and the loop would go on waiting. */
const checkAnswers = ({ answers = [] }: Options): void => {
  const index = answers.findIndex(({ request }) => !Predicate.hasProperty(request, "id"))
  if (index === -1) return
  throw new TypeError(`answers[${index}].request is no request: it must be the "request" of an entry in "waiting"`)
}

/** By the id of the request: calls of other conversations may have the id of this one. */
const unusedOf = ({ answers = [] }: Options, open: ReadonlyArray<OpenCall>): Outcome["unused"] =>
  answers.filter(({ request }) => !open.some(({ approvalId }) => approvalId === request.id))

const notWaiting = ({ call, id }: Request.Request): string =>
  `An answer was not used: the conversation doesn't wait for request ${id}${
    call === undefined ? "" : `, of a call of ${call.name}`
  }`

/** A result, and an answer that is waited for, is told from others by the id of its call; a model may use one twice. */
const withOwnIds = (parts: Said["parts"]): Array<Said["parts"][number]> => {
  const uses = new Map<string, number>()
  return parts.map((part) => {
    if (part.type !== "tool-call" || part.providerExecuted) return part
    let [id, count] = [part.id, uses.get(part.id) ?? 0]
    while (uses.has(id)) id = `${part.id}_${++count}`
    uses.set(part.id, count)
    uses.set(id, uses.get(id) ?? 0)
    return id === part.id ? part : { ...part, id }
  })
}

const NOTHING: Said = { parts: [], finishReason: "unknown", text: "" }

/** As `effect/ai` has it: after any other reason what the model called may be half of what it meant. */
const COMPLETE: ReadonlySet<Response.FinishReason> = new Set(["stop", "tool-calls", "pause"])

const cutOff = (reason: string): ToolResult.ToolResult =>
  ToolResult.failure(`It was not run: the answer that called it was cut off (${reason}).`)

interface Progress {
  readonly prompt: Prompt.Prompt
  readonly rounds: number
  readonly said: Said
  readonly answered: ReadonlyArray<Answered>
}

const next = (
  { options, service, unused }: Calling,
  { answered, prompt: before, rounds, said }: Progress,
  isComplete = true
): Step => {
  const waiting = answered.flatMap((each) => "waiting" in each ? [each.waiting] : [])
  // what was asked before this loop stands in the conversation
  const added = answered.flatMap((each): ReadonlyArray<Added> => {
    if ("result" in each) return [each.result]
    if (each.asked === undefined) return []
    const { approvalId, toolCallId } = each.waiting
    return [Response.makePart("tool-approval-request", { approvalId, toolCallId })]
  })
  const asked = answered.flatMap((each) =>
    "result" in each || each.asked === undefined ? [] : [asking(each.waiting.toolCallId, each.asked)]
  )
  const results = answered.flatMap((each) => "result" in each ? [each.result] : [])
  const prompt = Prompt.fromMessages([
    ...before.content,
    ...(asked.length === 0 ? [] : [Prompt.assistantMessage({ content: asked })]),
    ...Prompt.fromResponseParts(results).content
  ])
  const done = (stopped: Outcome["stopped"]): Step => ({
    _tag: "Done",
    added,
    outcome: { text: said.text, prompt, rounds, stopped, finishReason: said.finishReason, waiting, unused }
  })
  if (!isComplete) return done("incomplete")
  if (waiting.length > 0) return done("waiting")
  // a model that only pauses, for what its provider runs, goes on when it is asked again
  if (rounds > 0 && answered.length === 0 && said.finishReason !== "pause") return done("done")
  if (rounds >= (options.maxRounds ?? DEFAULT_ROUNDS)) return done("rounds")
  const toolkit = EffectAi.fromToolkit(service, options)
  return { _tag: "Ask", prompt: withoutApprovals(prompt), toolkit, rounds, said, added }
}

/** A call of an earlier loop that has no answer yet. */
const reopen = (calling: Calling, call: OpenCall): Effect.Effect<Answered> => {
  const { options: { answers = [] }, service } = calling
  const given = answers.find(({ request }) => request.id === call.approvalId)
  if (given !== undefined) {
    return settle(calling, call, service.resume(given.request, given.answer, optionsOf(calling, call)))
  }
  const { approvalId, request, response } = call
  if (response?.approved === true) return make(calling, call, true)
  if (response !== undefined) return answer(calling, call, declined(response.reason))
  if (approvalId !== undefined) {
    const waiting = { toolCallId: call.id, approvalId, ...(request === undefined ? {} : { request }) }
    return Effect.succeed({ waiting })
  }
  return answer(calling, call, LOST)
}

const declined = (reason: string | undefined): ToolResult.ToolResult =>
  ToolResult.failure(`The user declined this call${reason === undefined ? "." : `: ${reason}`}`, {
    metadata: { error: "ToolDenied" }
  })

/** Running it again might do a thing twice. */
const LOST = ToolResult.failure(
  "It is not known whether this call was run: it was interrupted before it had an answer."
)

const answer = (calling: Calling, call: CallName, result: ToolResult.ToolResult): Effect.Effect<Answered> =>
  Effect.succeed({ result: toPart(calling, call, result) })

type CallName = Pick<OpenCall, "id" | "name">

const make = (
  calling: Calling,
  call: CallName & Pick<OpenCall, "params">,
  isApproved: boolean
): Effect.Effect<Answered> => {
  const { options: { target }, service } = calling
  const { name, params: args } = call
  const options = optionsOf(calling, call)
  return settle(calling, call, callDeclared(service, target, { name, args, isApproved, options }))
}

const optionsOf = ({ options: { callOptions } }: Calling, { id, name }: CallName): ToolCall.CallOptions =>
  withId(callOptions?.({ id, name }), id)

/** Its answer as a part of the conversation; or the person it waits for. */
const settle = (
  calling: Calling,
  call: CallName,
  running: Effect.Effect<ToolResult.ToolResult, ToolError.ToolError>
): Effect.Effect<Answered> => {
  const show = (result: ToolResult.ToolResult): Answered => ({ result: toPart(calling, call, result) })
  const waits = ({ request }: ToolError.ToolSuspended): Effect.Effect<Answered> =>
    Effect.succeed({ waiting: { toolCallId: call.id, approvalId: request.id, request }, asked: request })
  return ToolError.fold(Effect.catchTag(Effect.map(running, show), "ToolSuspended", waits), show)
}

const toPart = ({ show }: Calling, { id, name }: CallName, result: ToolResult.ToolResult): ResultPart => {
  const { encodedResult, isFailure, modelOutput } = show(result)
  const part = { id, name, encodedResult, preliminary: false, providerExecuted: false, result }
  return isFailure
    ? Response.makePart("tool-result", { ...part, isFailure })
    : Response.makePart("tool-result", { ...part, isFailure, ...(modelOutput === undefined ? {} : { modelOutput }) })
}
