/**
 * Finds a window of lines in a file that arrives in pieces. It keeps the bytes of the window and nothing else; behind
 * the window it only counts, and not for ever.
 */
import * as Utf8 from "./utf8.ts"

export interface WindowOptions {
  /** The first line of the window, from 1. */
  readonly offset: number
  /** The most lines. */
  readonly limit: number
  /** The most bytes of text; the window ends before the line that doesn't fit. */
  readonly maxBytes: number
  /** The most bytes gone through that aren't shown, from the window's first line on. */
  readonly maxBehind: number
}

/** Longer lines (minified code, encoded data) are cut: they would fill the window with what nobody reads. */
export const MAX_LINE_BYTES = 4096

const NEWLINE = 10
const NUL = 0

export class LineWindow {
  readonly #options: WindowOptions
  readonly #lineLimit: number
  readonly #pieces: Array<Uint8Array> = []
  #size = 0
  #shown = 0
  /** Lines in front of the window that have ended. */
  #skipped = 0
  #isFull = false
  #hasNul = false
  /** Behind the window: lines that have ended, whether another has begun, bytes gone through. */
  #remaining = 0
  #hasOpenLine = false
  #behind = 0
  /** The line being read: what is kept of it, and its length so far. */
  #line: Array<Uint8Array> = []
  #lineKept = 0
  #lineLength = 0

  constructor(options: WindowOptions) {
    this.#options = options
    this.#lineLimit = Math.min(MAX_LINE_BYTES, options.maxBytes)
  }

  /** Whether there is no need to read on: it is binary, or what is left has been counted for long enough. */
  get isDone(): boolean {
    return this.#hasNul || this.isExhausted
  }

  /** NUL in what was asked for or in front of it. Behind the window nobody looks. */
  get isBinary(): boolean {
    return this.#hasNul
  }

  /** Whether the count of remaining lines is a lower bound. */
  get isExhausted(): boolean {
    return this.#behind > this.#options.maxBehind
  }

  get shown(): number {
    return this.#shown
  }

  get remaining(): number {
    return this.#remaining + (this.#hasOpenLine ? 1 : 0)
  }

  /** All lines of the file; known only when the window lies behind its end. */
  get skipped(): number {
    return this.#skipped + (this.#hasOpenLine ? 1 : 0)
  }

  /** Takes the next piece of the file, which may be overwritten afterwards. */
  feed(bytes: Uint8Array): void {
    let position = this.#skip(bytes)
    while (position < bytes.length && !this.#isFull && !this.isDone) position = this.#take(bytes, position)
    if (position < bytes.length && !this.isDone) this.#count(bytes.subarray(position))
  }

  /** The file has ended, or nobody wants to read on: a last line without a line end is a line too. */
  end(): void {
    if (this.#lineLength > 0) this.#finishLine(new Uint8Array(0))
  }

  /** The bytes of the window, as they are in the file but for the notes in cut lines. */
  bytes(): Uint8Array {
    const all = new Uint8Array(this.#size)
    let position = 0
    for (const piece of this.#pieces) {
      all.set(piece, position)
      position += piece.length
    }
    return all
  }

  /** Goes past the lines in front of the window; gives the position behind them. */
  #skip(bytes: Uint8Array): number {
    let missing = this.#options.offset - 1 - this.#skipped
    if (missing === 0) return 0
    let position = 0
    for (; position < bytes.length && missing > 0; position++) {
      const byte = bytes[position]
      if (byte === NEWLINE) missing--
      else if (byte === NUL) this.#hasNul = true
    }
    this.#skipped = this.#options.offset - 1 - missing
    this.#hasOpenLine = missing > 0 && bytes[position - 1] !== NEWLINE
    return position
  }

  /** Takes what the piece has of one line. */
  #take(bytes: Uint8Array, position: number): number {
    const found = bytes.indexOf(NEWLINE, position)
    const end = found === -1 ? bytes.length : found
    const part = bytes.subarray(position, end)
    if (part.includes(NUL)) this.#hasNul = true
    const kept = part.slice(0, this.#lineLimit - this.#lineKept)
    if (kept.length > 0) this.#line.push(kept)
    this.#lineKept += kept.length
    this.#lineLength += part.length
    this.#behind += part.length - kept.length
    if (found === -1) return end
    this.#lineLength++
    this.#finishLine(Uint8Array.of(NEWLINE))
    return end + 1
  }

  #finishLine(lineEnd: Uint8Array): void {
    const line = [...this.#shownLine(this.#lineLength - lineEnd.length), lineEnd]
    const size = line.reduce((sum, piece) => sum + piece.length, 0)
    this.#line = []
    this.#lineKept = 0
    this.#lineLength = 0
    // the first line is shown whatever its size: it is cut already, and a window without a line would lead nowhere
    if (this.#shown > 0 && this.#size + size > this.#options.maxBytes) {
      this.#isFull = true
      this.#remaining++
      return
    }
    this.#pieces.push(...line)
    this.#size += size
    this.#shown++
    this.#isFull = this.#shown === this.#options.limit
  }

  #shownLine(length: number): ReadonlyArray<Uint8Array> {
    if (length <= this.#lineKept) return this.#line
    const last = this.#line.at(-1) ?? new Uint8Array(0)
    const whole = last.subarray(0, last.length - Utf8.incompleteLength(last))
    const atLeast = this.isExhausted ? "at least " : ""
    const note = ` [line cut: ${this.#lineKept} of ${atLeast}${length} bytes]`
    return [...this.#line.slice(0, -1), whole, new TextEncoder().encode(note)]
  }

  #count(bytes: Uint8Array): void {
    let lines = 0
    for (let position = 0; position < bytes.length; position++) if (bytes[position] === NEWLINE) lines++
    this.#remaining += lines
    this.#hasOpenLine = bytes[bytes.length - 1] !== NEWLINE
    this.#behind += bytes.length
  }
}
