/** What a server logs (MCP 2025-11-25, Logging), in the host's own log. */
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Fields } from "./jsonRpc.ts"

const LEVELS: ReadonlyMap<unknown, LogLevel.Severity> = new Map([
  ["debug", "Debug"],
  ["info", "Info"],
  ["notice", "Info"],
  ["warning", "Warn"],
  ["error", "Error"],
  ["critical", "Fatal"],
  ["alert", "Fatal"],
  ["emergency", "Fatal"]
])

const MAX_TEXT = 2000

/** More in a second is no log but a flood, of which the rest is only counted. */
const MAX_PER_SECOND = 50

export class ServerLog {
  readonly #server: string
  readonly #redact: Redaction
  readonly #now: () => number
  #second = 0
  #logged = 0
  #leftOut = 0

  /** `now` is in milliseconds. */
  constructor(server: string, redact: Redaction, now: () => number) {
    this.#server = server
    this.#redact = redact
    this.#now = now
  }

  write({ data, level, logger }: Fields): Effect.Effect<void> {
    const second = Math.floor(this.#now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#logged = 0
    }
    if (++this.#logged > MAX_PER_SECOND) {
      this.#leftOut++
      return Effect.void
    }
    const text = this.#redact(typeof data === "string" ? data : show(data))
    const note = this.#leftOut === 0 ? "" : ` (${this.#leftOut} messages before it were left out)`
    this.#leftOut = 0
    return Effect.logWithLevel(LEVELS.get(level) ?? "Info")(Text.cut(text, MAX_TEXT, "...") + note).pipe(
      Effect.annotateLogs({
        "toolnexus.entry": this.#server,
        ...(typeof logger === "string" ? { "mcp.logger": Text.cut(this.#redact(logger), 100, "...") } : {})
      })
    )
  }
}

const show = (data: unknown): string =>
  Result.getOrElse(Result.try(() => Predicate.isUndefined(data) ? "" : JSON.stringify(data)), () => "(not shown)")
