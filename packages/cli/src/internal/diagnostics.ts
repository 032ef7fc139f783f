/** What went wrong, on standard error, for commands whose own output doesn't hold it. */
import type { Snapshot } from "@effect-toolnexus/core"
import * as Diagnostic from "@effect-toolnexus/core/Diagnostic"
import type { ToolkitConfig } from "@effect-toolnexus/toolkit/ToolkitConfig"
import * as Effect from "effect/Effect"
import { oneLine } from "./plainText.ts"

/** Tells which entries failed, and why, and what else there is to say. */
export const logProblems = Effect.fnUntraced(
  function*({ diagnostics, errors }: Pick<Snapshot, "diagnostics" | "errors">) {
    yield* Effect.forEach(Object.values(errors), (message) => Effect.logWarning(message), { discard: true })
    yield* Effect.forEach(
      diagnostics,
      (diagnostic) => log[diagnostic.level](oneLine(Diagnostic.describe(diagnostic))),
      {
        discard: true
      }
    )
  }
)

const log = { error: Effect.logError, warning: Effect.logWarning, info: Effect.logInfo }

/** The same of configurations that no toolkit is built from. */
export const logConfigProblems = ({ diagnostics, error }: ToolkitConfig) =>
  logProblems({ errors: error === undefined ? {} : { [error.entry]: error.message }, diagnostics })
