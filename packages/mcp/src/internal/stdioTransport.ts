/**
 * The SDK's transport over a child process of effect's spawner. The SDK's own leaves orphans behind `sh -c` and `npx`,
 * and loses progress that arrives together with the result (EFFECT4 3.2).
 *
 * The process leads a group of its own, and closing ends the whole group: the end of stdin, SIGTERM, SIGKILL.
 */
import { Environment } from "@effect-toolnexus/core/Environment"
import * as Redaction from "@effect-toolnexus/core/Redaction"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { ChildProcessHandle } from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { ResolvedServer } from "../McpConfig.ts"
import type { Noise } from "../McpSession.ts"
import { answeredId, isNotification, parseLine, tooLongAnswer } from "./jsonRpc.ts"
import { type Frame, LineFraming } from "./lineFraming.ts"
import type { Link } from "./link.ts"
import { inRealTime, realTime } from "./liveClock.ts"
import { Outbox } from "./outbox.ts"
import { spawnServer } from "./spawnServer.ts"
import { withheldNames } from "./startupHints.ts"
import { StderrTail } from "./stderrTail.ts"
import { redactWhole } from "./streamRedaction.ts"

/** The longest line a server may write: as much as an honest result with an image needs, not what a broken one sends. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** What a process wrote before its end is read for so long; a child that kept the pipe could hold it open for ever. */
const DRAIN = "1 second"

const MAX_SAMPLES = 3
const SAMPLE_LENGTH = 200

/**
 * Starts a server's process. `slots` bounds how many are being spawned at once; one is taken only until the process
 * runs.
 */
export const openStdio = Effect.fnUntraced(function*(server: ResolvedServer, slots: Semaphore.Semaphore | undefined) {
  // Closed in the opposite order: the process first, while its output is still read, so that it can't block on a pipe.
  const io = yield* Scope.fork(yield* Effect.scope)
  const life = yield* Scope.fork(yield* Effect.scope)
  const patterns = Redaction.patterns(server.secrets)
  const spawned = Scope.provide(spawnServer(server), life)
  const handle = yield* slots === undefined ? spawned : slots.withPermit(spawned)
  const transport = new StdioTransport(yield* Outbox.make(realTime), patterns)
  const exit = Effect.map(Effect.exit(handle.exitCode), describeExit)
  const done = yield* Scope.provide(forkPumps(handle, transport), io)
  yield* Effect.forkIn(watch(transport, exit, done), io)
  yield* Scope.addFinalizer(life, inRealTime(sayGoodbye(transport, exit, server.shutdown.eof)))
  const link: Link = {
    transport,
    pid: handle.pid,
    ended: () => transport.ended,
    stderr: () => transport.stderr.text,
    redact: Redaction.make(server.secrets),
    noise: () => transport.noise,
    withheld: withheldNames(yield* Environment, server.env)
  }
  return link
})

class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined

  readonly started = Deferred.makeUnsafe<void>()
  readonly outbox: Outbox
  readonly stderr: StderrTail
  readonly framing = new LineFraming(MAX_LINE_BYTES)
  ended: string | undefined
  readonly #patterns: ReadonlyArray<string>
  readonly #pending = new Set<unknown>()
  readonly #samples: Array<string> = []
  #noiseLines = 0
  #isClosed = false

  constructor(outbox: Outbox, patterns: ReadonlyArray<string>) {
    this.outbox = outbox
    this.#patterns = patterns
    this.stderr = new StderrTail(patterns)
  }

  start(): Promise<void> {
    Deferred.doneUnsafe(this.started, Effect.void)
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("the connection is closed"))
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) {
      this.#pending.delete(cancelled)
      // the server never saw that request, so there is nothing to cancel
      if (this.outbox.remove(cancelled)) return Promise.resolve()
    }
    if (!this.outbox.add(message)) {
      return Promise.reject(new Error("it doesn't read what it is sent, and too much is waiting already"))
    }
    if ("method" in message && "id" in message) this.#pending.add(message.id)
    return Promise.resolve()
  }

  /** Closes our side only; the process is ended by its scope. */
  close(): Promise<void> {
    this.finish(undefined)
    return Promise.resolve()
  }

  finish(ended: string | undefined) {
    if (this.#isClosed) return
    this.#isClosed = true
    this.ended = ended
    this.outbox.end()
    this.#pending.clear()
    this.onclose?.()
  }

  /** Hands over the messages of one line, and says whether the SDK still has to be given time for them. */
  receive(frame: Frame): boolean {
    if (frame._tag === "TooLong") {
      const answer = tooLongAnswer(frame, MAX_LINE_BYTES, this.#isPending)
      if (answer === undefined) this.#sample(frame.head)
      else this.#handOver(answer)
      return false
    }
    const messages = parseLine(frame.text, this.#isPending)
    if (messages.length === 0) this.#sample(frame.text)
    for (const message of messages) this.#handOver(message)
    return messages.some(isNotification)
  }

  readonly #isPending = (id: number): boolean => this.#pending.has(id)

  #handOver(message: JSONRPCMessage) {
    this.#pending.delete(answeredId(message))
    this.onmessage?.(message)
  }

  get noise(): Noise {
    return { lines: this.#noiseLines, samples: this.#samples }
  }

  #sample(text: string) {
    if (text.trim() === "") return
    this.#noiseLines++
    if (this.#samples.length >= MAX_SAMPLES) return
    this.#samples.push(redactWhole(this.#patterns, text.trim()).slice(0, SAMPLE_LENGTH).toWellFormed())
  }
}

/** The request that the SDK gives up, where that is what a message says. */
const cancelledId = (message: JSONRPCMessage): unknown =>
  "method" in message && message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined

/** What reads from and writes to the process; each ends when its pipe does. */
const forkPumps = Effect.fnUntraced(function*(handle: ChildProcessHandle, transport: StdioTransport) {
  const outgoing = Stream.fromPull(Effect.succeed(transport.outbox.next))
  const written = yield* forkToEnd(Stream.run(outgoing, handle.stdin))
  const errors = yield* forkToEnd(
    Stream.runForEachArray(handle.stderr, (chunks) =>
      Effect.sync(() => {
        for (const chunk of chunks) transport.stderr.push(chunk)
      }))
  )
  const output = yield* forkToEnd(Effect.andThen(Deferred.await(transport.started), readMessages(handle, transport)))
  return { written, errors, output }
})

type Pumps = Effect.Success<ReturnType<typeof forkPumps>>

/** A broken pipe ends a pump, it is no failure: how the process ended says more. */
const forkToEnd = <A, E>(pump: Effect.Effect<A, E>) => Effect.map(Effect.forkScoped(pump), Fiber.await)

const readMessages = (handle: ChildProcessHandle, transport: StdioTransport) =>
  Stream.runForEachArray(
    handle.stdout,
    (chunks) =>
      Effect.forEach(chunks.flatMap((chunk) => transport.framing.push(chunk)), (frame) => deliver(transport, frame), {
        discard: true
      })
  ).pipe(
    Effect.andThen(Effect.suspend(() => deliver(transport, transport.framing.end())))
  )

/**
 * The SDK hands a notification to its handler one microtask later, but an answer at once: without the pause, progress
 * that came in one chunk with the result would be lost.
 */
const deliver = (transport: StdioTransport, frame: Frame): Effect.Effect<void> =>
  Effect.suspend(() => transport.receive(frame) ? microtask : Effect.void).pipe(
    // a message the SDK trips over must not end the connection
    Effect.catchDefect((defect) => Effect.sync(() => transport.onerror?.(toError(defect))))
  )

const microtask = Effect.promise(() => Promise.resolve())

const toError = (defect: unknown): Error => defect instanceof Error ? defect : new Error(String(defect))

/** Notices that the server is gone: it ended, or it can't be heard or spoken to any more. */
const watch = (transport: StdioTransport, exit: Effect.Effect<string>, { errors, output, written }: Pumps) =>
  Effect.gen(function*() {
    const first = yield* Effect.raceAllFirst([
      exit,
      Effect.as(output, "closed its output"),
      Effect.as(written, "closed its input")
    ])
    const rest = Effect.all([exit, output, errors], { concurrency: "unbounded" })
    const all = yield* Effect.timeoutOption(rest, DRAIN)
    transport.finish(Option.match(all, { onNone: () => first, onSome: ([ended]) => ended }))
  }).pipe(inRealTime)

/** The polite part of closing: most servers end with their stdin. The spawner's own release does the rest. */
const sayGoodbye = (transport: StdioTransport, exit: Effect.Effect<string>, eof: number) =>
  Effect.suspend(() => {
    transport.finish(undefined)
    return Effect.timeoutOption(exit, eof)
  })

const describeExit = (exit: Exit.Exit<number, unknown>): string => {
  if (Exit.isSuccess(exit)) return `exited with code ${exit.value}`
  // the spawner names the signal in the text of the cause, and nowhere else
  const signal = /SIG[A-Z0-9]+/.exec(Cause.pretty(exit.cause))?.[0]
  return `was ended by ${signal ?? "a signal"}`
}
