/** When a request is over (RFC 3339). */
import type { Request } from "@effect-toolnexus/core"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** In milliseconds since the epoch; `undefined` for what isn't a time. A leap second is the second after it. */
export const readTime = (text: string): number | undefined => {
  const [, date = "", minutes = "", seconds = "", fraction = "", zone = ""] = RFC_3339.exec(text) ?? []
  // `2026-02-30` is read as a day of March otherwise
  const day = Option.map(DateTime.make(`${date}T00:00:00Z`), DateTime.formatIsoDateUtc)
  if (Option.getOrUndefined(day) !== date) return undefined
  const leap = seconds === "60" ? 1000 : 0
  const time = DateTime.make(`${date}T${minutes}:${leap > 0 ? "59" : seconds}${fraction}${zone.toUpperCase()}`)
  return Option.getOrUndefined(Option.map(time, ({ epochMilliseconds }) => epochMilliseconds + leap))
}

/** Until a request expires; `undefined` if it never does. */
export const millisLeft = ({ expiresAt }: Request.Request): Effect.Effect<number | undefined> => {
  const time = expiresAt === undefined ? undefined : readTime(expiresAt)
  return time === undefined ? Effect.undefined : Effect.map(Clock.currentTimeMillis, (now) => time - now)
}
