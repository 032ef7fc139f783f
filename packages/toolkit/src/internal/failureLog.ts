/** The log says what `errors` and `diagnostics` say: a program that reads neither would miss tools, and nobody would say why. */
import { Diagnostic, LogFailures, type Snapshot } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

/** What has failed by now is in the log when this returns, what fails later comes while the scope is open. */
export const logFailures = Effect.fnUntraced(function*(
  snapshots: SubscriptionRef.SubscriptionRef<Snapshot>
): Effect.fn.Return<void, never, Scope.Scope> {
  if (!(yield* LogFailures)) return
  const log = makeLog()
  yield* log(yield* SubscriptionRef.get(snapshots))
  yield* Effect.forkScoped(Stream.runForEach(SubscriptionRef.changes(snapshots), log), { startImmediately: true })
})

/** So many in all: a server may find something to complain about at every turn. */
const MAX_DIAGNOSTICS = 50

const makeLog = () => {
  const failed = new Map<string, string>()
  const said = new Set<string>()
  return Effect.fnUntraced(function*({ diagnostics, errors, statuses }: Snapshot) {
    // an attempt that only fails again is no news
    for (const [id, status] of Object.entries(statuses)) {
      if (status === "connected" || status === "disabled") failed.delete(id)
    }
    for (const [id, message] of Object.entries(errors)) {
      if (failed.get(id) === message) continue
      failed.set(id, message)
      yield* warn(message)
    }
    for (const diagnostic of diagnostics) {
      const text = Diagnostic.describe(diagnostic)
      if (diagnostic.level === "info" || said.has(text) || said.size >= MAX_DIAGNOSTICS) continue
      said.add(text)
      yield* warn(
        said.size < MAX_DIAGNOSTICS ? text : "There is more to say, and no more of it here: see `diagnostics`"
      )
    }
  })
}

/** A logger that breaks costs its own line. */
const warn = (message: string): Effect.Effect<void> => Effect.catchDefect(Effect.logWarning(message), () => Effect.void)
