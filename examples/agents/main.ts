/**
 * Remote agents in both dialects of A2A: a call, a conversation, and a task that asks a person and goes on in another process.
 * The agents are fakes on loopback, which speak over HTTP as real ones do; the toolkit knows nothing but where their cards are.
 */
import { A2aReply, FakeA2aAgent } from "@effect-toolnexus/testing"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect } from "effect"
import { Toolkit } from "effect-toolnexus"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { toolkit } from "./toolkit.ts"

/** Speaks 1.0, and streams. */
const weather = FakeA2aAgent.make({
  name: "Weather",
  dialect: "1.0",
  streaming: true,
  skills: [{ id: "forecast", name: "Forecast", description: "Says how the weather will be" }],
  reply: (text) => A2aReply.completed(`${text}: sunny, 21 degrees`, { polls: 2 })
})

/** Speaks 0.3, and is asked how far it is. */
const painter = FakeA2aAgent.make({
  name: "Painter",
  dialect: "0.3",
  skills: [{ id: "paint", name: "Paint", description: "Paints walls" }],
  reply: (text) =>
    A2aReply.waiting(
      "input-required",
      `Which colour for ${text}?`,
      A2aReply.completed([`painted ${text}`, { data: { coats: 2 } }], { polls: 1 })
    )
})

const ask = Effect.fnUntraced(function*(name: string, task: string) {
  const { call } = yield* Toolkit
  const { metadata, output } = yield* call(name, { task })
  yield* Console.log(`${output} (${JSON.stringify(metadata?.["contextId"])})`)
})

const talk = Effect.gen(function*() {
  const { call, toolNames } = yield* Toolkit
  yield* Console.log(yield* toolNames)
  // each task is a new one, and all are in one context
  yield* ask("Weather_forecast", "Oslo tomorrow")
  yield* ask("Weather_forecast", "and the day after")
  // what a task waits for is data, which can be stored
  return yield* call("Painter", { task: "the wall" }).pipe(
    Effect.map(({ output }) => output),
    Effect.catchTag("ToolSuspended", ({ request }) => Effect.succeed(JSON.stringify(request)))
  )
})

const answerElsewhere = (card: string, request: string) =>
  Effect.promise(() => promisify(execFile)(process.execPath, [`${import.meta.dirname}/answer.ts`, card, request]))

const program = Effect.gen(function*() {
  const [sunny, colourful] = yield* Effect.all([weather, painter])
  const cards = { weather: sunny.cardUrl, painter: colourful.cardUrl }
  const request = yield* Effect.provide(talk, toolkit(cards))
  yield* Console.log((yield* answerElsewhere(cards.painter, request)).stdout.trim())
  for (const agent of [sunny, colourful]) {
    const methods = (yield* agent.requests).flatMap(({ body }) => /"method":"([^"]+)"/.exec(body)?.[1] ?? [])
    yield* Console.log([...new Set(methods)])
  }
})

NodeRuntime.runMain(Effect.scoped(program))
