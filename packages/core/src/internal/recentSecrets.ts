/** What is secret in the configuration of a server, and in what a host makes for requests to it. */
import * as Redaction from "../Redaction.ts"

/** What a host makes for each request is as secret as what is configured; of many users the latest are known. */
export const MAX_SECRETS = 1000

export class RecentSecrets {
  readonly #configured: Redaction.Redaction
  readonly #made = new Set<string>()
  #redaction: Redaction.Redaction | undefined

  constructor(configured: Iterable<string>) {
    this.#configured = Redaction.make(configured)
  }

  readonly redact: Redaction.Redaction = (text) => {
    this.#redaction ??= Redaction.make(this.#made)
    return this.#configured(this.#redaction(text))
  }

  /** Those of the configuration, and these. */
  with(made: ReadonlyArray<string>): Redaction.Redaction {
    if (made.length === 0) return this.#configured
    const redaction = Redaction.make(made)
    return (text) => this.#configured(redaction(text))
  }

  add(secret: string) {
    if (this.#made.has(secret)) return
    this.#redaction = undefined
    this.#made.add(secret)
    for (const oldest of this.#made) {
      if (this.#made.size <= MAX_SECRETS) break
      this.#made.delete(oldest)
    }
  }
}
