/** What `grep` and `glob` share: where they look, how they look there, and how much they answer. */
import type { ToolError } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type { BuiltinLimits } from "../BuiltinOptions.ts"
import { Workspace } from "../Workspace.ts"
import { DEFAULT_OUTPUT } from "./limits.ts"
import * as PathPattern from "./pathPattern.ts"
import { badArgument } from "./refused.ts"
import * as Ripgrep from "./ripgrep.ts"
import * as SearchPlace from "./searchPlace.ts"

export type Searcher = Effect.Success<ReturnType<typeof make>>

/** In the workspace of the context, with the ripgrep of it. */
export const make = Effect.fnUntraced(function*({ output = DEFAULT_OUTPUT }: Pick<BuiltinLimits, "output"> = {}) {
  const workspace = yield* Workspace
  const run = yield* Ripgrep.make(workspace.spawner)

  /** What somebody named to look in. */
  const locate = (path: string, toolName: string) => SearchPlace.locate(workspace, path, toolName)

  /** Searches a place that is the same before and afterwards. */
  const search = (place: SearchPlace.Place, args: ReadonlyArray<string>, take: Ripgrep.Take, toolName: string) =>
    Effect.tap(
      run({ cwd: place.folder, args: [...args, "--", `./${place.file ?? ""}`], take }, toolName),
      SearchPlace.confirm(workspace, place, toolName)
    )

  return { maxOutput: output, locate, search }
})

/** A glob that was given under the name of that argument. */
export const patternOf = (
  glob: string,
  argument: string,
  toolName: string
): Effect.Effect<PathPattern.PathPattern, ToolError.InvalidArguments> =>
  Effect.mapError(
    Effect.fromResult(PathPattern.parse(glob)),
    ({ detail }) => badArgument(toolName, argument, `a glob ${detail}`)
  )

/** Lets ripgrep itself pass over files whose names a pattern doesn't mean. */
export const onlyNamed = ({ name }: PathPattern.PathPattern): ReadonlyArray<string> =>
  name === undefined ? [] : [`--type-add=wanted:${name}`, "--type=wanted"]
