/** The builtins that the options leave on. */
import type { Tool } from "@effect-toolnexus/core"
import type { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as ApplyPatch from "../ApplyPatch.ts"
import * as Bash from "../Bash.ts"
import { type BuiltinSettings, TOOL_NAMES } from "../BuiltinOptions.ts"
import * as Edit from "../Edit.ts"
import * as Glob from "../Glob.ts"
import * as Grep from "../Grep.ts"
import * as Question from "../Question.ts"
import * as Read from "../Read.ts"
import * as StaleGuard from "../StaleGuard.ts"
import * as TodoWrite from "../TodoWrite.ts"
import * as WebFetch from "../WebFetch.ts"
import { Workspace } from "../Workspace.ts"
import * as Write from "../Write.ts"

type Builder = Effect.Effect<Tool.Tool, never, Workspace | HttpConnections | Scope.Scope>

const builders = ({ bash, limits, network }: BuiltinSettings): Record<(typeof TOOL_NAMES)[number], Builder> => ({
  bash: Bash.make({ ...bash, ...limits }),
  read: Read.make(limits),
  write: Write.make(limits),
  edit: Edit.make(limits),
  apply_patch: ApplyPatch.make(limits),
  grep: Grep.make(limits),
  glob: Glob.make(limits),
  webfetch: WebFetch.make({ ...limits, ...(network === undefined ? {} : { network }) }),
  question: Question.make,
  todowrite: TodoWrite.make
})

export const makeTools = Effect.fnUntraced(function*(settings: BuiltinSettings) {
  const workspace = yield* workspaceOf(settings)
  const make = builders(settings)
  const wanted = TOOL_NAMES.filter((name) => settings.tools?.[name] !== false)
  const tools = yield* Effect.forEach(wanted, (name) => make[name]).pipe(
    Effect.provideService(Workspace, workspace),
    Effect.provideService(StaleGuard.StaleGuard, StaleGuard.make(settings.staleGuard))
  )
  return workspace.isReadOnly ? tools.filter(({ annotations }) => annotations?.readOnlyHint === true) : tools
})

/** The host's, where it has put one in place, else one on the platform; either way with no more than the options allow. */
const workspaceOf = (settings: BuiltinSettings) =>
  Effect.flatMap(
    Effect.serviceOption(Workspace),
    Option.match({
      onNone: () => Workspace.make(settings),
      onSome: (workspace) => Workspace.narrow(workspace, settings)
    })
  )
