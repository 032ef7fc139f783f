/**
 * The children this process starts while a scope is open. A child in a session of its own takes its descendants with
 * it: once it has died, nothing in the process table connects them with us, only the number of their group.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { subscribe, unsubscribe } from "node:diagnostics_channel"

/** Node's own channel; it hands out each `ChildProcess` before it has a pid. */
const CHANNEL = "child_process"

/** Gives the pids of all children started so far, dead ones included. */
export const record: Effect.Effect<Effect.Effect<ReadonlySet<number>>, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const children: Array<unknown> = []
      const listener = (message: unknown) => {
        if (Predicate.hasProperty(message, "process")) children.push(message.process)
      }
      subscribe(CHANNEL, listener)
      return { children, listener }
    }),
    ({ listener }) => Effect.sync(() => unsubscribe(CHANNEL, listener))
  ),
  ({ children }) => Effect.sync(() => new Set(children.flatMap(pidOf)))
)

const pidOf = (child: unknown): ReadonlyArray<number> =>
  Predicate.hasProperty(child, "pid") && typeof child.pid === "number" ? [child.pid] : []
