/**
 * What waits to be written to a server's stdin. Whoever sends never waits itself: a call has limits of its own, and one
 * that ends before it was written is taken out again. So no more is kept than callers are still waiting for, and nothing
 * is said to a server about a call it never saw.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"

/** So many waiting messages are a queue, not a burst that the next turn of the event loop would have written. */
const CROWD = 256

/** A server that reads nothing for so long while others queue is stuck; a busy one reads its pipe in between. */
const STUCK_MILLIS = 10_000

/** Answers and notices, which nobody waits for: of a server that asks and asks without reading, no more are kept. */
const MAX_UNASKED = 1024

/** Taken out at once: what is written can't be taken back. */
const BATCH = 16

/** A message; empty once it was taken back. */
interface Waiting {
  bytes: Uint8Array | undefined
  readonly id: number | string | undefined
}

export class Outbox {
  readonly #queue: Queue.Queue<Waiting, Cause.Done>
  readonly #now: () => number
  readonly #encoder = new TextEncoder()
  readonly #requests = new Map<unknown, Waiting>()
  #size = 0
  #crowdedSince: number | undefined

  constructor(queue: Queue.Queue<Waiting, Cause.Done>, now: () => number) {
    this.#queue = queue
    this.#now = now
  }

  /** `now` is in milliseconds. */
  static readonly make = (now: () => number): Effect.Effect<Outbox> =>
    Effect.map(Queue.unbounded<Waiting, Cause.Done>(), (queue) => new Outbox(queue, now))

  /** How many messages wait. */
  get size(): number {
    return this.#size
  }

  /** Many wait, and for a while none of them was written. */
  get isStuck(): boolean {
    return this.#crowdedSince !== undefined && this.#now() - this.#crowdedSince >= STUCK_MILLIS
  }

  /** False where the server reads too little for one more message. */
  add(message: JSONRPCMessage): boolean {
    const id = "method" in message && "id" in message ? message.id : undefined
    if (this.isStuck || (id === undefined && this.#size - this.#requests.size >= MAX_UNASKED)) return false
    const waiting: Waiting = { bytes: this.#encoder.encode(`${JSON.stringify(message)}\n`), id }
    if (!Queue.offerUnsafe(this.#queue, waiting)) return false
    if (id !== undefined) this.#requests.set(id, waiting)
    this.#resize(1)
    return true
  }

  /** Takes a request back; false where it is written already. */
  remove(id: unknown): boolean {
    const waiting = this.#requests.get(id)
    if (waiting === undefined) return false
    this.#requests.delete(id)
    waiting.bytes = undefined
    this.#resize(-1)
    return true
  }

  end() {
    Queue.endUnsafe(this.#queue)
  }

  /** The next messages, as bytes; done after the end. */
  readonly next: Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done> = Effect.suspend(() =>
    Effect.flatMap(Queue.takeBetween(this.#queue, 1, BATCH), (batch) => {
      this.#crowdedSince = undefined
      const written = batch.map((waiting) => this.#take(waiting)).filter(Predicate.isNotUndefined)
      return Arr.isArrayNonEmpty(written) ? Effect.succeed(written) : this.next
    })
  )

  #take(waiting: Waiting): Uint8Array | undefined {
    const { bytes, id } = waiting
    if (bytes === undefined) return undefined
    if (id !== undefined) this.#requests.delete(id)
    this.#resize(-1)
    return bytes
  }

  #resize(by: number) {
    this.#size += by
    if (this.#size < CROWD) this.#crowdedSince = undefined
    else this.#crowdedSince ??= this.#now()
  }
}
