/**
 * What waits to be written to a server's stdin. Whoever sends never waits itself: a call has limits of its own, and one
 * that ends before it was written is taken out again. So no more is kept than callers are still waiting for, and
 * nothing is said to a server about a call it never saw.
 *
 * A server that reads nothing for long is stuck, and is sent nothing more until it reads. What waits already isn't
 * ended from here, be it one request or many: that is up to the limits of each call.
 */
import * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { isRequest, type Message, serialize } from "./jsonRpc.ts"

/** So many waiting messages are a queue, not a burst that the next turn of the event loop would have written. */
const CROWD = 256

/** A server that reads nothing for so long while others queue is stuck; a busy one reads its pipe in between. */
const CROWD_MILLIS = 10_000

/** With few waiting it may be busy with one long call; by then each of them has had the time of a silent call. */
const STUCK_MILLIS = 30_000

/** Answers and notices, which nobody waits for: of a server that asks and asks without reading, no more are kept. */
const MAX_UNASKED = 1024

/** Taken out at once: what is written can't be taken back. */
const BATCH = 16

interface Waiting {
  readonly bytes: Uint8Array
  readonly id: number | string | undefined
}

export class Outbox {
  /** Rings when something was added; that it rang once too often does no harm. */
  readonly #bell: Queue.Queue<void, Cause.Done>
  readonly #now: () => number
  readonly #encoder = new TextEncoder()
  /** In the order of sending; what is taken back is gone from it at once. */
  readonly #waiting = new Set<Waiting>()
  readonly #requests = new Map<unknown, Waiting>()
  /** When the writer got the last messages, or the first came that it didn't ask for; not while it asks for more. */
  #silentSince: number | undefined
  #isOpen = true

  constructor(bell: Queue.Queue<void, Cause.Done>, now: () => number) {
    this.#bell = bell
    this.#now = now
  }

  /** `now` is in milliseconds. */
  static readonly make = (now: () => number): Effect.Effect<Outbox> =>
    Effect.map(Queue.dropping<void, Cause.Done>(1), (bell) => new Outbox(bell, now))

  /** How many messages wait. */
  get size(): number {
    return this.#waiting.size
  }

  /** For a while nothing could be written; the more wait, the shorter that is. */
  get isStuck(): boolean {
    if (this.#silentSince === undefined) return false
    return this.#now() - this.#silentSince >= (this.size >= CROWD ? CROWD_MILLIS : STUCK_MILLIS)
  }

  /** False where the server reads too little for one more message. */
  add(message: Message): boolean {
    const id = isRequest(message) ? message.id : undefined
    const isFull = id === undefined && this.size - this.#requests.size >= MAX_UNASKED
    if (isFull || this.isStuck || !this.#isOpen) return false
    const waiting: Waiting = { bytes: this.#encoder.encode(`${serialize(message)}\n`), id }
    this.#waiting.add(waiting)
    if (id !== undefined) this.#requests.set(id, waiting)
    this.#silentSince ??= this.#now()
    Queue.offerUnsafe(this.#bell, undefined)
    return true
  }

  /** Takes a request back; false where it is written already. */
  remove(id: unknown): boolean {
    const waiting = this.#requests.get(id)
    if (waiting === undefined) return false
    this.#requests.delete(id)
    this.#waiting.delete(waiting)
    return true
  }

  end() {
    this.#isOpen = false
    Queue.endUnsafe(this.#bell)
  }

  /** The next messages, as bytes; done after the end. Whoever asks has written the ones before. */
  readonly next: Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done> = Effect.suspend(() => {
    const batch = this.#takeBatch()
    this.#silentSince = batch.length === 0 ? undefined : this.#now()
    return Arr.isReadonlyArrayNonEmpty(batch)
      ? Effect.succeed(batch)
      : Effect.flatMap(Queue.take(this.#bell), () => this.next)
  })

  #takeBatch(): ReadonlyArray<Uint8Array> {
    const batch: Array<Uint8Array> = []
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting)
      if (waiting.id !== undefined) this.#requests.delete(waiting.id)
      if (batch.push(waiting.bytes) === BATCH) break
    }
    return batch
  }
}
