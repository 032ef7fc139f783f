/**
 * A session of streamable HTTP: what goes along with each of its requests, and how the other side ends it. A session that
 * the server has forgotten ends once for all that wait; those to whom the server said so are certain not to have been
 * heard.
 */
import type { Position } from "@effect-toolnexus/core/EventStream"
import type { HttpFailure, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import { isRedirected, type RemoteRequest } from "@effect-toolnexus/core/RemoteRequests"
import * as Effect from "effect/Effect"
import { NOTICE_LIMIT } from "./fireAndForget.ts"
import { serialize } from "./jsonRpc.ts"
import { discard, isOk, type Outgoing, type RemoteLink } from "./remoteLink.ts"

/** After a 404 the others that are on their way get theirs, within so long. */
const EXPIRY = "1 second"

const SESSION = "mcp-session-id"

const PING = serialize({ id: "ping", method: "ping" })

const POSTED = { accept: "application/json, text/event-stream", "content-type": "application/json" }

export class HttpSession {
  readonly link: RemoteLink
  readonly #url: URL
  /** Requests that the server has not begun to answer. */
  readonly #unheard = new Set<number>()
  /** Requests that it has certainly done nothing about. */
  readonly #unsent = new Set<number>()
  #id: string | undefined
  #revision: string | undefined
  #isExpired = false
  #isProbing = false

  constructor(link: RemoteLink, url: URL) {
    this.link = link
    this.#url = url
  }

  /** With the answer to `initialize`. */
  begin(response: HttpResponse) {
    // an empty one is none
    this.#id = response.header(SESSION) || undefined
  }

  negotiated(revision: string) {
    this.#revision = revision
  }

  post(body: string, context: unknown): RemoteRequest {
    return { ...this.#request("POST", POSTED, context), body }
  }

  /** For what follows the last event of a stream; without one, for what the server has to say by itself. */
  stream({ lastEventId }: Position, context: unknown): RemoteRequest {
    const after = lastEventId === undefined ? {} : { "last-event-id": lastEventId }
    return this.#request("GET", { accept: "text/event-stream", ...after }, context)
  }

  /** Nothing where the server knows of no session. */
  get goodbye(): RemoteRequest | undefined {
    if (this.#id === undefined || this.#isExpired) return undefined
    // nobody is bothered for the sake of a goodbye
    return { ...this.#request("DELETE", {}, undefined), asksNobody: true }
  }

  #request(method: string, headers: RemoteRequest["headers"], context: unknown): RemoteRequest {
    return {
      method,
      url: this.#url,
      headers: {
        ...headers,
        ...(this.#id === undefined ? {} : { [SESSION]: this.#id }),
        ...(this.#revision === undefined ? {} : { "mcp-protocol-version": this.#revision })
      },
      context
    }
  }

  asks({ id }: Outgoing) {
    if (id !== undefined) this.#unheard.add(id)
  }

  /** The server has begun to answer it. */
  isHeard({ id }: Outgoing) {
    if (id !== undefined) this.#unheard.delete(id)
  }

  /** Nothing of it is under way any more. */
  isOver(id: number) {
    this.#unheard.delete(id)
    if (this.#isExpired && this.#unheard.size === 0) this.#expire()
  }

  /**
   * Whether the server says that it knows nothing of the session. Many say it with a 400 and a word about it, the
   * protocol's own reference among them.
   */
  isUnknown(request: RemoteRequest, status: number, text = ""): boolean {
    return request.headers[SESSION] !== undefined && (status === 404 || status === 400 && /\bsession\b/i.test(text))
  }

  /**
   * `unsent`: a request that was told so, and so not heard. The others that are on their way are told so as well, within
   * a while.
   */
  forgotten(unsent?: number) {
    if (unsent !== undefined) this.#unsent.add(unsent)
    if (this.#isExpired) return
    this.#isExpired = true
    this.link.run(Effect.andThen(Effect.sleep(EXPIRY), Effect.sync(() => this.#expire())))
  }

  #expire() {
    this.link.end("has forgotten our session", { unsent: this.#unsent, isExpired: true })
  }

  /** Who can't be connected to is gone; what was cut off on the way is lost alone. */
  failed(message: Outgoing, failure: HttpFailure) {
    this.link.unreachable(message, failure)
    if (failure.wasSent) this.cutOff(message, failure)
    else this.gone(failure, message)
  }

  /** A connection that is cut may be all that is left of a server. */
  cutOff(message: Outgoing, failure: HttpFailure) {
    this.link.cutOff(message, failure)
    this.probe()
  }

  /** The server can't be connected to; `unsent` never came to it. */
  gone({ detail }: HttpFailure, unsent?: Outgoing) {
    if (unsent?.id !== undefined) this.#unsent.add(unsent.id)
    this.link.end(`can't be reached: ${detail}`, { unsent: this.#unsent })
  }

  /** Looks whether the server is still there, and knows us. One at a time is enough. */
  probe() {
    if (this.link.isLeft || this.#isProbing) return
    this.#isProbing = true
    const ended = Effect.sync(() => {
      this.#isProbing = false
    })
    this.link.run(this.#ping.pipe(Effect.timeoutOption(NOTICE_LIMIT), Effect.exit, Effect.andThen(ended)))
  }

  readonly #ping: Effect.Effect<void> = Effect.suspend(() => {
    const request = this.post(PING, undefined)
    const answered = Effect.flatMap(this.link.requests.send(request), (answer): Effect.Effect<void, HttpFailure> => {
      if (isRedirected(answer) || isOk(answer)) return Effect.sync(() => discard(answer))
      return Effect.map(this.link.readProblem(answer), ({ text }) => {
        if (this.isUnknown(request, answer.status, text)) this.forgotten()
      })
    })
    return Effect.catch(answered, (failure) => Effect.sync(() => failure.wasSent ? undefined : this.gone(failure)))
  })
}
