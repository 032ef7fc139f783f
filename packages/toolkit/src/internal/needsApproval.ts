/** Whether a call would be suspended before its handler, without making it. */
import type { CallArguments, Snapshot } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type { PolicyStage } from "../Policy.ts"
import { decodeArguments } from "./callArguments.ts"
import { type CallingCore, findTool } from "./callTool.ts"
import type { ToolkitCore } from "./toolkitService.ts"

interface AskingCore extends CallingCore, Pick<ToolkitCore, "check" | "waitFor"> {
  readonly asks: PolicyStage["asks"]
}

/** A call that fails before it comes to the policy asks nobody: what is wrong with it is its answer. */
export const needsApproval = (
  snapshot: Snapshot,
  core: AskingCore,
  name: string,
  args: CallArguments
): Effect.Effect<boolean> => {
  if (core.waitFor !== undefined) return Effect.succeed(false)
  return Effect.gen(function*() {
    const tool = yield* findTool(snapshot, core, name)
    const decoded = yield* decodeArguments(tool.name, args)
    if (!core.asks(tool, decoded)) return false
    return (yield* core.check(tool.inputSchema, decoded)).length === 0
  }).pipe(Effect.orElseSucceed(() => false))
}
