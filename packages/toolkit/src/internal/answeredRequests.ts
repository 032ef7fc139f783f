/** The requests that were answered on this toolkit: each is taken once, also when two take it at once. */
import { type Request, ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"

export interface AnsweredRequests {
  readonly has: (id: string) => boolean
  /** Whether it is the first to take it. */
  readonly take: (id: string) => boolean
}

/** A host's store is what takes each out once (docs/suspension.md); this is for races in one process. */
const MAX_ANSWERED = 100_000

export const makeAnsweredRequests = (): AnsweredRequests => {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    take: (id) => {
      if (ids.has(id)) return false
      ids.add(id)
      if (ids.size > MAX_ANSWERED) ids.delete(ids.values().next().value ?? id)
      return true
    }
  }
}

export const answeredBefore = (toolName: string, { prompt }: Request.Request) =>
  Effect.fail(new ToolError.ToolDenied({ toolName, rule: `already answered: ${prompt}` }))
