/**
 * What waits to be written to a server's stdin. Whoever sends never waits itself: a call has limits of its own, and one
 * that ends before it was written is taken out again. So no more is kept than callers are still waiting for, and
 * nothing is said to a server about a call it never saw.
 *
 * A server that reads nothing for long is stuck, and is sent nothing more until it reads. What waits already isn't
 * ended from here, be it one request or many: that is up to the limits of each call.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { isRequest, type Message, serialize } from "./jsonRpc.ts"

/** So many waiting messages are a queue, not a burst that the next turn of the event loop would have written. */
const CROWD = 256

/** A server that reads nothing for so long while others queue is stuck; a busy one reads its pipe in between. */
const CROWD_MILLIS = 10_000

/** With few waiting it may be busy with one long call; by then each of them has had the time of a silent call. */
const STUCK_MILLIS = 30_000

/** Of a server that asks and asks without reading, no more answers are kept, in characters. */
const MAX_ANSWERS = 1024 * 1024

/** Taken out at once: what is written can't be taken back. */
const BATCH = 16

interface Waiting {
  readonly text: string
  /** What nobody here waits for; notices aren't among it, of which there is one for each request that was given up. */
  readonly isAnswer: boolean
  readonly id: number | string | undefined
}

export class Outbox {
  readonly #now: () => number
  readonly #encoder = new TextEncoder()
  /** In the order of sending; what is taken back is gone from it at once. */
  readonly #waiting = new Set<Waiting>()
  readonly #requests = new Map<unknown, Waiting>()
  /** When the writer got the last messages, or the first came that it didn't ask for; not while it asks for more. */
  #silentSince: number | undefined
  #isOpen = true
  #answers = 0
  /** Tells the writer, which waits for more, that something changed. */
  #wake: (() => void) | undefined

  /** `now` is in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

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
    const isAnswer = message.method === undefined
    const isFull = isAnswer && this.#answers >= MAX_ANSWERS
    if (isFull || this.isStuck || !this.#isOpen) return false
    const waiting: Waiting = { text: `${serialize(message)}\n`, id, isAnswer }
    this.#waiting.add(waiting)
    if (isAnswer) this.#answers += waiting.text.length
    if (id !== undefined) this.#requests.set(id, waiting)
    this.#silentSince ??= this.#now()
    this.#ring()
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
    this.#ring()
  }

  /** The next messages, as the bytes of one write; done after the end. Whoever asks has written the ones before. */
  readonly next: Effect.Effect<Arr.NonEmptyReadonlyArray<Uint8Array>, Cause.Done> = Effect.suspend(() => {
    const batch = this.#takeBatch()
    this.#silentSince = batch === "" ? undefined : this.#now()
    if (batch !== "") return Effect.succeed(Arr.of(this.#encoder.encode(batch)))
    return this.#isOpen ? Effect.flatMap(this.#changed, () => this.next) : Cause.done()
  })

  readonly #changed: Effect.Effect<void> = Effect.callback((resume) => {
    this.#wake = () => resume(Effect.void)
  })

  /** A microtask later, so that what is sent in one turn is written at once. */
  #ring() {
    const wake = this.#wake
    this.#wake = undefined
    if (wake !== undefined) queueMicrotask(wake)
  }

  #takeBatch(): string {
    let batch = ""
    let taken = 0
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting)
      if (waiting.id !== undefined) this.#requests.delete(waiting.id)
      if (waiting.isAnswer) this.#answers -= waiting.text.length
      batch += waiting.text
      if (++taken === BATCH) break
    }
    return batch
  }
}
