/** A server's time limits, in milliseconds. */
import * as ConfigKeys from "@effect-toolnexus/core/ConfigKeys"
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as Predicate from "effect/Predicate"
import type { Limits } from "../McpConfig.ts"

type Timeout = number | Partial<Limits> | undefined

const DEFAULT = 30_000
const DEFAULT_TOTAL = 600_000

/** A number sets all but the total; a total that isn't given is never below the limit of one silence. */
export const readLimits = (timeout: Timeout): Limits => {
  const given: Partial<Limits> = typeof timeout === "number"
    ? { startup: timeout, list: timeout, call: timeout }
    : timeout ?? {}
  const call = given.call ?? DEFAULT
  return {
    startup: given.startup ?? DEFAULT,
    list: given.list ?? DEFAULT,
    call,
    total: given.total ?? Math.max(DEFAULT_TOTAL, call)
  }
}

/** `timeout: 30` was meant in seconds, as other programs have it. Read as it was written: the entry may make no sense. */
export const secondsDiagnostics = (entry: string, path: string, timeout: unknown): ReadonlyArray<Diagnostic> => {
  if (isTime(timeout)) return ConfigKeys.checkMillis(timeout, { entry, path })
  return Object.entries(Predicate.isObject(timeout) ? timeout : {}).flatMap(([key, value]) =>
    isTime(value) ? ConfigKeys.checkMillis(value, { entry, path: `${path}.${key}` }) : []
  )
}

/** Of what is none it is said anyway that it is wrong. */
const isTime = (value: unknown): value is number => Predicate.isNumber(value) && value > 0 && value < Infinity
