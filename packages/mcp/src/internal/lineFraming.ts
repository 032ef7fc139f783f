/** Bytes cut into lines, with a bound on how long one may be. */

/** A line; or one too long to keep, of which only both ends are left. */
export type Frame =
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "TooLong"; readonly head: string; readonly tail: string }

/** Enough of both ends to find the id of the message that was too long. */
const ENDS = 1024

const NEWLINE = 0x0a

const FIRST_CAPACITY = 4096

export class LineFraming {
  readonly #limit: number
  readonly #decoder = new TextDecoder()
  /** The line that has not ended yet. It comes in pieces of any size, and so is kept in one. */
  #kept: Uint8Array = EMPTY
  #size = 0
  /** The start of a line that is too long; what is kept is then its end. */
  #head: Uint8Array | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that a chunk completes. */
  push(chunk: Uint8Array): ReadonlyArray<Frame> {
    const frames: Array<Frame> = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      frames.push(this.#complete(chunk.subarray(start, end)))
      start = end + 1
    }
    this.#keep(chunk.subarray(start))
    return frames
  }

  /** What is left, when no more comes. */
  end(): Frame {
    const head = this.#head
    const rest = this.#kept.subarray(0, this.#size)
    this.#kept = EMPTY
    this.#size = 0
    this.#head = undefined
    return head === undefined
      ? { _tag: "Line", text: this.#decoder.decode(rest) }
      : { _tag: "TooLong", head: this.#decoder.decode(head), tail: this.#decoder.decode(rest.subarray(-ENDS)) }
  }

  #complete(bytes: Uint8Array): Frame {
    if (this.#size === 0 && this.#head === undefined && bytes.length <= this.#limit) {
      return { _tag: "Line", text: this.#decoder.decode(bytes) }
    }
    this.#keep(bytes)
    return this.end()
  }

  #keep(bytes: Uint8Array) {
    if (bytes.length === 0) return
    if (this.#head === undefined && this.#size + bytes.length <= this.#limit) return this.#append(bytes)
    // of a line over the bound only the ends stay in memory, however long it becomes
    this.#head ??= concat(this.#kept.subarray(0, this.#size), bytes).slice(0, ENDS)
    const end = concat(this.#kept.subarray(0, this.#size).slice(-ENDS), bytes.slice(-ENDS)).slice(-ENDS)
    this.#kept = end
    this.#size = end.length
  }

  #append(bytes: Uint8Array) {
    const size = this.#size + bytes.length
    if (size > this.#kept.length) {
      const larger = new Uint8Array(Math.max(size, this.#kept.length * 2, FIRST_CAPACITY))
      larger.set(this.#kept.subarray(0, this.#size))
      this.#kept = larger
    }
    this.#kept.set(bytes, this.#size)
    this.#size = size
  }
}

const EMPTY = new Uint8Array(0)

const concat = (left: Uint8Array, right: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(left.length + right.length)
  whole.set(left)
  whole.set(right, left.length)
  return whole
}
