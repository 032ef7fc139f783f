/**
 * What both ways to speak to a server over HTTP have in common: the requests that are under way, who is told what becomes
 * of them, and why the server can't be spoken to.
 */
import * as Defect from "@effect-toolnexus/core/Defect"
import * as HttpAddress from "@effect-toolnexus/core/HttpAddress"
import type { HttpFailure, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import {
  type Answer,
  type Answered,
  isRedirected,
  type RemoteRequest,
  RemoteRequests,
  wordsOf
} from "@effect-toolnexus/core/RemoteRequests"
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type { ResolvedRemote } from "../McpConfig.ts"
import type { Losses, Receiver, Refusal } from "./channel.ts"
import { FireAndForget } from "./fireAndForget.ts"
import { parseLine } from "./jsonLine.ts"
import { isRequest, type Message } from "./jsonRpc.ts"
import type { Run } from "./run.ts"

/** Enough of an error's body to see what is wrong. */
const SHOWN_BODY = 2000
/** So much of it is read, in bytes: no secret may be cut in two before it is blotted out. */
const READ_BODY = 4 * SHOWN_BODY

/** Who is refused these isn't connected. */
const STARTING: ReadonlySet<string | undefined> = new Set(["initialize", "tools/list"])

/** A message of ours on its way. Only a request has an id: nobody waits for what becomes of anything else. */
export interface Outgoing {
  readonly method: string | undefined
  readonly id: number | undefined
}

export const outgoing = (message: Message): Outgoing => ({
  method: message.method,
  id: isRequest(message) ? Number(message.id) : undefined
})

export const makeLink = Effect.fnUntraced(function*(server: ResolvedRemote) {
  const requests = yield* RemoteRequests.make({ ...server, kind: "mcp" })
  return new RemoteLink(server, requests, yield* FiberSet.makeRuntime())
})

export class RemoteLink {
  readonly requests: RemoteRequests
  readonly run: Run
  readonly redact: Redaction
  readonly #server: ResolvedRemote
  readonly #sent = new Map<number, Fiber.Fiber<unknown, unknown>>()
  readonly #notices: FireAndForget
  #receiver: Receiver | undefined
  #refusal: Refusal | undefined
  #isLeft = false

  constructor(server: ResolvedRemote, requests: RemoteRequests, run: Run) {
    this.requests = requests
    this.run = run
    this.redact = requests.redact
    this.#server = server
    this.#notices = new FireAndForget(run)
  }

  /** Why the server can't be spoken to, as far as it was asked. */
  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  /** Nothing is sent any more. */
  get isLeft(): boolean {
    return this.#isLeft
  }

  listen(receiver: Receiver) {
    this.#receiver = receiver
  }

  /** `isOver`: called with a request of which nothing is under way any more. */
  send({ id, method }: Outgoing, delivery: Effect.Effect<void>, isOver?: (id: number) => void) {
    if (this.#isLeft) return
    if (id === undefined) return this.#notices.send(method, delivery)
    if (STARTING.has(method)) this.#refusal = undefined
    const ended = Effect.sync(() => {
      this.#sent.delete(id)
      isOver?.(id)
    })
    const fiber = this.run(Effect.ensuring(delivery, ended))
    // it may have ended at once
    if (fiber.pollUnsafe() === undefined) this.#sent.set(id, fiber)
  }

  /** What is on its way is cut off; that the server is to stop is said by whoever takes it back. */
  withdraw(id: number): false {
    this.#sent.get(id)?.interruptUnsafe()
    return false
  }

  leave() {
    this.#isLeft = true
    this.#receiver?.end(undefined)
  }

  /** The messages of a body or an event; whatever else stands there is none. */
  hear(text: string, related?: number) {
    for (const value of parseLine(text)) this.#receiver?.receive(value, related)
  }

  /** Whether somebody still waits for its answer. */
  isOpen(id: number): boolean {
    return this.#receiver?.isPending(id) === true
  }

  fail({ id }: Outgoing, reason: string) {
    if (id !== undefined) this.#receiver?.fail(id, reason)
  }

  lose({ id }: Outgoing, reason: string, wasSent: boolean) {
    if (id !== undefined) this.#receiver?.lose(id, reason, wasSent)
  }

  /** A connection over which it was sent ended before there was an answer. */
  cutOff(message: Outgoing, { detail }: HttpFailure) {
    this.lose(message, `did not answer: ${detail}`, true)
  }

  end(reason: string, losses?: Losses) {
    this.#receiver?.end(reason, losses)
  }

  /** The server says no to a message. */
  refuse(message: Outgoing, refusal: Refusal) {
    if (STARTING.has(message.method)) this.setRefusal(refusal)
    if (refusal.challenge === undefined) this.fail(message, refusal.detail)
    else this.lose(message, refusal.detail.replace(/^it /, ""), true)
  }

  /** The server says no to being spoken to. Of that nothing secret is shown. */
  setRefusal(refusal: Refusal) {
    const { challenge, detail } = refusal
    const shown = challenge === undefined
      ? {}
      : { challenge: { ...challenge, header: this.redact(challenge.header) } }
    this.#refusal = { ...refusal, ...shown, detail: this.redact(detail) }
  }

  /** Nobody could be connected to. */
  unreachable({ method }: Outgoing, failure: HttpFailure) {
    if (STARTING.has(method)) this.setRefusal(this.unanswered(failure))
  }

  /** Says where nothing came of it. */
  unanswered({ detail }: HttpFailure): Refusal {
    const { proxy, url } = this.#server
    const text = `${url.origin} gave no HTTP answer (${detail}${proxyNote(url, proxy)})`
    return { phase: "connect", detail: this.redact(text) }
  }

  /** The response; or why it is none, for it leads elsewhere, or asks who we are. */
  admit(request: RemoteRequest, answer: Answer): Result.Result<Answered, Refusal> {
    if (isRedirected(answer)) return Result.fail({ phase: "initialize", detail: answer.reason })
    const challenge = this.requests.challengeOf(request, answer)
    if (challenge === undefined) return Result.succeed(answer)
    answer.discard()
    return Result.fail({ phase: "connect", detail: wordsOf(challenge, this.redact), challenge })
  }

  /** What a server says that didn't do what it was asked for. */
  readProblem(response: HttpResponse): Effect.Effect<Problem, HttpFailure> {
    return Effect.map(response.text(READ_BODY), ({ text }) => {
      const body = this.shorten(text)
      return { text, detail: `HTTP ${response.status}${body === "" ? "" : `: ${body}`}` }
    })
  }

  /** Cut when its secrets are out of it. */
  shorten(text: string): string {
    return Text.cut(this.redact(text).replaceAll(/\s+/g, " ").trim(), SHOWN_BODY, "...")
  }

  /** Whatever breaks on the way, e.g. who makes the headers, costs this one. */
  unbroken(delivery: Effect.Effect<void>, onBroken: (reason: string) => void): Effect.Effect<void> {
    return Effect.catchDefect(delivery, (defect) =>
      Effect.map(
        Defect.log(`mcp server "${this.#server.name}"`, defect, this.redact),
        (id) => onBroken(`could not be asked: the request breaks whoever makes it (${id}), as the log says`)
      ))
  }
}

/** It may be the proxy that isn't there. */
const proxyNote = (url: URL, { HTTP_PROXY = "", HTTPS_PROXY = "" }: ResolvedRemote["proxy"]): string => {
  const proxy = HttpAddress.parse(url.protocol === "https:" ? HTTPS_PROXY : HTTP_PROXY)
  return proxy === undefined ? "" : `; a proxy is set, ${proxy.url.origin}`
}

/** `detail` is for people. */
interface Problem {
  readonly text: string
  readonly detail: string
}

export const isOk = ({ status }: HttpResponse): boolean => status >= 200 && status < 300

/** Frees the connection of an answer that nobody reads. */
export const discard = (answer: Answer): void => {
  if (!isRedirected(answer)) answer.discard()
}
