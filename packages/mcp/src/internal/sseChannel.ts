/**
 * HTTP+SSE (MCP 2024-11-05, Transports): one stream brings everything, and says first where messages are to be sent.
 */
import { beginning, readEvents } from "@effect-toolnexus/core/EventStream"
import type { HttpFailure, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import { type Answer, type Answered, isStream, type RemoteRequest } from "@effect-toolnexus/core/RemoteRequests"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ResolvedRemote } from "../McpConfig.ts"
import { type Channel, noProcess, type Refusal } from "./channel.ts"
import { type Message, serialize } from "./jsonRpc.ts"
import { isOk, makeLink, type Outgoing, outgoing, type RemoteLink } from "./remoteLink.ts"

export interface SseChannel extends Channel {
  /** Whether the server has said where messages are to be sent. */
  readonly isOpen: () => boolean
}

export const openSse = (server: ResolvedRemote) =>
  Effect.map(makeLink(server), (link): SseChannel => {
    const stream = new SseStream(link, server.url)
    return {
      ...noProcess,
      isOpen: () => stream.isOpen,
      listen: (receiver) =>
        Effect.suspend(() => {
          link.listen(receiver)
          return stream.open
        }),
      send: (message, context) => stream.send(message, context),
      withdraw: (id) => link.withdraw(id),
      negotiated: (revision) => stream.negotiated(revision),
      refusal: () => link.refusal,
      leave: Effect.sync(() => link.leave()),
      redact: link.redact
    }
  })

class SseStream {
  readonly #link: RemoteLink
  readonly #url: URL
  readonly #endpoint = Deferred.makeUnsafe<URL, string>()
  #isOpen = false
  #revision: string | undefined

  constructor(link: RemoteLink, url: URL) {
    this.#link = link
    this.#url = url
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  negotiated(revision: string) {
    this.#revision = revision
  }

  /** Done when it is open; fails with why it can't be. */
  readonly open: Effect.Effect<void, string> = Effect.suspend(() => {
    const request = this.#request("GET", { accept: "text/event-stream" }, this.#url)
    const stream = Effect.flatMap(this.#link.requests.send(request), (answer) => this.#read(request, answer))
    const settled = Effect.catch(
      stream,
      (failure) => Effect.sync(() => this.#refuse(this.#link.unanswered(failure)))
    )
    this.#link.run(
      this.#link.unbroken(settled, (reason) => this.#end({ phase: "connect", detail: `it ${reason}` }))
    )
    return Effect.asVoid(Deferred.await(this.#endpoint))
  })

  send(message: Message, context: unknown) {
    const sent = outgoing(message)
    const body = serialize(message)
    const delivery = Effect.matchEffect(Deferred.await(this.#endpoint), {
      onFailure: (reason) => Effect.sync(() => this.#link.lose(sent, reason, false)),
      onSuccess: (url) => this.#post(sent, url, body, context)
    })
    this.#link.send(sent, this.#link.unbroken(delivery, (reason) => this.#link.lose(sent, reason, true)))
  }

  #post(sent: Outgoing, url: URL, body: string, context: unknown): Effect.Effect<void> {
    const request = { ...this.#request("POST", { "content-type": "application/json" }, url, context), body }
    return Effect.flatMap(this.#link.requests.send(request), (answer) => this.#take(sent, request, answer)).pipe(
      Effect.catch((failure) => Effect.sync(() => this.#failed(sent, failure)))
    )
  }

  #request(method: string, headers: RemoteRequest["headers"], url: URL, context?: unknown): RemoteRequest {
    const revision = this.#revision === undefined ? {} : { "mcp-protocol-version": this.#revision }
    return { method, url, headers: { ...headers, ...revision }, context }
  }

  /** Its answer comes over the stream; here is only said whether the message was taken. */
  #take(sent: Outgoing, request: RemoteRequest, answer: Answer): Effect.Effect<void, HttpFailure> {
    const admitted = this.#link.admit(request, answer)
    if (Result.isFailure(admitted)) return Effect.sync(() => this.#link.refuse(sent, admitted.failure))
    const response = admitted.success
    if (isOk(response)) return Effect.sync(response.discard)
    return Effect.map(this.#link.readProblem(response), ({ detail, text }) => {
      // it may be an answer all the same, in the protocol's own terms
      this.#link.hear(text)
      this.#link.refuse(sent, { phase: "initialize", detail })
    })
  }

  /** The stream may be well all the same. */
  #failed(sent: Outgoing, failure: HttpFailure) {
    this.#link.unreachable(sent, failure)
    if (failure.wasSent) this.#link.cutOff(sent, failure)
    else this.#link.lose(sent, `can't be reached: ${failure.detail}`, false)
  }

  #read(request: RemoteRequest, answer: Answer): Effect.Effect<void, HttpFailure> {
    const admitted = this.#link.admit(request, answer)
    if (Result.isFailure(admitted)) return Effect.sync(() => this.#refuse(admitted.failure))
    const response = admitted.success
    return isStream(response) ? this.#readStream(response) : this.#readProblem(response)
  }

  #readStream(response: Answered): Effect.Effect<void> {
    const from = response.movedTo ?? this.#url
    const read = readEvents(response, beginning(), {
      take: ({ data, event }) => {
        if (event === "endpoint") this.#setEndpoint(data, from)
        else this.#link.hear(data)
      },
      // whose answer it was isn't known, so that costs the others nothing
      tooLong: () => "more",
      wanted: () => "more"
    })
    const detail = "its event stream doesn't say where messages are to be sent"
    return Effect.andThen(read, Effect.sync(() => this.#end({ phase: "initialize", detail })))
  }

  #readProblem(response: HttpResponse): Effect.Effect<void, HttpFailure> {
    return Effect.map(this.#link.readProblem(response), ({ detail }) =>
      this.#refuse({
        phase: "initialize",
        detail: isOk(response) ? `its answer is no stream of events: ${detail}` : detail
      }))
  }

  /** As seen `from` where the stream is. What is sent there is meant for this server. */
  #setEndpoint(data: string, from: URL) {
    // the first is the one; a session that is under way isn't sent elsewhere
    if (Deferred.isDoneUnsafe(this.#endpoint)) return
    const url = URL.parse(data, from)
    if (url?.origin !== this.#url.origin) {
      return this.#refuse({ phase: "initialize", detail: "it wants messages to be sent to another server" })
    }
    this.#isOpen = true
    Deferred.doneUnsafe(this.#endpoint, Effect.succeed(url))
  }

  /** Of the stream; `refusal` where it never said where to send. */
  #end(refusal: Refusal) {
    if (this.#isOpen) this.#link.end("ended its event stream")
    else this.#refuse(refusal)
  }

  #refuse(refusal: Refusal) {
    this.#link.setRefusal(refusal)
    Deferred.doneUnsafe(this.#endpoint, Effect.fail(refusal.detail))
  }
}
