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
    const [head = new Uint8Array(0), ...rest] = parts
    return { _tag: "TooLong", head: this.#decode([head]), tail: this.#decode(rest).slice(-ENDS) }
  }

  #keep(bytes: Uint8Array) {
    if (bytes.length === 0) return
    this.#parts.push(bytes)
    this.#size += bytes.length
    if (this.#size > this.#limit) this.#drop()
  }

  /** Of a line over the bound only the ends stay in memory, however long it becomes. */
  #drop() {
    const [first = new Uint8Array(0), ...rest] = this.#parts
    const head = first.slice(0, ENDS)
    const tail = concat(rest.slice(-2)).slice(-ENDS)
    this.#parts = [head, tail]
  }

  #decode(parts: ReadonlyArray<Uint8Array>): string {
    return this.#decoder.decode(parts.length === 1 ? parts[0] : concat(parts))
  }
}

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
