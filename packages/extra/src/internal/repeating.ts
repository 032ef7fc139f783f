/** What is worth another try, and when. */
import type { HttpFailure } from "@effect-toolnexus/core"
import * as Result from "effect/Result"

/** RFC 9110, 9.2.1. */
export const isSafe = (method: string): boolean => ["GET", "HEAD", "OPTIONS", "TRACE"].includes(method)

const MAX_ATTEMPTS = 3

/** Milliseconds before the second attempt; the third waits twice as long. */
const FIRST_PAUSE = 500

/** A server that wants more time than a call has reason to wait, in milliseconds, has said no. */
const MAX_PAUSE = 10_000

const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

const HOPELESS: ReadonlySet<string> = new Set(["ERR_REDIRECT", "ERR_ADDRESS_REFUSED", "ENOTFOUND"])

/** Milliseconds to wait, where another attempt makes sense. */
export const pauseBefore = (
  attempt: number,
  result: Result.Result<{ readonly status: number; readonly header: (name: string) => string | undefined }, HttpFailure>
): number | undefined => {
  if (attempt >= MAX_ATTEMPTS) return undefined
  const backoff = FIRST_PAUSE * 2 ** (attempt - 1)
  if (Result.isFailure(result)) return HOPELESS.has(result.failure.code) ? undefined : backoff
  const { header, status } = result.success
  if (!BUSY.has(status)) return undefined
  const wanted = header("retry-after")
  if (wanted === undefined) return backoff
  // a date would need the server's clock
  const millis = /^\s*\d+\s*$/.test(wanted) ? Number(wanted) * 1000 : backoff
  return millis > MAX_PAUSE ? undefined : Math.max(millis, backoff)
}
