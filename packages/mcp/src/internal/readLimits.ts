/** A server's time limits, in milliseconds. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { Limits } from "../McpConfig.ts"
import { diagnostic } from "./entryError.ts"

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

/** `timeout: 30` was meant in seconds, as other programs have it. */
export const secondsDiagnostics = (name: string, path: string, timeout: Timeout): ReadonlyArray<Diagnostic> => {
  const numbers: ReadonlyArray<readonly [string, number | undefined]> = typeof timeout === "number"
    ? [["timeout", timeout]]
    : Object.entries(timeout ?? {}).map(([key, value]) => [`timeout.${key}`, value])
  return numbers.flatMap(([key, value]) =>
    value === undefined || value >= 1000 ? [] : [
      diagnostic(
        name,
        "warning",
        "timeout-below-second",
        `${key} is ${value} milliseconds; were seconds meant (${value * 1000})?`,
        `${path}.${key}`
      )
    ]
  )
}
