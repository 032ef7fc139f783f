/** Bytes cut into lines, with a bound on how long one may be. */

/** A line; or one too long to keep, of which only both ends are left. */
export type Frame =
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "TooLong"; readonly head: string; readonly tail: string }

/** Enough of both ends to find the id of the message that was too long. */
const ENDS = 1024

const NEWLINE = 0x0a

export class LineFraming {
  readonly #limit: number
  readonly #decoder = new TextDecoder()
  #parts: Array<Uint8Array> = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that a chunk completes. */
  push(chunk: Uint8Array): ReadonlyArray<Frame> {
    const frames: Array<Frame> = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end))
      frames.push(this.end())
      start = end + 1
    }
    this.#keep(chunk.subarray(start))
    return frames
  }

  /** What is left, when no more comes. */
  end(): Frame {
    const parts = this.#parts
    const size = this.#size
    this.#parts = []
    this.#size = 0
    if (size <= this.#limit) return { _tag: "Line", text: this.#decode(parts) }
    const [head = EMPTY, tail = EMPTY] = parts
    return { _tag: "TooLong", head: this.#decode([head]), tail: this.#decode([tail]) }
  }

  #keep(bytes: Uint8Array) {
    if (bytes.length === 0) return
    this.#parts.push(bytes)
    this.#size += bytes.length
    if (this.#size > this.#limit) this.#drop()
  }

  /** Of a line over the bound only the ends stay in memory, however long it becomes. */
  #drop() {
    this.#parts = [start(this.#parts), end(this.#parts)]
  }

  #decode(parts: ReadonlyArray<Uint8Array>): string {
    return this.#decoder.decode(parts.length === 1 ? parts[0] : concat(parts))
  }
}

/** Lines come in pieces of any size, and the ends may be spread over several. */
const start = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const pieces: Array<Uint8Array> = []
  for (let size = 0, index = 0; size < ENDS && index < parts.length; index++) {
    const piece = (parts[index] ?? EMPTY).subarray(0, ENDS - size)
    pieces.push(piece)
    size += piece.length
  }
  return concat(pieces)
}

const end = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const pieces: Array<Uint8Array> = []
  for (let size = 0, index = parts.length - 1; size < ENDS && index >= 0; index--) {
    const piece = (parts[index] ?? EMPTY).subarray(-(ENDS - size))
    pieces.unshift(piece)
    size += piece.length
  }
  return concat(pieces)
}

const EMPTY = new Uint8Array(0)

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
