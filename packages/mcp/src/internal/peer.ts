/**
 * JSON-RPC with one server over a channel: requests and what they are answered, their progress, notices, and what the
 * server asks of us.
 *
 * The SDK's own client checks every message several times, keeps a timer and a signal for each request, and loads
 * thirty megabytes of schemas for that; see docs/decisions/0005-mcp-servers.md.
 */
import { Member } from "@effect-toolnexus/core/InFlight"
import * as Text from "@effect-toolnexus/core/Text"
import type { Progress } from "@effect-toolnexus/core/ToolCall"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type McpCallError, McpClosed, McpLost, McpRejected, McpTimedOut } from "../McpError.ts"
import type { RawCallOptions } from "../McpSession.ts"
import type { Channel, Losses, Receiver } from "./channel.ts"
import type { Deadline, Deadlines } from "./deadlines.ts"
import { type Fields, idOf, type Incoming, INTERNAL_ERROR, METHOD_NOT_FOUND, readMessage } from "./jsonRpc.ts"
import type { Run } from "./run.ts"
import type { ServerRequests } from "./serverRequests.ts"

export interface RequestOptions extends Partial<RawCallOptions> {
  /** Whether the server is told when nobody waits any more. Default: true; `initialize` must not be cancelled. */
  readonly isCancellable?: boolean
}

type Outcome = Effect.Effect<Fields, McpCallError>

/** A request without an answer. Any news of it starts its silence anew; while somebody is asked time stands still. */
class Pending extends Member implements Deadline {
  readonly settle: (outcome: Outcome) => void
  readonly options: RequestOptions
  readonly #expired: (limit: McpTimedOut["phase"]) => void
  #end: number
  #heard: number
  #holds = 0
  #heldAt = 0
  #release: (() => void) | undefined

  constructor(
    settle: (outcome: Outcome) => void,
    options: RequestOptions,
    now: number,
    expired: (limit: McpTimedOut["phase"]) => void
  ) {
    super()
    this.settle = settle
    this.options = options
    this.#heard = now
    this.#end = now + (options.limits?.total ?? Infinity)
    this.#expired = expired
  }

  get due(): number {
    return this.#holds > 0 ? Infinity : Math.min(this.#end, this.#heard + (this.options.limits?.call ?? Infinity))
  }

  readonly expire = (now: number) => this.#expired(this.#end <= now ? "total" : "call")

  report(progress: Progress, now: number) {
    this.#heard = now
    this.options.onProgress?.(progress)
  }

  hold(now: number) {
    if (this.#holds++ > 0) return
    this.#heldAt = now
    this.#release = this.options.hold?.()
  }

  release(now: number) {
    if (--this.#holds > 0) return
    this.#end += now - this.#heldAt
    this.#heard = now
    this.#release?.()
  }
}

/** What a server may ask at once; one that asks more is broken. */
const MAX_ASKED = 100

/** An error of many lines is shown whole, a page of HTML isn't. */
const MAX_DETAIL = 10_000

/** What a server is told, which is nothing about us. */
const CANCELLED = "the caller gave up"

export interface PeerOptions {
  readonly server: string
  readonly channel: Channel
  readonly deadlines: Deadlines
  readonly serverRequests: ServerRequests
  /** Runs whoever answers the server; it ends with the session. */
  readonly run: Run
  readonly onNotice: (method: string, params: Fields) => void
}

export class Peer implements Receiver {
  readonly #server: string
  readonly #channel: Channel
  readonly #serverRequests: ServerRequests
  readonly #run: Run
  readonly #onNotice: (method: string, params: Fields) => void
  /** By their ids. No `Map`, for what comes and goes with each call (see `InFlight`). */
  readonly #pending: Record<number, Pending> = Object.create(null)
  /** What the server asks, while somebody is at it. */
  readonly #asked = new Map<string | number, ReturnType<Run>>()
  readonly #deadlines: Deadlines
  readonly #closed = Deferred.makeUnsafe<never, McpClosed>()
  #end: McpClosed | undefined
  #nextId = 0

  constructor({ channel, deadlines, onNotice, run, server, serverRequests }: PeerOptions) {
    this.#server = server
    this.#channel = channel
    this.#deadlines = deadlines
    this.#serverRequests = serverRequests
    this.#run = run
    this.#onNotice = onNotice
  }

  /** Fails when the channel ends, whoever ended it. */
  get closed(): Effect.Effect<never, McpClosed> {
    return Deferred.await(this.#closed)
  }

  get isClosed(): boolean {
    return this.#end !== undefined
  }

  request(method: string, params: Fields, options: RequestOptions = {}): Outcome {
    return Effect.callback((resume) => {
      if (this.#end !== undefined) return resume(this.#end)
      const { isCancellable = true, limits, onProgress } = options
      const id = this.#nextId++
      const giveUp = () => this.#giveUp(id, isCancellable)
      const pending = new Pending(resume, options, this.#deadlines.now, (phase) => {
        giveUp()
        resume(new McpTimedOut({ server: this.#server, phase, limit: limits?.[phase] ?? 0 }))
      })
      this.#pending[id] = pending
      if (limits !== undefined) this.#deadlines.add(pending)
      // without a token no server reports any progress
      const meta = onProgress === undefined ? {} : { _meta: { progressToken: id } }
      // what can't be written as JSON is the caller's mistake, and the server has seen nothing of it
      const sent = Result.try(() => this.#channel.send({ id, method, params: { ...params, ...meta } }, options.context))
      if (Result.isFailure(sent)) this.fail(id, "what it is to be sent can't be written as JSON")
      return Effect.sync(giveUp)
    })
  }

  notify(method: string, params?: Fields) {
    this.#channel.send({ method, ...(params === undefined ? {} : { params }) })
  }

  readonly isPending = (id: number): boolean => this.#pending[id] !== undefined

  receive(value: unknown, related?: number): boolean {
    // whatever breaks us is no message: it may not end the connection, and whoever looks for it finds it
    return Result.getOrElse(Result.try(() => this.#take(readMessage(value, this.isPending), related)), () => false)
  }

  #take(message: Incoming | undefined, related: number | undefined): boolean {
    if (message === undefined) return false
    switch (message._tag) {
      case "Result":
        this.#settle(message.id, Effect.succeed(message.result))
        break
      case "Refusal":
        this.fail(message.id, message.message, message.code)
        break
      case "Notice":
        this.#hear(message)
        break
      case "Request":
        this.#answer(message, related)
        break
      case "Stray":
    }
    return true
  }

  fail(id: number, reason: string, code?: number) {
    const detail = Text.cut(this.#channel.redact(reason), MAX_DETAIL, "...")
    this.#settle(id, new McpRejected({ server: this.#server, detail, ...(code === undefined ? {} : { code }) }))
  }

  lose(id: number, reason: string, wasSent: boolean) {
    this.#settle(id, new McpLost({ server: this.#server, reason: this.#channel.redact(reason), wasSent }))
  }

  end(ended: string | undefined, losses?: Losses) {
    if (this.#end !== undefined) return
    const reason = ended ?? "was closed"
    const end = new McpClosed({
      server: this.#server,
      reason: this.#channel.redact(reason),
      stderr: this.#channel.stderr(),
      ...(losses?.isExpired === true ? { isExpired: true } : {})
    })
    this.#end = end
    Deferred.doneUnsafe(this.#closed, end)
    for (const fiber of this.#asked.values()) fiber.interruptUnsafe()
    for (const id of Object.keys(this.#pending).map(Number)) {
      if (losses?.unsent.has(id) === true) this.lose(id, reason, false)
      else this.#settle(id, end)
    }
  }

  #settle(id: number, outcome: Outcome) {
    this.#remove(id)?.settle(outcome)
  }

  #remove(id: number): Pending | undefined {
    const pending = this.#pending[id]
    if (pending === undefined) return undefined
    delete this.#pending[id]
    this.#deadlines.remove(pending)
    return pending
  }

  #giveUp(id: number, isCancellable: boolean) {
    // the server never saw a request that could be taken back, so there is nothing to cancel
    if (this.#remove(id) === undefined || this.#channel.withdraw(id) || !isCancellable) return
    this.notify("notifications/cancelled", { requestId: id, reason: CANCELLED })
  }

  #hear({ method, params }: Extract<Incoming, { readonly _tag: "Notice" }>) {
    if (method === "notifications/cancelled") return this.#withdrawn(params["requestId"])
    if (method !== "notifications/progress") return this.#onNotice(method, params)
    const { message, progress, progressToken, total } = params
    if (typeof progress !== "number") return
    const report = {
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {})
    }
    this.#pending[idOf(progressToken) ?? -1]?.report(report, this.#deadlines.now)
  }

  #answer({ id, method, params }: Extract<Incoming, { readonly _tag: "Request" }>, related: number | undefined) {
    const request = this.#serverRequests.byMethod.get(method)
    if (request === undefined) return this.#refuse(id, METHOD_NOT_FOUND, "Method not found")
    if (this.#asked.has(id) || this.#asked.size >= MAX_ASKED) {
      return this.#refuse(id, INTERNAL_ERROR, "too much at once")
    }
    const held = request.holdsUp ? this.#hold(related) : []
    const answered = Effect.matchEffect(request.answer(params, this.#contextOf(related)), {
      onFailure: ({ code, message }) => Effect.sync(() => this.#refuse(id, code, message)),
      onSuccess: (result) => Effect.sync(() => this.#respond(id, result))
    })
    // before it is run, for it may be answered at once
    const ended = Effect.sync(() => {
      this.#asked.delete(id)
      this.#release(held)
    })
    const fiber = this.#run(Effect.ensuring(Effect.andThen(Effect.yieldNow, answered), ended))
    this.#asked.set(id, fiber)
  }

  #respond(id: string | number, result: Fields) {
    const sent = Result.try(() => this.#channel.send({ id, result }))
    if (Result.isFailure(sent)) this.#refuse(id, INTERNAL_ERROR, "the answer can't be written as JSON")
  }

  #refuse(id: string | number, code: number, message: string) {
    this.#channel.send({ id, error: { code, message } })
  }

  /** A server that takes its question back gets no answer. */
  #withdrawn(id: unknown) {
    if (typeof id === "string" || typeof id === "number") this.#asked.get(id)?.interruptUnsafe()
  }

  /** The call in which the server asks; over stdio that is only known where there is but one. */
  #contextOf(related: number | undefined): unknown {
    const calls = this.#heldUp(related)
    return calls.length === 1 ? calls[0]?.options.context : undefined
  }

  #hold(related: number | undefined): ReadonlyArray<Pending> {
    const held = this.#heldUp(related)
    for (const pending of held) pending.hold(this.#deadlines.now)
    return held
  }

  #release(held: ReadonlyArray<Pending>) {
    for (const pending of held) {
      pending.release(this.#deadlines.now)
      this.#deadlines.renew(pending)
    }
  }

  #heldUp(related: number | undefined): ReadonlyArray<Pending> {
    const one = related === undefined ? undefined : this.#pending[related]
    if (one !== undefined) return [one]
    return Object.values(this.#pending).filter(({ options }) => options.limits !== undefined)
  }
}
