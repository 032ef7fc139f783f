/**
 * Requests to one agent: its card, answers of JSON-RPC and streams of them. Everything is bounded, and every failure is told
 * without what is secret.
 */
import * as EventStream from "@effect-toolnexus/core/EventStream"
import { bareHref } from "@effect-toolnexus/core/HttpAddress"
import type { HttpResponse, Wanted } from "@effect-toolnexus/core/HttpConnections"
import type { Reach } from "@effect-toolnexus/core/NetworkPolicy"
import * as RandomId from "@effect-toolnexus/core/RandomId"
import * as RemoteRequests from "@effect-toolnexus/core/RemoteRequests"
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { A2aError, type Reason } from "../A2aError.ts"
import { readEvent } from "../A2aReading.ts"
import type { StreamEvent } from "../A2aTask.ts"
import type { AgentInterface } from "../AgentCard.ts"
import type { AgentAddress } from "./agentAddress.ts"
import { type CardSecurity, describeSecurity, NONE, placeToken } from "./cardSecurity.ts"
import { headersOf, type Operation, toRpc } from "./dialect.ts"

/** Takes an event of so many characters, and says whether more is wanted. */
export type Listener = (event: StreamEvent, size: number) => Wanted

export interface Document {
  readonly text: string
  /** Where it came from in the end. */
  readonly url: URL
  /** Who can reach the places on the way there. */
  readonly reach: Reach
}

/** A result, and how many characters it came in. */
export interface Answer {
  readonly value: unknown
  readonly size: number
  /** Who can reach the place that it came from. */
  readonly reach: Reach
}

export interface AgentRequests {
  /** `onAnswer` is run at the first HTTP answer of any kind. */
  readonly get: (url: URL, limit: number, onAnswer: Effect.Effect<void>) => Effect.Effect<Document, A2aError>
  readonly ask: (operation: Operation, target: AgentInterface, context: unknown) => Effect.Effect<Answer, A2aError>
  /** Done at the end of the stream, whether that was meant or a cut. */
  readonly listen: (
    operation: Operation,
    target: AgentInterface,
    context: unknown,
    listener: Listener
  ) => Effect.Effect<void, A2aError>
  readonly redact: (text: string) => string
  /** What the card says of who may come in, once it is known. */
  readonly secure: (security: CardSecurity) => void
}

const makeError = (url: URL, reason: Reason): A2aError => new A2aError({ url: bareHref(url), reason })

export const failure = (url: URL, reason: Reason): Effect.Effect<never, A2aError> => Effect.fail(makeError(url, reason))

/** Room for an artifact with a file of several megabytes in it, and a bound for one that never ends. */
const ANSWER_LIMIT = 16 * 1024 * 1024

const ANSWER = "application/json"
const STREAM = "text/event-stream, application/json"

/** The scope closes its connections. */
export const open = Effect.fnUntraced(function*({ remote }: AgentAddress) {
  let security = NONE
  const requests = yield* RemoteRequests.RemoteRequests.make({
    ...remote,
    placeToken: (token) => placeToken(security, token)
  })
  const { redact } = requests

  /** What answered at all, and isn't a question who we are. */
  const send = (request: RemoteRequests.RemoteRequest, onAnswer: Effect.Effect<void> = Effect.void) =>
    requests.send(request).pipe(
      Effect.mapError((error) => makeError(request.url, { _tag: "Unreachable", detail: redact(error.detail) })),
      Effect.tap(onAnswer),
      Effect.flatMap((answer) => {
        if (RemoteRequests.isRedirected(answer)) {
          return failure(request.url, { _tag: "Malformed", detail: redact(answer.reason) })
        }
        const challenge = requests.challengeOf(request, answer)
        if (challenge === undefined) return Effect.succeed(answer)
        answer.discard()
        return failure(request.url, {
          _tag: "Unauthorized",
          status: challenge.status,
          challenge: Text.cut(redact(challenge.header), MAX_CHALLENGE, "..."),
          wanted: describeSecurity(security)
        })
      })
    )

  // an address is taken apart once, as long as it is the same object
  const addresses = new WeakMap<AgentInterface, URL>()
  const addressOf = (target: AgentInterface): URL => {
    const known = addresses.get(target) ?? new URL(target.url)
    addresses.set(target, known)
    return known
  }

  const toPost = (operation: Operation, target: AgentInterface, context: unknown, accept: string) =>
    Effect.map(RandomId.make, (id): RemoteRequests.RemoteRequest => ({
      method: "POST",
      url: addressOf(target),
      headers: { ...headersOf(target.dialect), accept, "content-type": "application/json" },
      body: JSON.stringify(toRpc(operation, target, id)),
      context,
      namedFrom: target.namedFrom
    }))

  const resultOf = (text: string, url: URL, response: HttpResponse): Effect.Effect<unknown, A2aError> => {
    const decoded = decodeResponse(text)
    const refusal = Option.flatMapNullishOr(decoded, ({ error }) => error)
    if (Option.isSome(refusal)) return failure(url, refused(refusal.value, response.status, redact))
    if (!isSuccess(response)) return failure(url, badStatus(response))
    return Option.isNone(decoded)
      ? failure(url, { _tag: "Malformed", detail: "this is not a JSON-RPC response" })
      : Effect.succeed(decoded.value.result)
  }

  const made: AgentRequests = {
    get: Effect.fnUntraced(function*(url, limit, onAnswer) {
      const request = { method: "GET", url, headers: { accept: ANSWER }, context: undefined }
      const response = yield* send(request, onAnswer)
      if (!isSuccess(response)) {
        response.discard()
        return yield* failure(url, badStatus(response))
      }
      const text = yield* readText(response, url, limit)
      return { text, url: response.movedTo ?? url, reach: requests.reachOf(request, response) }
    }),
    ask: Effect.fnUntraced(function*(operation, target, context) {
      const url = addressOf(target)
      const request = yield* toPost(operation, target, context, ANSWER)
      const response = yield* send(request)
      const text = yield* readText(response, url, ANSWER_LIMIT)
      const value = yield* resultOf(text, url, response)
      return { value, size: text.length, reach: requests.reachOf(request, response) }
    }),
    listen: Effect.fnUntraced(function*(operation, target, context, listener) {
      const url = addressOf(target)
      const response = yield* send(yield* toPost(operation, target, context, STREAM))
      const isStream = isSuccess(response) && RemoteRequests.hasEvents(response)
      const text = isStream ? "" : yield* readText(response, url, ANSWER_LIMIT)
      if (isStream) {
        yield* hear(response, url, listener, redact)
      } else if (isSuccess(response) && EVENTS.test(text)) {
        // some servers don't say what it is
        yield* hear(saying(response, text), url, listener, redact)
      } else {
        const event = readEvent(yield* resultOf(text, url, response))
        if (Option.isNone(event)) return yield* failure(url, { _tag: "Malformed", detail: NEITHER })
        listener(event.value, text.length)
      }
      return undefined
    }),
    redact,
    secure: (given) => {
      security = given
    }
  }
  return made
})

const MAX_CHALLENGE = 500

/** What a send is to be answered with. */
export const NEITHER = "neither a task nor a message"

const EVENTS = /^\uFEFF?\s*(?:data|event|id|retry|):/

/** A body that has been read already. */
const saying = (response: HttpResponse, text: string): HttpResponse => ({
  ...response,
  pieces: (take) =>
    Effect.sync(() => {
      take(text)
    })
})

const isSuccess = ({ status }: HttpResponse): boolean => status >= 200 && status < 300

const readText = (response: HttpResponse, url: URL, limit: number): Effect.Effect<string, A2aError> =>
  response.text(limit).pipe(
    Effect.mapError(() => makeError(url, { _tag: "Cut" })),
    Effect.flatMap(({ isWhole, text }) => isWhole ? Effect.succeed(text) : failure(url, { _tag: "TooLarge", limit }))
  )

/** An event that makes no sense costs only itself; a stream of nothing else is none. */
const hear = (response: HttpResponse, url: URL, listener: Listener, redact: (text: string) => string) =>
  Effect.suspend(() => {
    let wanted: Wanted = "more"
    let heard = 0
    let problem: Reason | undefined
    const take = (data: string) => {
      if (problem !== undefined) return
      const answer = Option.getOrUndefined(decodeResponse(data))
      if (answer?.error) {
        problem = refused(answer.error, response.status, redact)
        wanted = "nothing"
      }
      const event = readEvent(answer?.result)
      if (Option.isNone(event)) return
      heard++
      wanted = listener(event.value, data.length)
    }
    return Effect.flatMap(
      EventStream.readEvents(response, EventStream.beginning(), {
        take: (event) => take(event.data),
        tooLong: () => {
          problem = { _tag: "TooLarge", limit: EventStream.MAX_EVENT_LENGTH }
          return "nothing"
        },
        wanted: () => wanted,
        takesRest: true
      }),
      () => {
        const why: Reason | undefined = problem ?? (heard === 0 ? { _tag: "Silent" } : undefined)
        return why === undefined ? Effect.void : failure(url, why)
      }
    )
  })

const RpcError = Schema.Struct({ code: Schema.Finite, message: Schema.optionalKey(Schema.Unknown) })

const RpcResponse = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.NullOr(RpcError))
})

const decodeResponse = Schema.decodeUnknownOption(Schema.fromJsonString(RpcResponse))

/** An agent's reason is quoted in an error that a model reads. */
const MAX_REASON = 2000

const refused = (
  { code, message }: typeof RpcError.Type,
  status: number,
  redact: (text: string) => string
): Reason => ({
  _tag: "Refused",
  code,
  detail: Text.cut(redact(typeof message === "string" ? message : "no reason was given"), MAX_REASON, "..."),
  status
})

/** Nobody is waited for longer, whatever they say; in seconds. */
const MAX_RETRY_AFTER = 30

const badStatus = (response: HttpResponse): Reason => {
  const seconds = Number.parseInt(response.header("retry-after") ?? "", 10)
  return {
    _tag: "BadStatus",
    status: response.status,
    ...(seconds > 0 ? { retryAfter: Math.min(seconds, MAX_RETRY_AFTER) * 1000 } : {})
  }
}
