/**
 * Where `grep` and `glob` find ripgrep. By default it is the binary that comes with this package for the platform, else an
 * `rg` on the `PATH`; a host whose workspace is elsewhere (a container) names the one that is there.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/**
 * Commands that are tried one after the other, until one can be started.
 *
 * **Example** (The one of the workspace)
 *
 * ```ts
 * program.pipe(Effect.provideService(Ripgrep, Effect.succeed(["/usr/bin/rg"])))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const Ripgrep: Context.Reference<Effect.Effect<ReadonlyArray<string>>> = Context.Reference(
  "@effect-toolnexus/builtins/Ripgrep",
  { defaultValue: () => packagedFirst }
)

/** The package throws while it is loaded where it has no binary for the platform. */
const packaged = Effect.option(Effect.tryPromise(() => import("@vscode/ripgrep")))

const packagedFirst = Effect.map(packaged, (found): ReadonlyArray<string> => [
  ...Option.match(found, { onNone: () => [], onSome: ({ rgPath }) => [rgPath] }),
  "rg"
])

/**
 * What to do where there is none.
 *
 * @category constants
 * @since 0.1.0
 */
export const MISSING =
  "there is no ripgrep for this platform: install the package \"@vscode/ripgrep\" with its optional "
  + "dependencies (it carries a binary for each platform), or ripgrep itself, so that \"rg\" is on the PATH"
