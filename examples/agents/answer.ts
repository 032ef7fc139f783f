/** Another process, maybe days later: all it needs is the stored request, and a toolkit that has the agent. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect } from "effect"
import { Answer, Request, Toolkit } from "effect-toolnexus"
import * as Schema from "effect/Schema"
import { toolkit } from "./toolkit.ts"

const [, , card = "", stored = ""] = process.argv

const program = Effect.gen(function*() {
  const request = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Request.Request))(stored)
  const { resume } = yield* Toolkit
  const result = yield* resume(request, Answer.make(request, true, "blue"))
  yield* Console.log(`${request.prompt} blue: ${result.output}, ${JSON.stringify(result.structured)}`)
})

NodeRuntime.runMain(Effect.provide(program, toolkit({ painter: card })))
