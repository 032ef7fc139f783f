/**
 * JSON-RPC with one server over a channel: requests and what they are answered, their progress, notices, and what the
 * server asks of us.
 *
 * The SDK's own client checks every message several times, keeps a timer and a signal for each request, and loads
 * thirty megabytes of schemas for that; see docs/decisions/0005-mcp-servers.md.
 */
import type { Progress } from "@effect-toolnexus/core/ToolCall"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type McpCallError, McpClosed, McpLost, McpRejected, McpTimedOut } from "../McpError.ts"
import type { RawCallOptions } from "../McpSession.ts"
import type { Channel, Losses, Receiver } from "./channel.ts"
import { cutText } from "./cutText.ts"
import type { Deadline, Deadlines } from "./deadlines.ts"
import { type Fields, idOf, type Incoming, METHOD_NOT_FOUND, readMessage } from "./jsonRpc.ts"

export interface RequestOptions extends Partial<RawCallOptions> {
  /** Whether the server is told when nobody waits any more. Default: true; `initialize` must not be cancelled. */
  readonly isCancellable?: boolean
}

type Outcome = Effect.Effect<Fields, McpCallError>

/** A request without an answer. Any news of it starts its silence anew. */
class Pending implements Deadline {
  readonly settle: (outcome: Outcome) => void
  readonly #options: RequestOptions
  readonly #end: number
  #heard: number
  readonly #expired: (limit: McpTimedOut["phase"]) => void

  constructor(
    settle: (outcome: Outcome) => void,
    options: RequestOptions,
    now: number,
    expired: (limit: McpTimedOut["phase"]) => void
  ) {
    this.settle = settle
    this.#options = options
    this.#heard = now
    this.#end = now + (options.limits?.total ?? Infinity)
    this.#expired = expired
  }

  get due(): number {
    return Math.min(this.#end, this.#heard + (this.#options.limits?.call ?? Infinity))
  }

  readonly expire = (now: number) => this.#expired(this.#end <= now ? "total" : "call")

  report(progress: Progress, now: number) {
    this.#heard = now
    this.#options.onProgress?.(progress)
  }
}

/** An error of many lines is shown whole, a page of HTML isn't. */
const MAX_DETAIL = 10_000

/** What a server is told, which is nothing about us. */
const CANCELLED = "the caller gave up"

export class Peer implements Receiver {
  readonly #server: string
  readonly #channel: Channel
  readonly #onNotice: (method: string) => void
  readonly #pending = new Map<number, Pending>()
  readonly #deadlines: Deadlines
  readonly #closed = Deferred.makeUnsafe<never, McpClosed>()
  #end: McpClosed | undefined
  #nextId = 0

  constructor(server: string, channel: Channel, deadlines: Deadlines, onNotice: (method: string) => void) {
    this.#server = server
    this.#channel = channel
    this.#deadlines = deadlines
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
      this.#pending.set(id, pending)
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

  readonly isPending = (id: number): boolean => this.#pending.has(id)

  receive(value: unknown): boolean {
    // whatever breaks us is no message: it may not end the connection, and whoever looks for it finds it
    return Result.getOrElse(Result.try(() => this.#take(readMessage(value, this.isPending))), () => false)
  }

  #take(message: Incoming | undefined): boolean {
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
        this.#answer(message)
        break
      case "Stray":
    }
    return true
  }

  fail(id: number, reason: string, code?: number) {
    const detail = cutText(this.#channel.redact(reason), MAX_DETAIL, "...")
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
    for (const id of this.#pending.keys()) {
      if (losses?.unsent.has(id) === true) this.lose(id, reason, false)
      else this.#settle(id, end)
    }
  }

  #settle(id: number, outcome: Outcome) {
    this.#remove(id)?.settle(outcome)
  }

  #remove(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    if (pending === undefined) return undefined
    this.#pending.delete(id)
    this.#deadlines.remove(pending)
    return pending
  }

  #giveUp(id: number, isCancellable: boolean) {
    // the server never saw a request that could be taken back, so there is nothing to cancel
    if (this.#remove(id) === undefined || this.#channel.withdraw(id) || !isCancellable) return
    this.notify("notifications/cancelled", { requestId: id, reason: CANCELLED })
  }

  #hear({ method, params }: Extract<Incoming, { readonly _tag: "Notice" }>) {
    if (method !== "notifications/progress") return this.#onNotice(method)
    const { message, progress, progressToken, total } = params
    if (typeof progress !== "number") return
    const report = {
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {})
    }
    this.#pending.get(idOf(progressToken) ?? -1)?.report(report, this.#deadlines.now)
  }

  #answer({ id, method }: Extract<Incoming, { readonly _tag: "Request" }>) {
    if (method === "ping") this.#channel.send({ id, result: {} })
    else this.#channel.send({ id, error: { code: METHOD_NOT_FOUND, message: "Method not found" } })
  }
}
