/**
 * What a command printed, in bounded memory whatever comes: the beginning and the end are kept, and what is more than
 * these is handed out on the way, so that it can go elsewhere. A character that isn't
 * complete yet is held back until the rest of it comes, also when another program's text comes first: several write
 * into one pipe, each in pieces of its own.
 */
import * as Utf8 from "./utf8.ts"

export interface OutputWriter {
  readonly write: (bytes: Uint8Array) => void
  /** The stream has ended: what was held back will never be complete. */
  readonly end: () => void
}

export class OutputBuffer {
  readonly #head: Uint8Array
  readonly #tail: Uint8Array
  #headLength = 0
  /** Bytes ever written behind the head; the last of them are in `#tail`, which is written round and round. */
  #behindHead = 0
  /** From the moment that not all is kept: all that arrived and wasn't handed out yet, up to `#overflowLimit` bytes. */
  #overflow: Array<Uint8Array> = []
  #overflowed = 0
  readonly #overflowLimit: number

  /** In bytes: what is kept, and what is handed out at most. */
  constructor(limit: number, overflowLimit = 0) {
    this.#head = new Uint8Array(limit >> 1)
    this.#tail = new Uint8Array(limit - (limit >> 1))
    this.#overflowLimit = overflowLimit
  }

  /** Bytes that arrived, also those no longer kept. */
  get total(): number {
    return this.#headLength + this.#behindHead
  }

  /** What arrived since this was last asked, from the very first byte on, if it is more than is kept. */
  takeOverflow(): ReadonlyArray<Uint8Array> {
    const taken = this.#overflow
    this.#overflow = []
    return taken
  }

  /** The text behind a position in bytes, or of it the last `limit` bytes; no character is cut. */
  textSince(position: number, limit: number): string {
    const kept = this.#kept()
    const bytes = kept.subarray(Math.max(0, kept.length - Math.min(this.total - position, limit)))
    return Utf8.decode(bytes.subarray(Utf8.strayLength(bytes)))
  }

  writer(): OutputWriter {
    let held: Uint8Array = NOTHING
    return {
      write: (bytes) => {
        const isRest = Utf8.strayLength(bytes) > 0
        const whole = isRest && held.length > 0 ? concat(held, bytes) : bytes
        if (isRest) held = NOTHING
        const complete = whole.length - Utf8.incompleteLength(whole)
        this.#append(whole.subarray(0, complete))
        if (complete === whole.length) return
        if (held.length > 0) this.#append(Utf8.REPLACEMENT)
        // a copy, which `slice` of a platform's own buffers is not: three bytes must not keep a whole chunk alive
        held = Uint8Array.from(whole.subarray(complete))
      },
      end: () => {
        if (held.length > 0) this.#append(Utf8.REPLACEMENT)
        held = NOTHING
      }
    }
  }

  /** The text, with a note in place of what was left out. */
  text(): string {
    const cut = this.#behindHead - this.#tail.length
    if (cut <= 0) return Utf8.decode(this.#kept())
    const head = this.#head
    const tail = this.#lastBytes()
    const headCut = Utf8.incompleteLength(head)
    const tailCut = Utf8.strayLength(tail)
    const note = `[... ${cut + headCut + tailCut} of ${this.total} bytes left out ...]`
    return `${Utf8.decode(head.subarray(0, head.length - headCut))}\n${note}\n${Utf8.decode(tail.subarray(tailCut))}`
  }

  #kept(): Uint8Array {
    return concat(this.#head.subarray(0, this.#headLength), this.#lastBytes())
  }

  /** The tail in the order it was written. */
  #lastBytes(): Uint8Array {
    if (this.#behindHead <= this.#tail.length) return this.#tail.subarray(0, this.#behindHead)
    const start = this.#behindHead % this.#tail.length
    return concat(this.#tail.subarray(start), this.#tail.subarray(0, start))
  }

  #append(bytes: Uint8Array): void {
    this.#appendToOverflow(bytes)
    const toHead = bytes.subarray(0, this.#head.length - this.#headLength)
    this.#head.set(toHead, this.#headLength)
    this.#headLength += toHead.length
    this.#appendToTail(bytes.subarray(toHead.length))
  }

  #appendToOverflow(bytes: Uint8Array): void {
    const limit = this.#head.length + this.#tail.length
    if (this.#overflowLimit === 0 || this.total + bytes.length <= limit) return
    // until now all of it was kept
    if (this.#overflowed === 0) this.#handOut(this.#kept())
    this.#handOut(bytes)
  }

  #handOut(bytes: Uint8Array): void {
    const piece = bytes.subarray(0, this.#overflowLimit - this.#overflowed)
    this.#overflowed += piece.length
    if (piece.length > 0) this.#overflow.push(piece)
  }

  #appendToTail(bytes: Uint8Array): void {
    const size = this.#tail.length
    const kept = bytes.subarray(Math.max(0, bytes.length - size))
    this.#behindHead += bytes.length - kept.length
    const start = this.#behindHead % size
    const first = kept.subarray(0, size - start)
    this.#tail.set(first, start)
    this.#tail.set(kept.subarray(first.length), 0)
    this.#behindHead += kept.length
  }
}

const NOTHING = new Uint8Array(0)

const concat = (left: Uint8Array, right: Uint8Array): Uint8Array => {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}
