/**
 * A channel over a child process of effect's spawner. The SDK's own transport leaves orphans behind `sh -c` and `npx`, and
 * loses progress that arrives together with the result (EFFECT4 3.2).
 *
 * The process leads a group of its own, and closing ends the whole group: the end of stdin, SIGTERM, SIGKILL.
 */
import { Environment } from "@effect-toolnexus/core/Environment"
import * as Redaction from "@effect-toolnexus/core/Redaction"
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
import type { Channel, Receiver } from "./channel.ts"
import { answeredBy, parseLine } from "./jsonLine.ts"
import { isRequest, type Message } from "./jsonRpc.ts"
import { type Frame, LineFraming } from "./lineFraming.ts"
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

/** It is there already; whoever keeps the pipe open beyond that is none of ours to wait for. */
const READ_OUT = "500 millis"

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
  const link = new StdioLink(new Outbox(realTime), patterns)
  const exit = Effect.map(Effect.exit(handle.exitCode), describeExit)
  const done = yield* Scope.provide(forkPumps(handle, link), io)
  yield* Effect.forkIn(watch(link, exit, done), io)
  yield* Scope.addFinalizer(io, inRealTime(readOut(link, done)))
  yield* Scope.addFinalizer(life, inRealTime(sayGoodbye(link, exit, server.shutdown.eof)))
  const channel: Channel = {
    listen: (receiver) => Effect.sync(() => link.listen(receiver)),
    send: (message) => link.send(message),
    withdraw: (id) => link.outbox.remove(id),
    negotiated: () => {},
    refusal: () => undefined,
    leave: Effect.sync(() => link.finish(undefined)),
    pid: handle.pid,
    ended: () => link.ended,
    stderr: () => link.stderr.text,
    redact: Redaction.make(server.secrets),
    noise: () => link.noise,
    withheld: withheldNames(yield* Environment, server.env)
  }
  return channel
})

/** What lies between the pumps of a process and whoever listens. */
class StdioLink {
  readonly listening = Deferred.makeUnsafe<void>()
  readonly outbox: Outbox
  readonly stderr: StderrTail
  ended: string | undefined
  readonly #framing = new LineFraming(MAX_LINE_BYTES)
  readonly #patterns: ReadonlyArray<string>
  readonly #samples: Array<string> = []
  #receiver: Receiver | undefined
  #noiseLines = 0
  #isFinished = false

  constructor(outbox: Outbox, patterns: ReadonlyArray<string>) {
    this.outbox = outbox
    this.#patterns = patterns
    this.stderr = new StderrTail(patterns)
  }

  listen(receiver: Receiver) {
    this.#receiver = receiver
    if (this.#isFinished) receiver.end(this.ended)
    Deferred.doneUnsafe(this.listening, Effect.void)
  }

  send(message: Message) {
    if (this.outbox.add(message) || !isRequest(message)) return
    this.#receiver?.fail(Number(message.id), "it doesn't read what it is sent, and too much is waiting already")
  }

  /** No more comes, and no more is sent. */
  finish(ended: string | undefined) {
    if (this.#isFinished) return
    this.#isFinished = true
    this.ended = ended
    this.outbox.end()
    this.#receiver?.end(ended)
  }

  push(chunk: Uint8Array) {
    for (const frame of this.#framing.push(chunk)) this.#receive(frame)
  }

  /** A last line needs no end. */
  flush() {
    this.#receive(this.#framing.end())
  }

  get noise(): Noise {
    return { lines: this.#noiseLines, samples: this.#samples }
  }

  #receive(frame: Frame) {
    const receiver = this.#receiver
    if (receiver === undefined || this.#isFinished) return
    if (frame._tag === "Line") {
      const taken = parseLine(frame.text).map((value) => receiver.receive(value))
      if (!taken.some((isMessage) => isMessage)) this.#sample(frame.text)
      return
    }
    const id = answeredBy(frame, receiver.isPending)
    if (id === undefined) this.#sample(frame.head)
    else receiver.fail(id, `the answer is longer than the limit of ${MAX_LINE_BYTES} bytes`)
  }

  #sample(text: string) {
    if (text.trim() === "") return
    this.#noiseLines++
    if (this.#samples.length >= MAX_SAMPLES) return
    this.#samples.push(redactWhole(this.#patterns, text.trim()).slice(0, SAMPLE_LENGTH).toWellFormed())
  }
}

/** What reads from and writes to the process; each ends when its pipe does. */
const forkPumps = Effect.fnUntraced(function*(handle: ChildProcessHandle, link: StdioLink) {
  const outgoing = Stream.fromPull(Effect.succeed(link.outbox.next))
  const written = yield* forkToEnd(Stream.run(outgoing, handle.stdin))
  const errors = yield* forkToEnd(
    Stream.runForEachArray(handle.stderr, (chunks) =>
      Effect.sync(() => {
        for (const chunk of chunks) link.stderr.push(chunk)
      }))
  )
  const output = yield* forkToEnd(Effect.andThen(Deferred.await(link.listening), readLines(handle, link)))
  return { written, errors, output }
})

type Pumps = Effect.Success<ReturnType<typeof forkPumps>>

/** A broken pipe ends a pump, it is no failure: how the process ended says more. */
const forkToEnd = <A, E>(pump: Effect.Effect<A, E>) => Effect.map(Effect.forkScoped(pump), Fiber.await)

const readLines = (handle: ChildProcessHandle, link: StdioLink) =>
  Effect.andThen(
    Stream.runForEachArray(handle.stdout, (chunks) =>
      Effect.sync(() => {
        for (const chunk of chunks) link.push(chunk)
      })),
    Effect.sync(() => link.flush())
  )

/** Notices that the server is gone: it ended, or it can't be heard or spoken to any more. */
const watch = (link: StdioLink, exit: Effect.Effect<string>, { errors, output, written }: Pumps) =>
  Effect.gen(function*() {
    const first = yield* Effect.raceAllFirst([
      exit,
      Effect.as(output, "closed its output"),
      Effect.as(written, "closed its input")
    ])
    const rest = Effect.all([exit, output, errors], { concurrency: "unbounded" })
    const all = yield* Effect.timeoutOption(rest, DRAIN)
    link.finish(Option.match(all, { onNone: () => first, onSome: ([ended]) => ended }))
  }).pipe(inRealTime)

/** The polite part of closing: most servers end with their stdin. The spawner's own release does the rest. */
const sayGoodbye = (link: StdioLink, exit: Effect.Effect<string>, eof: number) =>
  Effect.suspend(() => {
    link.finish(undefined)
    return Effect.timeoutOption(exit, eof)
  })

/**
 * When the process is gone its output is read to the end, whether anybody listens or not: Node leaves a pipe open that is
 * given up with more in it than fits its buffers, and with the pipe the event loop of a program that would end.
 */
const readOut = (link: StdioLink, { errors, output }: Pumps) =>
  Effect.suspend(() => {
    Deferred.doneUnsafe(link.listening, Effect.void)
    return Effect.timeoutOption(Effect.all([output, errors], { concurrency: "unbounded" }), READ_OUT)
  })

const describeExit = (exit: Exit.Exit<number, unknown>): string => {
  if (Exit.isSuccess(exit)) return `exited with code ${exit.value}`
  // the spawner names the signal in the text of the cause, and nowhere else
  const signal = /SIG[A-Z0-9]+/.exec(Cause.pretty(exit.cause))?.[0]
  return `was ended by ${signal ?? "a signal"}`
}
