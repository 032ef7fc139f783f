/** Another process, maybe days later: it takes each request out once, decides, and goes on with the call. */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect, Layer } from "effect"
import { Answer, type Request, Toolkit } from "effect-toolnexus"
import * as Queue from "./queue.ts"
import { toolkit } from "./toolkit.ts"

const [, , folder = ""] = process.argv

const decide = Effect.fnUntraced(function*(request: Request.Request) {
  if (!(yield* Queue.take(folder, request))) return
  const isSmall = Number(request.call?.arguments["amount"]) < 1000
  const { resume } = yield* Toolkit
  yield* resume(request, Answer.make(request, isSmall)).pipe(
    Effect.match({ onFailure: ({ message }) => message, onSuccess: ({ output }) => output }),
    Effect.flatMap(Console.log)
  )
})

const program = Effect.flatMap(Queue.waiting(folder), Effect.forEach(decide))
const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)
NodeRuntime.runMain(program.pipe(Effect.provide(Layer.provideMerge(toolkit, platform)), Effect.provide(platform)))
