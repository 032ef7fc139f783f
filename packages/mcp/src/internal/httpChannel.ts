/**
 * Streamable HTTP (MCP 2025-11-25, Transports): each message is a POST, whose response is an answer or a stream of
 * messages; a GET stream brings what the server has to say by itself.
 *
 * A session that the server has forgotten ends the channel, once for all that wait; those to whom the server said so are
 * certain not to have been heard.
 */
import * as Defect from "@effect-toolnexus/core/Defect"
import type { HttpFailure, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import * as Redaction from "@effect-toolnexus/core/Redaction"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type { ResolvedRemote } from "../McpConfig.ts"
import { type Channel, type Receiver, type Refusal, silence } from "./channel.ts"
import { cutText } from "./cutText.ts"
import {
  type Answer,
  challengeOf,
  HttpRequests,
  isRedirected,
  isStream,
  type RemoteRequest,
  wordsOf
} from "./httpRequests.ts"
import { isRequest, type Message, serialize } from "./jsonRpc.ts"
import { inRealTime } from "./liveClock.ts"
import type { Run } from "./progressRelay.ts"
import { MAX_EVENT_LENGTH, type Position, readEvents } from "./sseReader.ts"

/** Said goodbye for so long: the server may be gone. */
const GOODBYE = "1 second"

/** After a 404 the others that are on their way get theirs, within so long. */
const EXPIRY = "1 second"

/** So often in a row a stream is asked for that brings nothing. */
const MAX_IDLE_STREAMS = 5

const FIRST_DELAY_MILLIS = 1000
const MAX_DELAY_MILLIS = 30_000

/** Enough of an error's body to see what is wrong. */
const SHOWN_BODY = 2000

const ANSWERS = "application/json, text/event-stream"

export const openHttp = Effect.fnUntraced(function*(server: ResolvedRemote) {
  const run = yield* FiberSet.makeRuntime()
  return new HttpChannel(server, yield* HttpRequests.make(server), run)
})

export class HttpChannel implements Channel {
  readonly redact: Redaction.Redaction
  readonly withheld = []
  readonly #server: ResolvedRemote
  readonly #requests: HttpRequests
  readonly #run: Run
  readonly #sent = new Map<number, Fiber.Fiber<unknown, unknown>>()
  /** Requests that the server has not begun to answer. */
  readonly #unheard = new Set<number>()
  /** Requests that it has certainly done nothing about. */
  readonly #unsent = new Set<number>()
  #receiver: Receiver | undefined
  #refusal: Refusal | undefined
  #sessionId: string | undefined
  #revision: string | undefined
  /** Nothing overtakes the word that we are ready. */
  #greeted: Effect.Effect<unknown> = Effect.void
  #isExpired = false
  #isLeft = false

  constructor(server: ResolvedRemote, requests: HttpRequests, run: Run) {
    this.#server = server
    this.#requests = requests
    this.#run = run
    this.redact = Redaction.make(server.secrets)
  }

  listen(receiver: Receiver) {
    return Effect.sync(() => {
      this.#receiver = receiver
    })
  }

  send(message: Message, context?: unknown) {
    if (this.#isLeft) return
    const id = isRequest(message) ? Number(message.id) : undefined
    const delivery = this.#deliver(message, id, context)
    const isGreeting = message.method === "notifications/initialized"
    const fiber = this.#run(isGreeting ? delivery : Effect.andThen(this.#greeted, delivery))
    if (isGreeting) {
      this.#greeted = Fiber.await(fiber)
      this.#run(Effect.andThen(this.#greeted, this.#hearServer(0, { events: 0 })))
    }
    if (id !== undefined) this.#sent.set(id, fiber)
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
    return Effect.flatMap(this.#requests.send(this.#request("DELETE", {})), discard).pipe(
      Effect.timeoutOption(GOODBYE),
      Effect.ignore,
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

  #deliver(message: Message, id: number | undefined, context: unknown): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (id !== undefined) this.#unheard.add(id)
      const headers = { accept: ANSWERS, "content-type": "application/json" }
      const request = this.#request("POST", headers, { body: serialize(message) }, context)
      return this.#requests.send(request).pipe(
        Effect.tap(() => Effect.sync(() => id !== undefined && this.#unheard.delete(id))),
        Effect.flatMap((answer) => this.#take(message, id, request, answer)),
        Effect.catch((failure) => Effect.sync(() => this.#failed(message, id, failure))),
        Effect.catchDefect((defect) =>
          Effect.map(
            Defect.log(`mcp server "${this.#server.name}"`, defect, this.redact),
            (defectId) => this.#lose(id, `a header for it can't be made (${defectId})`, true)
          )
        ),
        Effect.ensuring(Effect.sync(() => this.#done(id)))
      )
    })
  }

  #done(id: number | undefined) {
    if (id === undefined) return
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
    const challenge = challengeOf(this.#server.name, request, answer)
    if (challenge !== undefined) {
      const detail = wordsOf(challenge)
      return Effect.andThen(
        discard(answer),
        Effect.sync(() => this.#refuse(message, id, { phase: "connect", detail, challenge }))
      )
    }
    return status >= 200 && status < 300
      ? this.#read(message, id, answer)
      : this.#readProblem(message, id, request, answer)
  }

  #read(message: Message, id: number | undefined, response: HttpResponse): Effect.Effect<void, HttpFailure> {
    if (message.method === "initialize") this.#sessionId = response.header("mcp-session-id")
    const type = response.header("content-type") ?? ""
    if (type.startsWith("text/event-stream")) return this.#readStream(id, response, { events: 0 }, 0)
    if (id === undefined || response.status === 202 || response.status === 204) {
      return Effect.andThen(
        discard(response),
        Effect.sync(() => this.#lose(id, `took the request and gave no answer (HTTP ${response.status})`, true))
      )
    }
    return Effect.map(response.text(MAX_EVENT_LENGTH), ({ isWhole, text }) => {
      if (!isWhole) return this.#receiver?.fail(id, `the answer is longer than the limit of ${MAX_EVENT_LENGTH} bytes`)
      this.#hear(text, id)
      if (this.#isOpen(id)) this.#receiver?.fail(id, `its answer is no message: ${shorten(text)}`)
    })
  }

  /** An answer that was cut off goes on where it was, if the server has said where that is. */
  #readStream(
    id: number | undefined,
    response: HttpResponse,
    position: Position,
    attempts: number
  ): Effect.Effect<void, HttpFailure> {
    const before = position.events
    const read = readEvents(response, position, ({ data }) => this.#hear(data, id), () => {
      if (id !== undefined) this.#receiver?.fail(id, `the answer is longer than the limit of ${MAX_EVENT_LENGTH} bytes`)
    })
    return Effect.andThen(
      read,
      Effect.suspend(() => {
        if (id === undefined || !this.#isOpen(id)) return Effect.void
        const next = position.events > before ? 1 : attempts + 1
        if (position.lastEventId === undefined || next > MAX_IDLE_STREAMS) {
          return Effect.sync(() => this.#lose(id, "cut its answer off", true))
        }
        return Effect.andThen(
          Effect.sleep(delayOf(next, position)),
          Effect.flatMap(this.#requests.send(this.#streamRequest(position)), (again) =>
            isStream(again)
              ? this.#readStream(id, again, position, next)
              : Effect.andThen(discard(again), Effect.sync(() => this.#lose(id, "cut its answer off", true))))
        )
      })
    )
  }

  /** What the server has to say by itself. That it offers no such stream is normal, and it may be cut at any time. */
  #hearServer(attempts: number, position: Position): Effect.Effect<void> {
    if (attempts > MAX_IDLE_STREAMS) return Effect.void
    const before = position.events
    return Effect.matchEffect(this.#requests.send(this.#streamRequest(position)), {
      onFailure: (failure) => {
        if (attempts === MAX_IDLE_STREAMS && !failure.wasSent) {
          return Effect.sync(() => this.#gone(undefined, failure.detail))
        }
        return this.#hearLater(attempts + 1, position)
      },
      onSuccess: (answer) =>
        isStream(answer)
          ? Effect.andThen(
            readEvents(answer, position, ({ data }) => this.#hear(data), () => {}),
            Effect.suspend(() => this.#hearLater(position.events > before ? 1 : attempts + 1, position))
          )
          : discard(answer)
    })
  }

  #hearLater(attempts: number, position: Position): Effect.Effect<void> {
    return Effect.andThen(
      Effect.sleep(delayOf(attempts, position)),
      Effect.suspend(() => this.#hearServer(attempts, position))
    )
  }

  #streamRequest({ lastEventId }: Position): RemoteRequest {
    return this.#request("GET", {
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
    })
  }

  #readProblem(
    message: Message,
    id: number | undefined,
    request: RemoteRequest,
    response: HttpResponse
  ): Effect.Effect<void, HttpFailure> {
    return Effect.map(response.text(SHOWN_BODY), ({ text }) => {
      // it may be an answer all the same, in the protocol's own terms
      this.#hear(text)
      if (id !== undefined && !this.#isOpen(id)) return
      // what many servers say in place of a 404, the protocol's own reference among them
      const isForgotten = response.status === 400 && request.headers["mcp-session-id"] !== undefined &&
        /\bsession\b/i.test(text)
      if (isForgotten && id !== undefined) return this.#forgotten(id)
      const body = shorten(text)
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

  #isOpen(id: number): boolean {
    return this.#receiver?.isPending(id) === true
  }

  #refuse(message: Message, id: number | undefined, refusal: Refusal) {
    if (message.method === "initialize") this.#refusal = { ...refusal, detail: this.redact(refusal.detail) }
    if (refusal.challenge === undefined) {
      if (id !== undefined) this.#receiver?.fail(id, refusal.detail)
    } else this.#lose(id, refusal.detail, true)
  }

  #lose(id: number | undefined, reason: string, wasSent: boolean) {
    if (id !== undefined) this.#receiver?.lose(id, reason, wasSent)
  }

  /** Who can't be connected to is gone; what was cut off on the way is lost alone. */
  #failed(message: Message, id: number | undefined, { detail, wasSent }: HttpFailure) {
    if (message.method === "initialize") this.#refusal = { phase: "connect", detail: this.redact(detail) }
    if (!wasSent) return this.#gone(id, detail)
    this.#lose(id, detail, true)
    // a connection that is cut may be all that is left of a server
    if (!this.#isLeft) this.#run(this.#probe)
  }

  #gone(id: number | undefined, detail: string) {
    if (id !== undefined) this.#unsent.add(id)
    this.#receiver?.end(`can't be reached: ${detail}`, { unsent: this.#unsent })
  }

  /** Whether the server is still there; what it answers to a ping doesn't matter. */
  readonly #probe: Effect.Effect<void> = Effect.suspend(() => {
    const headers = { accept: ANSWERS, "content-type": "application/json" }
    return Effect.matchEffect(this.#requests.send(this.#request("POST", headers, { body: PING })), {
      onFailure: ({ detail, wasSent }) => Effect.sync(() => wasSent ? undefined : this.#gone(undefined, detail)),
      onSuccess: discard
    })
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

const PING = serialize({ id: "ping", method: "ping" })

/** With these the older transport answers where it is sent what the newer one is. */
const OLDER: ReadonlySet<number> = new Set([400, 404, 405, 406])

const discard = (answer: Answer): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!isRedirected(answer)) answer.discard()
  })

const shorten = (text: string): string => cutText(text.replaceAll(/\s+/g, " ").trim(), SHOWN_BODY, "...")

/** In milliseconds: what the server wants, or longer each time. */
const delayOf = (attempts: number, { retry }: Position): number =>
  Math.min(retry ?? FIRST_DELAY_MILLIS * 2 ** (attempts - 1), MAX_DELAY_MILLIS)
