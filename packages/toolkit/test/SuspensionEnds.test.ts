/** Suspended calls that are over: answered inline, refused or given up, and what they left elsewhere. */
import { Answer, defineTool, Request, type Resolver, Suspension, type Tool } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Policy from "../src/Policy.ts"
import { pendingOf, use, yes } from "./suspending.ts"

describe("a request that was answered inline", () => {
  const runs: Array<unknown> = []
  const run = defineTool({ name: "run", handler: (args) => Effect.sync(() => String(runs.push(args))) })
  const policy = [Policy.ask()]

  it.effect("is over for everybody who still has it", () =>
    Effect.gen(function*() {
      for (const ok of [true, false]) {
        runs.length = 0
        let seen: Request.Request | undefined
        const waitFor: Resolver = (request) =>
          Effect.sync(() => {
            seen = request
            return Answer.make(request, ok)
          })
        yield* use({ tools: [run], policy, waitFor }, ({ call, resume }) =>
          Effect.gen(function*() {
            yield* Effect.exit(call("run"))
            const request = seen ?? (yield* Effect.die("nobody was asked"))
            const again = yield* Effect.flip(resume(request, Answer.make(request, true)))
            assert.match(again.message, /already answered/)
            assert.strictEqual(runs.length, ok ? 1 : 0)
          }))
      }
    }))

  it.effect("or by somebody to whom the resolver handed it: the first counts", () =>
    Effect.gen(function*() {
      runs.length = 0
      const handed = yield* Deferred.make<Request.Request>()
      const later = yield* Deferred.make<void>()
      const waitFor: Resolver = (request) =>
        Effect.as(Effect.andThen(Deferred.succeed(handed, request), Deferred.await(later)), Answer.make(request, true))
      yield* use({ tools: [run], policy, waitFor }, ({ call, resume }) =>
        Effect.gen(function*() {
          const fiber = yield* Effect.forkChild(Effect.flip(call("run")))
          const request = yield* Deferred.await(handed)
          assert.isFalse((yield* resume(request, Answer.make(request, true))).isError)
          yield* Deferred.succeed(later, undefined)
          assert.match((yield* Fiber.join(fiber)).message, /already answered/)
          assert.strictEqual(runs.length, 1)
        }))
    }))

  it.effect("runs nothing when its caller has gone", () =>
    Effect.gen(function*() {
      runs.length = 0
      const handed = yield* Deferred.make<Request.Request>()
      const waitFor: Resolver = (request) => Effect.andThen(Deferred.succeed(handed, request), Effect.never)
      yield* use({ tools: [run], policy, waitFor }, ({ call, resume }) =>
        Effect.gen(function*() {
          const fiber = yield* Effect.forkChild(call("run"))
          const request = yield* Deferred.await(handed)
          yield* Fiber.interrupt(fiber)
          assert.strictEqual((yield* Effect.flip(resume(request, Answer.make(request, true))))._tag, "ToolDenied")
          assert.deepStrictEqual(runs, [])
        }))
    }))
})

describe("what a suspended call left elsewhere", () => {
  const withdrawn: Array<unknown> = []
  const leaving = (question: Suspension.Question): Tool.Tool => ({
    ...defineTool({
      name: "leaving",
      handler: (_, call) =>
        call.resumed === undefined ? Suspension.request(call, { ...question, state: "task" }) : "done"
    }),
    suspension: { rounds: 10, withdraw: (state) => Effect.sync(() => withdrawn.push(state)) }
  })
  const plain = { kind: "input", prompt: "What?" }
  const strict = { ...plain, data: { schema: { type: "object", required: ["x"] } } }
  const policy = [Policy.ask()]
  const no: Resolver = (request) => Effect.succeed(Answer.make(request, false))

  it.effect.each<readonly [string, Effect.Effect<unknown, unknown>]>([
    ["the answer is no", use({ tools: [leaving(plain)], waitFor: no }, ({ call }) => call("leaving"))],
    [
      "the answer is wrong, and nobody can give another",
      use({ tools: [leaving(strict)], waitFor: yes({}) }, ({ call }) => call("leaving"))
    ],
    [
      "people would be sent to a bad place",
      use({ tools: [leaving({ ...plain, url: "http://x.example" })] }, ({ call }) => call("leaving"))
    ],
    [
      "an approval on the way is refused",
      Effect.gen(function*() {
        const question = yield* use({ tools: [leaving(plain)] }, ({ call }) => pendingOf(call("leaving")))
        const gate = yield* use(
          { tools: [leaving(plain)], policy },
          ({ resume }) => pendingOf(resume(question, Answer.make(question, true)))
        )
        return yield* use({ tools: [leaving(plain)], policy }, ({ resume }) => resume(gate, Answer.make(gate, false)))
      })
    ],
    [
      "a rule refuses it by now",
      Effect.gen(function*() {
        const question = yield* use({ tools: [leaving(plain)] }, ({ call }) => pendingOf(call("leaving")))
        const denying = { tools: [leaving(plain)], policy: [Policy.deny()] }
        return yield* use(denying, ({ resume }) => resume(question, Answer.make(question, true)))
      })
    ],
    [
      "its caller goes away",
      Effect.gen(function*() {
        const asked = yield* Deferred.make<void>()
        const waitFor: Resolver = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
        yield* use({ tools: [leaving(plain)], waitFor }, ({ call }) =>
          Effect.gen(function*() {
            const fiber = yield* Effect.forkChild(call("leaving"))
            yield* Deferred.await(asked)
            yield* Fiber.interrupt(fiber)
          }))
      })
    ]
  ])("is cleared up when %s", ([, effect]) =>
    Effect.gen(function*() {
      withdrawn.length = 0
      yield* Effect.exit(effect)
      assert.deepStrictEqual(withdrawn, ["task"])
    }))

  it.effect("stays where the request was handed out, and is no failure of whoever clears it up badly", () =>
    Effect.gen(function*() {
      withdrawn.length = 0
      yield* use({ tools: [leaving(plain)] }, ({ call }) => pendingOf(call("leaving")))
      assert.deepStrictEqual(withdrawn, [])
      const broken: Tool.Tool = {
        ...leaving(plain),
        suspension: {
          rounds: 1,
          withdraw: () => {
            throw new Error("broken")
          }
        }
      }
      const error = yield* use({ tools: [broken], waitFor: no }, ({ call }) => Effect.flip(call("leaving")))
      assert.strictEqual(error._tag, "ToolDenied")
    }))
})
