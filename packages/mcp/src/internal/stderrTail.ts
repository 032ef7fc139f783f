/** The end of what a process wrote to stderr, without the secrets it was given. */

/** Enough for a stack trace, little enough for a hundred servers. */
const TAIL_LENGTH = 8192

const REDACTED = "<redacted>"

export class StderrTail {
  readonly #decoder = new TextDecoder()
  readonly #secrets: ReadonlyArray<string>
  #text = ""

  constructor(secrets: ReadonlyArray<string>) {
    this.#secrets = secrets
  }

  push(chunk: Uint8Array) {
    const text = this.#text + this.#decoder.decode(chunk, { stream: true })
    // a margin, so that a secret cut by the window is still recognised as one
    this.#text = text.length > TAIL_LENGTH * 2 ? text.slice(-TAIL_LENGTH * 2) : text
  }

  get text(): string {
    return this.redact(this.#text).slice(-TAIL_LENGTH).toWellFormed()
  }

  redact(text: string): string {
    return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), text)
  }
}
