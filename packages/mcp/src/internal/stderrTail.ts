/** The end of what a process wrote to stderr, without the secrets it was given. */
import { StreamRedaction } from "./streamRedaction.ts"

/** Enough for a stack trace, little enough for a hundred servers. */
const TAIL_LENGTH = 8192

export class StderrTail {
  readonly #decoder = new TextDecoder()
  readonly #redaction: StreamRedaction
  #text = ""

  /** `patterns` as `Redaction.patterns` gives them. */
  constructor(patterns: ReadonlyArray<string>) {
    this.#redaction = new StreamRedaction(patterns)
  }

  push(chunk: Uint8Array) {
    const text = this.#text + this.#redaction.push(this.#decoder.decode(chunk, { stream: true }))
    this.#text = text.length > TAIL_LENGTH ? text.slice(-TAIL_LENGTH) : text
  }

  get text(): string {
    return (this.#text + this.#redaction.rest).slice(-TAIL_LENGTH).toWellFormed()
  }
}
