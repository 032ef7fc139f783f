/**
 * Streamable HTTP (MCP 2025-11-25, Transports): each message is a POST, whose response is an answer or a stream of
 * messages; a GET stream brings what the server has to say by itself.
 *
 * A session that the server has forgotten ends the channel, once for all that wait; those to whom the server said so are
 * certain not to have been heard.
 */
import * as Defect from "@effect-toolnexus/core/Defect"
import { beginning, MAX_EVENT_LENGTH, type Position, readEvents } from "@effect-toolnexus/core/EventStream"
import { HttpFailure, type HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import type * as Redaction from "@effect-toolnexus/core/Redaction"
import {
  type Answer,
  hasEvents,
  isRedirected,
  isStream,
  type RemoteRequest,
  RemoteRequests,
  wordsOf
} from "@effect-toolnexus/core/RemoteRequests"
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type { ResolvedRemote } from "../McpConfig.ts"
import { type Channel, type Receiver, type Refusal, silence } from "./channel.ts"
import { FireAndForget, NOTICE_LIMIT } from "./fireAndForget.ts"
import { isRequest, type Message, serialize } from "./jsonRpc.ts"
import { inRealTime } from "./liveClock.ts"
import { redacted } from "./redactedRefusal.ts"
import type { Run } from "./run.ts"

/** Said goodbye for so long: the server may be gone. */
const GOODBYE = "1 second"

/** After a 404 the others that are on their way get theirs, within so long. */
const EXPIRY = "1 second"

/** So often in a row a stream is asked for that brings nothing. */
const MAX_IDLE_STREAMS = 5

const FIRST_DELAY_MILLIS = 1000
/** A server that asks us back at once, for ever, must not keep a processor busy. */
const MIN_DELAY_MILLIS = 100
const MAX_DELAY_MILLIS = 30_000

/** Enough of an error's body to see what is wrong. */
const SHOWN_BODY = 2000
/** So much of it is read, in bytes: no secret may be cut in two before it is blotted out. */
const READ_BODY = 4 * SHOWN_BODY

/** What else is sent waits so long for the word that we are ready to have arrived. */
const GREETING_LIMIT = "5 seconds"

const ANSWERS = "application/json, text/event-stream"

export const openHttp = Effect.fnUntraced(function*(server: ResolvedRemote) {
  const run = yield* FiberSet.makeRuntime()
  return new HttpChannel(server, yield* RemoteRequests.make({ ...server, kind: "mcp" }), run)
})

export class HttpChannel implements Channel {
  readonly redact: Redaction.Redaction
  readonly withheld = []
  readonly #server: ResolvedRemote
  readonly #requests: RemoteRequests
  readonly #run: Run
  readonly #sent = new Map<number, Fiber.Fiber<unknown, unknown>>()
  readonly #notices: FireAndForget
  /** Requests that the server has not begun to answer. */
  readonly #unheard = new Set<number>()
  /** Requests that it has certainly done nothing about. */
  readonly #unsent = new Set<number>()
  #receiver: Receiver | undefined
  #refusal: Refusal | undefined
  #sessionId: string | undefined
  #revision: string | undefined
  /** Done when the word that we are ready has arrived, which nothing overtakes. */
  #greeting: Effect.Effect<unknown> | undefined
  #isExpired = false
  #isProbing = false
  #isLeft = false

  constructor(server: ResolvedRemote, requests: RemoteRequests, run: Run) {
    this.#server = server
    this.#requests = requests
    this.#run = run
    this.#notices = new FireAndForget(run)
    this.redact = requests.redact
  }

  listen(receiver: Receiver) {
    return Effect.sync(() => {
      this.#receiver = receiver
    })
  }

  send(message: Message, context?: unknown) {
    if (this.#isLeft) return
    const body = serialize(message)
    if (isRequest(message)) return this.#sendRequest(message, Number(message.id), body, context)
    if (message.method !== "notifications/initialized") {
      return this.#notices.send(message, this.#afterGreeting(this.#deliver(message, undefined, body, undefined)))
    }
    const fiber = this.#run(this.#deliver(message, undefined, body, undefined))
    this.#greeting = Effect.timeoutOption(Fiber.await(fiber), GREETING_LIMIT)
    this.#run(Effect.andThen(this.#greeting, this.#hearServer(0, beginning())))
  }

  #sendRequest(message: Message, id: number, body: string, context: unknown) {
    if (STARTING.has(message.method)) this.#refusal = undefined
    const done = Effect.sync(() => this.#done(id))
    const fiber = this.#run(Effect.ensuring(this.#afterGreeting(this.#deliver(message, id, body, context)), done))
    // it may have ended at once
    if (fiber.pollUnsafe() === undefined) this.#sent.set(id, fiber)
  }

  #afterGreeting<A>(delivery: Effect.Effect<A>): Effect.Effect<A> {
    const greeting = this.#greeting
    if (greeting === undefined) return delivery
    const arrived = Effect.andThen(
      greeting,
      Effect.sync(() => {
        this.#greeting = undefined
      })
    )
    return Effect.andThen(arrived, delivery)
  }

  /** What is on its way is cut off; that the server is to stop is said by whoever takes it back. */
  withdraw(id: number): boolean {
    this.#sent.get(id)?.interruptUnsafe()
    return false
  }

  negotiated(revision: string) {
    this.#revision = revision
  }

  readonly refusal = (): Refusal | undefined => this.#refusal
  readonly ended = (): string | undefined => undefined
  readonly stderr = (): string => ""
  readonly noise = () => silence

  readonly leave: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#isLeft) return Effect.void
    this.#isLeft = true
    this.#receiver?.end(undefined)
    if (this.#sessionId === undefined || this.#isExpired) return Effect.void
    // nobody is bothered for the sake of a goodbye
    const goodbye = { ...this.#request("DELETE", {}), asksNobody: true }
    return Effect.flatMap(this.#requests.send(goodbye), discard).pipe(
      Effect.timeoutOption(GOODBYE),
      // whatever breaks on the way, e.g. who makes our headers
      Effect.exit,
      Effect.asVoid,
      inRealTime
    )
  })

  #request(
    method: RemoteRequest["method"],
    headers: RemoteRequest["headers"],
    content: Pick<RemoteRequest, "body"> = {},
    context?: unknown
  ): RemoteRequest {
    return {
      method,
      url: this.#server.url,
      headers: {
        ...headers,
        ...(this.#sessionId === undefined ? {} : { "mcp-session-id": this.#sessionId }),
        ...(this.#revision === undefined ? {} : { "mcp-protocol-version": this.#revision })
      },
      context,
      ...content
    }
  }

  #deliver(message: Message, id: number | undefined, body: string, context: unknown): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (id !== undefined) this.#unheard.add(id)
      const headers = { accept: ANSWERS, "content-type": "application/json" }
      const request = this.#request("POST", headers, { body }, context)
      return Effect.flatMap(this.#requests.send(request), (answer) => {
        if (id !== undefined) this.#unheard.delete(id)
        return this.#take(message, id, request, answer)
      }).pipe(
        Effect.catch((failure) => Effect.sync(() => this.#failed(message, id, failure))),
        Effect.catchDefect((defect) =>
          Effect.map(
            this.#logged(defect),
            (defectId) => this.#lose(id, `a header for it can't be made (${defectId})`, true)
          )
        )
      )
    })
  }

  #logged(defect: unknown) {
    return Defect.log(`mcp server "${this.#server.name}"`, defect, this.redact)
  }

  #done(id: number) {
    this.#sent.delete(id)
    this.#unheard.delete(id)
    if (this.#isExpired && this.#unheard.size === 0) this.#expire()
  }

  #take(
    message: Message,
    id: number | undefined,
    request: RemoteRequest,
    answer: Answer
  ): Effect.Effect<void, HttpFailure> {
    if (isRedirected(answer)) {
      return Effect.sync(() => this.#refuse(message, id, { phase: "initialize", detail: answer.reason }))
    }
    const { status } = answer
    if (status === 404 && request.headers["mcp-session-id"] !== undefined && id !== undefined) {
      return Effect.andThen(discard(answer), Effect.sync(() => this.#forgotten(id)))
    }
    const challenge = this.#requests.challengeOf(request, answer)
    if (challenge !== undefined) {
      const detail = wordsOf(challenge, this.redact)
      return Effect.andThen(
        discard(answer),
        Effect.sync(() => this.#refuse(message, id, { phase: "connect", detail, challenge }))
      )
    }
    return status >= 200 && status < 300
      ? this.#read(message, id, request, answer)
      : this.#readProblem(message, id, request, answer)
  }

  #read(
    message: Message,
    id: number | undefined,
    { context }: RemoteRequest,
    response: HttpResponse
  ): Effect.Effect<void, HttpFailure> {
    // an empty one is none
    if (message.method === "initialize") this.#sessionId = response.header("mcp-session-id") || undefined
    if (hasEvents(response)) return this.#readStream({ id, context }, response, beginning(), 0)
    if (id === undefined || response.status === 202 || response.status === 204) {
      return Effect.andThen(
        discard(response),
        Effect.sync(() => this.#lose(id, `took the request and gave no answer (HTTP ${response.status})`, true))
      )
    }
    return Effect.map(response.text(MAX_EVENT_LENGTH), ({ isWhole, text }) => {
      if (!isWhole) return this.#receiver?.fail(id, TOO_LONG)
      this.#hear(text, id)
      if (this.#isOpen(id)) this.#receiver?.fail(id, this.#noMessage(response, text))
    })
  }

  #noMessage(response: HttpResponse, text: string): string {
    const encoding = response.header("content-encoding") ?? "identity"
    return encoding === "identity"
      ? `its answer is no message: ${this.#shorten(text)}`
      : `its answer is encoded in a way it wasn't asked for: ${encoding}`
  }

  /** An answer that was cut off goes on where it was, if the server has said where that is. */
  #readStream(
    asked: Asked,
    response: HttpResponse,
    position: Position,
    attempts: number
  ): Effect.Effect<void> {
    const { context, id } = asked
    const before = position.events
    const isAnswered = () => id !== undefined && !this.#isOpen(id)
    const read = readEvents(response, position, {
      take: ({ data }) => this.#hear(data, id),
      tooLong: () => {
        if (id !== undefined) this.#receiver?.fail(id, TOO_LONG)
        return "nothing"
      },
      // some servers never end it, and the connection is wanted back
      wanted: () => isAnswered() ? "soon" : "more"
    })
    return Effect.andThen(
      read,
      Effect.suspend(() => {
        if (id === undefined || isAnswered()) return Effect.void
        const cutOff = Effect.sync(() => this.#lose(id, "cut its answer off", true))
        const next = position.events > before ? 1 : attempts + 1
        if (position.lastEventId === undefined || next > MAX_IDLE_STREAMS) return cutOff
        return Effect.andThen(
          Effect.sleep(delayOf(next, position)),
          Effect.matchEffect(Effect.suspend(() => this.#requests.send(this.#streamRequest(position, context))), {
            // what the request asked for may have been done, whatever becomes of its answer
            onFailure: (failure) => Effect.sync(() => this.#failed({}, id, sent(failure))),
            onSuccess: (again) =>
              isStream(again)
                ? this.#readStream(asked, again, position, next)
                : Effect.andThen(discard(again), cutOff)
          })
        )
      })
    )
  }

  /** What the server has to say by itself. That it offers no such stream is normal, and it may be cut at any time. */
  #hearServer(attempts: number, position: Position): Effect.Effect<void> {
    const stream = Effect.suspend(() => this.#hearStream(attempts, position))
    return attempts === 0 ? Effect.catchDefect(stream, (defect) => Effect.asVoid(this.#logged(defect))) : stream
  }

  #hearStream(attempts: number, position: Position): Effect.Effect<void> {
    if (attempts > MAX_IDLE_STREAMS) return Effect.void
    const before = position.messages
    return Effect.matchEffect(this.#requests.send(this.#streamRequest(position)), {
      onFailure: (failure) => {
        if (attempts === MAX_IDLE_STREAMS && !failure.wasSent) {
          return Effect.sync(() => this.#gone(undefined, failure.detail))
        }
        return this.#hearLater(attempts + 1, position)
      },
      onSuccess: (answer) => {
        const isBusy = !isRedirected(answer) && BUSY.has(answer.status)
        if (isStream(answer)) {
          return Effect.andThen(
            readEvents(answer, position, {
              take: ({ data }) => this.#hear(data),
              tooLong: () => "nothing",
              wanted: () => "more"
            }),
            Effect.suspend(() => this.#hearLater(position.messages > before ? 1 : attempts + 1, position))
          )
        }
        return Effect.andThen(discard(answer), isBusy ? this.#hearLater(attempts + 1, position) : Effect.void)
      }
    })
  }

  #hearLater(attempts: number, position: Position): Effect.Effect<void> {
    return Effect.andThen(
      Effect.sleep(delayOf(attempts, position)),
      Effect.suspend(() => this.#hearServer(attempts, position))
    )
  }

  #streamRequest({ lastEventId }: Position, context?: unknown): RemoteRequest {
    return this.#request(
      "GET",
      {
        accept: "text/event-stream",
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
      },
      {},
      context
    )
  }

  #readProblem(
    message: Message,
    id: number | undefined,
    request: RemoteRequest,
    response: HttpResponse
  ): Effect.Effect<void, HttpFailure> {
    return Effect.map(response.text(READ_BODY), ({ text }) => {
      // it may be an answer all the same, in the protocol's own terms
      this.#hear(text)
      if (id !== undefined && !this.#isOpen(id)) return
      // what many servers say in place of a 404, the protocol's own reference among them
      const isForgotten = response.status === 400 && request.headers["mcp-session-id"] !== undefined &&
        /\bsession\b/i.test(text)
      if (isForgotten && id !== undefined) return this.#forgotten(id)
      const body = this.#shorten(text)
      const isOlder = message.method === "initialize" && OLDER.has(response.status)
      const detail = `HTTP ${response.status}${body === "" ? "" : `: ${body}`}`
      this.#refuse(message, id, { phase: "initialize", detail, ...(isOlder ? { isOlder } : {}) })
    })
  }

  #hear(text: string, related?: number) {
    const parsed = Result.try((): unknown => JSON.parse(text))
    if (Result.isFailure(parsed)) return
    const values: ReadonlyArray<unknown> = Array.isArray(parsed.success) ? parsed.success : [parsed.success]
    for (const value of values) this.#receiver?.receive(value, related)
  }

  /** Cut when its secrets are out of it. */
  #shorten(text: string): string {
    return Text.cut(this.redact(text).replaceAll(/\s+/g, " ").trim(), SHOWN_BODY, "...")
  }

  #isOpen(id: number): boolean {
    return this.#receiver?.isPending(id) === true
  }

  #refuse(message: Message, id: number | undefined, refusal: Refusal) {
    if (STARTING.has(message.method)) this.#refusal = redacted(refusal, this.redact)
    if (refusal.challenge === undefined) {
      if (id !== undefined) this.#receiver?.fail(id, refusal.detail)
    } else this.#lose(id, refusal.detail.replace(/^it /, ""), true)
  }

  #lose(id: number | undefined, reason: string, wasSent: boolean) {
    if (id !== undefined) this.#receiver?.lose(id, reason, wasSent)
  }

  /** Who can't be connected to is gone; what was cut off on the way is lost alone. */
  #failed(message: Pick<Message, "method">, id: number | undefined, { detail, wasSent }: HttpFailure) {
    if (message.method === "initialize") this.#refusal = { phase: "connect", detail: this.redact(detail) }
    if (!wasSent) return this.#gone(id, detail)
    this.#lose(id, detail, true)
    // a connection that is cut may be all that is left of a server
    if (!this.#isLeft && !this.#isProbing) this.#run(this.#probe)
  }

  #gone(id: number | undefined, detail: string) {
    if (id !== undefined) this.#unsent.add(id)
    this.#receiver?.end(`can't be reached: ${detail}`, { unsent: this.#unsent })
  }

  /** Whether the server is still there; what it answers to a ping doesn't matter. One at a time is enough. */
  readonly #probe: Effect.Effect<void> = Effect.suspend(() => {
    this.#isProbing = true
    const headers = { accept: ANSWERS, "content-type": "application/json" }
    return Effect.matchEffect(this.#requests.send(this.#request("POST", headers, { body: PING })), {
      onFailure: ({ detail, wasSent }) => Effect.sync(() => wasSent ? undefined : this.#gone(undefined, detail)),
      onSuccess: discard
    }).pipe(
      Effect.timeoutOption(NOTICE_LIMIT),
      Effect.exit,
      Effect.andThen(Effect.sync(() => {
        this.#isProbing = false
      }))
    )
  })

  /** The others that are on their way are told so as well, which makes certain that they weren't heard. */
  #forgotten(id: number) {
    this.#unsent.add(id)
    if (this.#isExpired) return
    this.#isExpired = true
    this.#run(Effect.andThen(Effect.sleep(EXPIRY), Effect.sync(() => this.#expire())))
  }

  #expire() {
    this.#receiver?.end("has forgotten our session", { unsent: this.#unsent, isExpired: true })
  }
}

/** A request whose answer comes as a stream. */
interface Asked {
  readonly id: number | undefined
  readonly context: unknown
}

const TOO_LONG = `the answer is longer than the limit of ${MAX_EVENT_LENGTH} bytes`

const sent = ({ code, detail }: HttpFailure) => new HttpFailure({ code, detail, wasSent: true })

/** Who is refused these isn't connected. */
const STARTING: ReadonlySet<string | undefined> = new Set(["initialize", "tools/list"])

const PING = serialize({ id: "ping", method: "ping" })

/** With these the older transport answers where it is sent what the newer one is. */
const OLDER: ReadonlySet<number> = new Set([400, 404, 405, 406])

/** A server that has a stream of its own says so when it has the time. */
const BUSY: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

const discard = (answer: Answer): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!isRedirected(answer)) answer.discard()
  })

/** In milliseconds: what the server wants, or longer each time. */
const delayOf = (attempts: number, { retry }: Position): number =>
  Math.max(MIN_DELAY_MILLIS, Math.min(retry ?? FIRST_DELAY_MILLIS * 2 ** (attempts - 1), MAX_DELAY_MILLIS))
