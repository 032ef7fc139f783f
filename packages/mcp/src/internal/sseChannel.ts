/**
 * HTTP+SSE (MCP 2024-11-05, Transports): one stream brings everything, and says first where messages are to be sent.
 */
import * as Defect from "@effect-toolnexus/core/Defect"
import { beginning, readEvents } from "@effect-toolnexus/core/EventStream"
import type * as Redaction from "@effect-toolnexus/core/Redaction"
import {
  type Answer,
  isRedirected,
  isStream,
  type RemoteRequest,
  RemoteRequests,
  wordsOf
} from "@effect-toolnexus/core/RemoteRequests"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type { ResolvedRemote } from "../McpConfig.ts"
import { type Channel, type Receiver, type Refusal, silence } from "./channel.ts"
import { FireAndForget } from "./fireAndForget.ts"
import { parseLine } from "./jsonLine.ts"
import { isRequest, type Message, serialize } from "./jsonRpc.ts"
import { redacted } from "./redactedRefusal.ts"
import type { Run } from "./run.ts"

export const openSse = Effect.fnUntraced(function*(server: ResolvedRemote) {
  return new SseChannel(server, yield* RemoteRequests.make({ ...server, kind: "mcp" }), yield* FiberSet.makeRuntime())
})

export class SseChannel implements Channel {
  readonly redact: Redaction.Redaction
  readonly withheld = []
  readonly #server: ResolvedRemote
  readonly #requests: RemoteRequests
  readonly #run: Run
  readonly #sent = new Map<number, Fiber.Fiber<unknown, unknown>>()
  readonly #notices: FireAndForget
  readonly #endpoint = Deferred.makeUnsafe<URL, string>()
  #receiver: Receiver | undefined
  #refusal: Refusal | undefined
  #revision: string | undefined

  constructor(server: ResolvedRemote, requests: RemoteRequests, run: Run) {
    this.#server = server
    this.#requests = requests
    this.#run = run
    this.#notices = new FireAndForget(run)
    this.redact = requests.redact
  }

  /** Whether the server has said where messages are to be sent. */
  get isOpen(): boolean {
    return Deferred.isDoneUnsafe(this.#endpoint) && this.#refusal === undefined
  }

  listen(receiver: Receiver): Effect.Effect<void, string> {
    return Effect.suspend(() => {
      this.#receiver = receiver
      const request: RemoteRequest = {
        method: "GET",
        url: this.#server.url,
        headers: { accept: "text/event-stream" },
        context: undefined
      }
      this.#run(
        Effect.matchEffect(this.#requests.send(request), {
          onFailure: ({ detail }) => Effect.sync(() => this.#refuse({ phase: "connect", detail })),
          onSuccess: (answer) => this.#read(request, answer)
        }).pipe(
          Effect.catchDefect((defect) =>
            Effect.map(
              this.#logged(defect),
              (defectId) => this.#end({ phase: "connect", detail: `a header for it can't be made (${defectId})` })
            )
          )
        )
      )
      return Effect.asVoid(Deferred.await(this.#endpoint))
    })
  }

  send(message: Message, context?: unknown) {
    const body = serialize(message)
    if (!isRequest(message)) return this.#notices.send(message, this.#deliver(undefined, body, undefined))
    const id = Number(message.id)
    const done = Effect.sync(() => void this.#sent.delete(id))
    const fiber = this.#run(Effect.ensuring(this.#deliver(id, body, context), done))
    // it may have ended at once
    if (fiber.pollUnsafe() === undefined) this.#sent.set(id, fiber)
  }

  #deliver(id: number | undefined, body: string, context: unknown): Effect.Effect<void> {
    const lose = (reason: string, wasSent: boolean) => {
      if (id !== undefined) this.#receiver?.lose(id, reason, wasSent)
    }
    const delivery = Effect.flatMap(Deferred.await(this.#endpoint), (url) =>
      this.#requests.send({
        method: "POST",
        url,
        headers: {
          "content-type": "application/json",
          ...(this.#revision === undefined ? {} : { "mcp-protocol-version": this.#revision })
        },
        body,
        context
      }))
    return Effect.match(delivery, {
      onFailure: (failure) =>
        typeof failure === "string" ? lose(failure, false) : lose(failure.detail, failure.wasSent),
      onSuccess: (answer) => {
        if (isRedirected(answer)) return lose(answer.reason, true)
        answer.discard()
        if (answer.status >= 300) lose(`answered HTTP ${answer.status}`, true)
      }
    }).pipe(
      Effect.catchDefect((defect) =>
        Effect.map(this.#logged(defect), (defectId) => lose(`a header for it can't be made (${defectId})`, true))
      )
    )
  }

  #logged(defect: unknown) {
    return Defect.log(`mcp server "${this.#server.name}"`, defect, this.redact)
  }

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

  readonly leave: Effect.Effect<void> = Effect.sync(() => this.#receiver?.end(undefined))

  #read(request: RemoteRequest, answer: Answer): Effect.Effect<void> {
    if (!isStream(answer)) return Effect.sync(() => this.#refuseAnswer(request, answer))
    const read = readEvents(answer, beginning(), {
      take: ({ data, event }) => {
        if (event === "endpoint") this.#setEndpoint(data)
        else for (const value of parseLine(data)) this.#receiver?.receive(value)
      },
      // whose answer it was isn't known, so that costs the others nothing
      tooLong: () => "more",
      wanted: () => "more"
    })
    const detail = "its event stream doesn't say where messages are to be sent"
    return Effect.andThen(read, Effect.sync(() => this.#end({ phase: "initialize", detail })))
  }

  /** Of the stream; `refusal` where it never said where to send. */
  #end(refusal: Refusal) {
    if (this.isOpen) this.#receiver?.end("ended its event stream")
    else this.#refuse(refusal)
  }

  /** What is sent there is meant for this server. */
  #setEndpoint(data: string) {
    // the first is the one; a session that is under way isn't sent elsewhere
    if (Deferred.isDoneUnsafe(this.#endpoint)) return
    const url = Result.getOrElse(Result.try(() => new URL(data, this.#server.url)), () => undefined)
    if (url?.origin === this.#server.url.origin) Deferred.doneUnsafe(this.#endpoint, Effect.succeed(url))
    else this.#refuse({ phase: "initialize", detail: "it wants messages to be sent to another server" })
  }

  #refuseAnswer(request: RemoteRequest, answer: Answer) {
    if (isRedirected(answer)) return this.#refuse({ phase: "initialize", detail: answer.reason })
    answer.discard()
    const challenge = this.#requests.challengeOf(request, answer)
    if (challenge === undefined) {
      return this.#refuse({ phase: "initialize", detail: `HTTP ${answer.status}, and no stream of events` })
    }
    return this.#refuse({ phase: "connect", detail: wordsOf(challenge, this.redact), challenge })
  }

  #refuse(refusal: Refusal) {
    this.#refusal = redacted(refusal, this.redact)
    Deferred.doneUnsafe(this.#endpoint, Effect.fail(refusal.detail))
  }
}
