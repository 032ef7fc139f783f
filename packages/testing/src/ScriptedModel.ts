/**
 * A language model that says what its script says, turn by turn, and keeps what it was asked: for tests and examples of
 * agents, without a key.
 *
 * @since 0.1.0
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/**
 * What the model says in one turn. How it finishes is added, unless the turn says so itself: `tool-calls` where it calls
 * tools, else `stop`.
 *
 * @category models
 * @since 0.1.0
 */
export type Turn =
  | ReadonlyArray<Response.PartEncoded>
  | ((request: LanguageModel.ProviderOptions) => ReadonlyArray<Response.PartEncoded>)

/**
 * What a scripted model was asked so far, in order.
 *
 * @category services
 * @since 0.1.0
 */
export class Requests extends Context.Service<Requests, {
  readonly all: Effect.Effect<ReadonlyArray<LanguageModel.ProviderOptions>>
}>()("@effect-toolnexus/testing/ScriptedModel/Requests") {}

/**
 * The model says some text.
 *
 * @category constructors
 * @since 0.1.0
 */
export const text = (said: string): Response.PartEncoded => ({ type: "text", text: said })

/**
 * The model calls a tool.
 *
 * @category constructors
 * @since 0.1.0
 */
export const call = (name: string, params: unknown = {}, id: string = `call_${name}`): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params,
  providerExecuted: false
})

/**
 * The model finishes, and why.
 *
 * @category constructors
 * @since 0.1.0
 */
export const finish = (reason: Response.FinishReason): Response.PartEncoded => ({
  type: "finish",
  reason,
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
})

/**
 * A model with that script. A request after its last turn is a defect.
 *
 * **Example**
 *
 * ```ts
 * const Model = ScriptedModel.layer([
 *   [ScriptedModel.call("weather", { city: "Oslo" })],
 *   [ScriptedModel.text("It is sunny in Oslo.")]
 * ])
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (script: ReadonlyArray<Turn>): Layer.Layer<LanguageModel.LanguageModel | Requests> =>
  Layer.effectContext(Effect.gen(function*() {
    const requests: Array<LanguageModel.ProviderOptions> = []
    const next = (request: LanguageModel.ProviderOptions) =>
      Effect.suspend(() => {
        const turn = script[requests.length]
        requests.push(request)
        if (turn === undefined) return Effect.die(new Error(`The script has no turn ${requests.length}`))
        return Effect.succeed(withFinish(typeof turn === "function" ? turn(request) : turn))
      })
    const model = yield* LanguageModel.make({
      generateText: next,
      streamText: (request) =>
        Stream.flatMap(Stream.fromEffect(next(request)), (parts) => Stream.fromIterable(parts.flatMap(inPieces)))
    })
    return Context.make(LanguageModel.LanguageModel, model).pipe(
      Context.add(Requests, { all: Effect.sync(() => [...requests]) })
    )
  }))

const withFinish = (parts: ReadonlyArray<Response.PartEncoded>): Array<Response.PartEncoded> =>
  parts.some(({ type }) => type === "finish")
    ? [...parts]
    : [...parts, finish(parts.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop")]

/** Text comes in two pieces, as from a real model. */
const inPieces = (part: Response.PartEncoded, index: number): ReadonlyArray<Response.StreamPartEncoded> => {
  const id = `part-${index}`
  switch (part.type) {
    case "text": {
      const half = Math.ceil(part.text.length / 2)
      return [
        { type: "text-start", id },
        { type: "text-delta", id, delta: part.text.slice(0, half) },
        { type: "text-delta", id, delta: part.text.slice(half) },
        { type: "text-end", id }
      ]
    }
    case "reasoning":
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: part.text },
        { type: "reasoning-end", id }
      ]
    default:
      return [part]
  }
}
