/** What an agent does: it calls its tools, and what has to wait goes into the queue; then it may end. */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect, Layer } from "effect"
import { Toolkit } from "effect-toolnexus"
import * as Queue from "./queue.ts"
import { toolkit } from "./toolkit.ts"

const [, , folder = ""] = process.argv

const call = (amount: number) =>
  Effect.gen(function*() {
    const { call: callTool } = yield* Toolkit
    yield* callTool("pay", { to: "Ada", amount }).pipe(
      Effect.flatMap(({ output }) => Console.log(output)),
      Effect.catchTag("ToolSuspended", ({ request }) =>
        Effect.andThen(Queue.put(folder, request), Console.log(`asks: ${request.prompt}`)))
    )
  })

const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)
NodeRuntime.runMain(
  Effect.forEach([50, 500, 5000], call).pipe(
    Effect.provide(Layer.provideMerge(toolkit, platform)),
    Effect.provide(platform)
  )
)
