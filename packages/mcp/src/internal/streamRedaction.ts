/**
 * Secrets blotted out of a text while it comes in pieces, before a window cuts it: of a secret that was cut, what is left
 * would be recognised by nobody.
 */
import { REDACTED } from "@effect-toolnexus/core/Redaction"

/** The longest an argument or a variable of a process can be; a longer secret never reached it. */
const MAX_CARRY = 128 * 1024

/** A shorter start of a secret may be anything. */
const MIN_START = 6

export class StreamRedaction {
  readonly #patterns: ReadonlyArray<string>
  readonly #margin: number
  #carry = ""

  /** `patterns`: what to blot out, the longest first. */
  constructor(patterns: ReadonlyArray<string>) {
    this.#patterns = patterns
    this.#margin = Math.min(Math.max(0, (patterns[0]?.length ?? 0) - 1), MAX_CARRY)
  }

  /** What is certain of the text so far; its end is held back, for a secret may have begun there. */
  push(chunk: string): string {
    const text = this.#carry + chunk
    const sure = Math.max(0, text.length - this.#margin)
    const { end, redacted } = redactStarts(this.#patterns, text, sure)
    this.#carry = text.slice(end)
    return redacted
  }

  /** What is held back, as it looks if no more comes: also without the start of a secret that was never finished. */
  get rest(): string {
    const start = this.#patterns.reduce((at, pattern) => Math.min(at, startOf(pattern, this.#carry)), Infinity)
    const { end, redacted } = redactStarts(this.#patterns, this.#carry, start)
    return end < this.#carry.length ? redacted + REDACTED : redacted
  }
}

/** A text of which no more is to come, and which may have been cut. */
export const redactWhole = (patterns: ReadonlyArray<string>, text: string): string => {
  const redaction = new StreamRedaction(patterns)
  const sure = redaction.push(text)
  return sure + redaction.rest
}

/** Blots out all secrets that start before `sure`, and says where the text goes on. */
const redactStarts = (patterns: ReadonlyArray<string>, text: string, sure: number) => {
  const found = patterns.map((pattern) => text.indexOf(pattern))
  let redacted = ""
  let end = 0
  while (true) {
    let first = -1
    for (let index = 0; index < patterns.length; index++) {
      const pattern = patterns[index] ?? ""
      let at = found[index] ?? -1
      if (at !== -1 && at < end) found[index] = at = text.indexOf(pattern, end)
      // of two at one place the longer one, which comes first
      if (at !== -1 && at < sure && (first === -1 || at < (found[first] ?? 0))) first = index
    }
    if (first === -1) break
    const at = found[first] ?? 0
    redacted += text.slice(end, at) + REDACTED
    end = at + (patterns[first] ?? "").length
  }
  const next = Math.min(Math.max(end, sure), text.length)
  return { redacted: redacted + text.slice(end, next), end: next }
}

/** Where a text ends with the start of a pattern. */
const startOf = (pattern: string, text: string): number => {
  for (let length = Math.min(pattern.length - 1, text.length); length >= MIN_START; length--) {
    if (text.endsWith(pattern.slice(0, length))) return text.length - length
  }
  return Infinity
}
