/** What the tests of the builtins share: the real platform, a temporary folder, and calls of a source's tools. */
import { type BuiltinOptions, BuiltinSource } from "@effect-toolnexus/builtins"
import { type Json, Source, ToolCall, type ToolError, type ToolResult } from "@effect-toolnexus/core"
import * as NodeHttp from "@effect-toolnexus/toolkit/NodeHttp"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"

export const platform = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeHttp.layer)
)

export const builtins = (options: BuiltinOptions) => Layer.provideMerge(BuiltinSource.layer(options), platform)

/** The one entry of the source. */
export const entry = Effect.gen(function*() {
  const { entries, kind } = yield* Source
  const [first, ...others] = yield* SubscriptionRef.get(entries)
  if (first === undefined || others.length > 0) return yield* Effect.die(`${kind} has not one entry`)
  return first
})

export const tool = Effect.fnUntraced(function*(name: string) {
  const found = (yield* entry).tools.find((each) => each.name === name)
  return found ?? (yield* Effect.die(`there is no tool ${name}`))
})

export const call = (
  name: string,
  args: Json.JsonObject,
  resumed?: ToolCall.Resumed
): Effect.Effect<ToolResult.ToolResult, ToolError.ToolError, Source> =>
  Effect.flatMap(tool(name), ({ handler }) => handler(args, ToolCall.make(name, "call-1", {}, resumed)))

/** The failure of a call that must fail as `ToolFailed`. */
export const failure = (name: string, args: Json.JsonObject) =>
  call(name, args).pipe(
    Effect.flip,
    Effect.flatMap((error) => error._tag === "ToolFailed" ? Effect.succeed(error) : Effect.die(error))
  )

/** What is wrong with the arguments of a call that must fail for them. */
export const issuesOf = <A, R>(failing: Effect.Effect<A, ToolError.ToolError, R>) =>
  Effect.flatMap(
    Effect.flip(failing),
    (error) => error._tag === "InvalidArguments" ? Effect.succeed(error.issues) : Effect.die(error)
  )

/** A temporary folder, its links resolved. */
export const folder = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
})
