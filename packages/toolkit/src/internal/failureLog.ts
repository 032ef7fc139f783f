/** The log says what `errors` says: a program that reads neither would miss tools, and nobody would say why. */
import { LogFailures, type Snapshot } from "@effect-toolnexus/core"
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

const makeLog = () => {
  const logged = new Map<string, string>()
  return Effect.fnUntraced(function*({ errors, statuses }: Snapshot) {
    // an attempt that only fails again is no news
    for (const [id, status] of Object.entries(statuses)) {
      if (status === "connected" || status === "disabled") logged.delete(id)
    }
    for (const [id, message] of Object.entries(errors)) {
      if (logged.get(id) === message) continue
      logged.set(id, message)
      // a logger that breaks costs its own line
      yield* Effect.catchDefect(Effect.logWarning(message), () => Effect.void)
    }
  })
}
