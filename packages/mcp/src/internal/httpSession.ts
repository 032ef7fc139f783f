/**
 * A session of streamable HTTP: what goes along with each of its requests, and how the other side ends it. A session that
 * the server has forgotten ends once for all that wait; those to whom the server said so are certain not to have been
 * heard.
 */
import type { Position } from "@effect-toolnexus/core/EventStream"
import type { HttpFailure, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import type { RemoteRequest } from "@effect-toolnexus/core/RemoteRequests"
import * as Effect from "effect/Effect"
import { NOTICE_LIMIT } from "./fireAndForget.ts"
import { serialize } from "./jsonRpc.ts"
import { discard, type Outgoing, type RemoteLink } from "./remoteLink.ts"

/** After a 404 the others that are on their way get theirs, within so long. */
const EXPIRY = "1 second"

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
    this.#id = response.header("mcp-session-id") || undefined
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
        ...(this.#id === undefined ? {} : { "mcp-session-id": this.#id }),
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
  isOver({ id }: Outgoing) {
    if (id === undefined) return
    this.#unheard.delete(id)
    if (this.#isExpired && this.#unheard.size === 0) this.#expire()
  }

  /** The others that are on their way are told so as well, which makes certain that they weren't heard. */
  forgotten(id: number) {
    this.#unsent.add(id)
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
    if (!this.link.isLeft && !this.#isProbing) this.link.run(this.#probe)
  }

  /** The server can't be connected to; `unsent` never came to it. */
  gone({ detail }: HttpFailure, unsent?: Outgoing) {
    if (unsent?.id !== undefined) this.#unsent.add(unsent.id)
    this.link.end(`can't be reached: ${detail}`, { unsent: this.#unsent })
  }

  /** Whether the server is still there; what it answers to a ping doesn't matter. One at a time is enough. */
  readonly #probe: Effect.Effect<void> = Effect.suspend(() => {
    this.#isProbing = true
    return Effect.match(this.link.requests.send(this.post(PING, undefined)), {
      onFailure: (failure) => failure.wasSent ? undefined : this.gone(failure),
      onSuccess: discard
    }).pipe(
      Effect.timeoutOption(NOTICE_LIMIT),
      Effect.exit,
      Effect.andThen(Effect.sync(() => {
        this.#isProbing = false
      }))
    )
  })
}
