/**
 * The states of docs/suspension.md under random answers, expiries, races, interruptions and changes of process: whatever
 * happens in whatever order, a call does its work at most once, and only when everybody who was asked said yes.
 */
import {
  Answer,
  defineTool,
  type Request,
  Suspension,
  type Tool,
  Toolkit,
  type ToolkitService,
  ToolResult
} from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Policy from "../src/Policy.ts"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"
import { type Random, randomFrom } from "./generatedSchemas.ts"

const SEEDS = Number(process.env["SEEDS"] ?? 150)
const STEPS = 40

/** What has happened to one call, by its arguments. */
interface History {
  works: number
  isApproved: boolean
  isAnswered: boolean
  isRefused: boolean
}

interface World {
  readonly random: Random
  readonly histories: Map<number, History>
  /** Every request that ever left, as a host's store might still have it. */
  readonly stored: Array<string>
  readonly violations: Array<string>
  begun: number
}

const makeTool = (world: World): Tool.Tool =>
  defineTool({
    name: "work",
    handler: ({ n }, call) =>
      Effect.gen(function*() {
        const history = historyOf(world, Number(n))
        if (!history.isApproved) world.violations.push(`call ${Number(n)} ran without an approval`)
        yield* Effect.yieldNow
        if (call.resumed === undefined) {
          const now = yield* Clock.currentTimeMillis
          return yield* Suspension.request(call, {
            kind: "question",
            prompt: "Sure?",
            data: { schema: { type: "object", properties: { sure: { const: true } }, required: ["sure"] } },
            expiresAt: DateTime.formatIso(DateTime.makeUnsafe(now + 1000 + Math.floor(world.random() * 5000)))
          })
        }
        if (!history.isAnswered) world.violations.push(`call ${Number(n)} went on without an answer`)
        if (history.isRefused) world.violations.push(`call ${Number(n)} went on after a no`)
        history.works++
        return ToolResult.success("done")
      })
  })

const historyOf = ({ histories }: World, n: number): History => {
  const known = histories.get(n) ?? { works: 0, isApproved: false, isAnswered: false, isRefused: false }
  histories.set(n, known)
  return known
}

const store = (world: World, exit: Exit.Exit<unknown, unknown>): void => {
  const error = Exit.isFailure(exit)
    ? exit.cause.reasons.map((reason) => "error" in reason ? reason.error : undefined)[0]
    : undefined
  if (isSuspended(error)) world.stored.push(JSON.stringify(error.request))
}

const isSuspended = (error: unknown): error is { readonly request: Request.Request } =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ToolSuspended"

const begin = (world: World, toolkit: ToolkitService) =>
  Effect.map(Effect.exit(toolkit.call("work", { n: world.begun++ })), (exit) => store(world, exit))

/** Takes any request there ever was, answered or not, and answers it somehow. */
const answer = Effect.fnUntraced(function*(world: World, toolkit: ToolkitService) {
  const { random, stored } = world
  const text = stored[Math.floor(random() * stored.length)]
  if (text === undefined) return
  const request: Request.Request = JSON.parse(text)
  const history = historyOf(world, Number(request.call?.arguments["n"]))
  const choice = random()
  const given = choice < 0.5
    ? Answer.make(request, true, { sure: true })
    : choice < 0.65
    ? Answer.make(request, true, { sure: false })
    : choice < 0.75
    ? { ...Answer.make(request, true), id: "other" }
    : Answer.make(request, false)
  const isLive = !answered.has(request.id)
  // an approval asks for no data, so any will do
  const isYes = choice < (request.kind === "approval" ? 0.65 : 0.5)
  if (isYes && isLive) {
    if (request.kind === "approval") history.isApproved = true
    else history.isAnswered = true
  }
  const resume = Effect.exit(toolkit.resume(request, given))
  const exits = random() < 0.3
    ? yield* Effect.all([resume, resume], { concurrency: 2 })
    : random() < 0.2
    ? yield* interrupted(resume)
    : [yield* resume]
  for (const exit of exits) store(world, exit)
  if (isYes || choice >= 0.75) answered.add(request.id)
  if (choice >= 0.75 && isLive && request.kind !== "approval" && history.works === 0) history.isRefused = true
  if (exits.filter(Exit.isSuccess).length > 1) world.violations.push(`request ${request.id} was taken twice`)
})

/** Ids that got an answer which counts; ids are random, so all worlds may share them. */
const answered = new Set<string>()

/** A caller that goes away in the midst of it. */
const interrupted = Effect.fnUntraced(function*<A>(effect: Effect.Effect<A>) {
  const fiber = yield* Effect.forkChild(effect)
  yield* Effect.yieldNow
  yield* Fiber.interrupt(fiber)
  const exit = yield* Fiber.await(fiber)
  return Exit.isSuccess(exit) ? [exit.value] : []
})

const play = (seed: number) =>
  Effect.gen(function*() {
    const world: World = { random: randomFrom(seed), histories: new Map(), stored: [], violations: [], begun: 0 }
    yield* Effect.gen(function*() {
      const toolkit = yield* Toolkit
      for (let step = 0; step < STEPS; step++) {
        const choice = world.random()
        if (choice < 0.25) yield* begin(world, toolkit)
        else if (choice < 0.9) yield* answer(world, toolkit)
        else yield* TestClock.adjust(Math.floor(world.random() * 3000))
      }
    }).pipe(Effect.provide(
      ToolkitLayer.make([ExtraSource.layer([makeTool(world)])], { policy: [Policy.ask({ tool: "work" })] })
    ))
    for (const [n, { works }] of world.histories) {
      if (works > 1) world.violations.push(`call ${n} did its work ${works} times`)
    }
    return world
  })

describe("suspensions, in any order of events", () => {
  it.effect("do their work at most once, and never against a no", () =>
    Effect.gen(function*() {
      let works = 0
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { histories, violations } = yield* play(seed)
        assert.deepStrictEqual(violations, [], `seed ${seed}`)
        for (const history of histories.values()) works += history.works
      }
      // else nothing was tested
      assert.isAbove(works, SEEDS / 3)
    }), 30_000 + SEEDS * 200)
})
