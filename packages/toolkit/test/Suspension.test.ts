import {
  Answer,
  defineTool,
  type Json,
  Request,
  type Resolver,
  Suspension,
  type Tool,
  type ToolError,
  Toolkit,
  ToolResult
} from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as Policy from "../src/Policy.ts"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"
import { paint, pendingOf, use, yes } from "./suspending.ts"

/** Asks for what the schema says, and gives it back. */
const asks = (schema: Json.JsonObject) =>
  defineTool({
    name: "asks",
    handler: (_, call) =>
      call.resumed === undefined
        ? Suspension.request(call, { kind: "input", prompt: "How many?", data: { schema } })
        : ToolResult.success(JSON.stringify(call.resumed.answer.data))
  })

describe("a suspended call", () => {
  it.effect("comes back to the caller with all that is needed, as plain JSON", () =>
    use({ tools: [paint] }, ({ call, execute }) =>
      Effect.gen(function*() {
        const request = yield* pendingOf(call("paint", { wall: 3 }, { callId: "c1" }))
        const { id, ...rest } = request
        assert.match(id, /^[0-9a-f-]{36}$/)
        assert.deepStrictEqual(rest, {
          kind: "question",
          prompt: "Which colour?",
          call: { id: "c1", name: "paint", arguments: { wall: 3 } },
          state: { step: 1 }
        })
        assert.deepStrictEqual(Schema.decodeUnknownSync(Request.Request)(JSON.parse(JSON.stringify(request))), request)
        const result = yield* execute("paint")
        assert.deepStrictEqual([result.isError, result.output], [true, "Which colour?"])
        assert.deepNestedInclude(result, {
          "metadata.error": "ToolSuspended",
          "metadata.pending.prompt": "Which colour?"
        })
      })))

  it.effect("is answered inline by a resolver, whatever id its answer has", () => {
    const seen: Array<unknown> = []
    const waitFor: Resolver = (request, context) =>
      Effect.sync(() => {
        seen.push([request.kind, request.call?.name, context])
        return { id: "another", ok: true, data: "blue" }
      })
    return use({ tools: [paint], waitFor }, ({ call }) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* call("paint", {}, { context: "user 7" })).output, `["blue",{"step":1}]`)
        assert.deepStrictEqual(seen, [["question", "paint", "user 7"]])
      }))
  })

  it.effect("goes on on another toolkit, with the request read back from text", () =>
    Effect.gen(function*() {
      const stored = JSON.stringify(yield* use({ tools: [paint] }, ({ call }) => pendingOf(call("paint"))))
      const request = Schema.decodeUnknownSync(Request.Request)(JSON.parse(stored))
      const result = yield* use({ tools: [paint] }, ({ resume }) => resume(request, Answer.make(request, true, "red")))
      assert.strictEqual(result.output, `["red",{"step":1}]`)
    }))

  it.effect("two at once don't mix", () =>
    use({ tools: [paint] }, ({ call, resume }) =>
      Effect.gen(function*() {
        const [first, second] = yield* Effect.all([
          pendingOf(call("paint", { n: 1 })),
          pendingOf(call("paint", { n: 2 }))
        ], {
          concurrency: 2
        })
        assert.notStrictEqual(first.id, second.id)
        const crossed = yield* Effect.flip(resume(first, Answer.make(second, true, "x")))
        assert.strictEqual(crossed._tag, "InvalidArguments")
        assert.strictEqual((yield* resume(second, Answer.make(second, true, "b"))).output, `["b",{"step":1}]`)
        assert.strictEqual((yield* resume(first, Answer.make(first, true, "a"))).output, `["a",{"step":1}]`)
      })))

  it.effect("is taken once, also when two take it at once; an answer that was wrong may be given again", () =>
    use(
      { tools: [asks({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] })] },
      ({ call, resume }) =>
        Effect.gen(function*() {
          const request = yield* pendingOf(call("asks"))
          const wrong = yield* Effect.flip(resume(request, Answer.make(request, true, { n: "one" })))
          assert.deepInclude(wrong, {
            _tag: "InvalidArguments",
            issues: [{ path: "data.n", message: `expected an integer, got "one"` }]
          })
          const exits = yield* Effect.all(
            [1, 2].map((n) => Effect.exit(resume(request, Answer.make(request, true, { n })))),
            { concurrency: 2 }
          )
          assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false])
          const again = yield* Effect.flip(resume(request, Answer.make(request, true, { n: 1 })))
          assert.deepInclude(again, { _tag: "ToolDenied", rule: "already answered: How many?" })
        })
    ))

  it.effect("fills in what a form left empty", () =>
    use({
      tools: [asks({
        type: "object",
        properties: {
          n: { type: "integer", default: 3 },
          where: { type: "object", properties: { x: { type: "integer", default: 0 } } }
        },
        required: ["n"]
      })]
    }, ({ call, resume }) =>
      Effect.gen(function*() {
        const request = yield* pendingOf(call("asks"))
        assert.strictEqual((yield* resume(request, Answer.make(request, true))).output, `{"n":3}`)
        const other = yield* pendingOf(call("asks"))
        const given = yield* resume(other, Answer.make(other, true, { where: {} }))
        assert.strictEqual(given.output, `{"where":{"x":0},"n":3}`)
      })))

  it.effect("is over when the answer is no, and its tool doesn't run again", () =>
    Effect.gen(function*() {
      const rule = "declined/expired: Which colour?"
      const declined = yield* use(
        { tools: [paint], waitFor: (request) => Effect.succeed({ id: request.id, ok: false, reason: "declined" }) },
        ({ call }) => Effect.flip(call("paint"))
      )
      assert.deepInclude(declined, { _tag: "ToolDenied", rule })
      yield* use({ tools: [paint] }, ({ call, resume }) =>
        Effect.gen(function*() {
          const request = yield* pendingOf(call("paint"))
          assert.deepInclude(yield* Effect.flip(resume(request, Answer.make(request, false))), {
            _tag: "ToolDenied",
            rule
          })
          assert.strictEqual((yield* Effect.flip(resume(request, Answer.make(request, true))))._tag, "ToolDenied")
        }))
    }))

  it.effect("asks once: what it asks after that is a failure", () => {
    const stubborn = defineTool({
      name: "stubborn",
      handler: (_, call) => Suspension.request(call, { kind: "question", prompt: "Again?" })
    })
    return Effect.gen(function*() {
      const inline = yield* use({ tools: [stubborn], waitFor: yes() }, ({ call }) => Effect.flip(call("stubborn")))
      assert.deepInclude(inline, { _tag: "ToolFailed", message: "unresolved: Again?" })
      yield* use({ tools: [stubborn] }, ({ call, resume }) =>
        Effect.gen(function*() {
          const request = yield* pendingOf(call("stubborn"))
          const later = yield* Effect.flip(resume(request, Answer.make(request, true)))
          assert.deepInclude(later, { _tag: "ToolFailed", message: "unresolved: Again?" })
        }))
    })
  })

  it.effect("of a tool with more rounds asks that often, in one process or in many", () => {
    const withdrawn: Array<unknown> = []
    const counting: Tool.Tool = {
      ...defineTool({
        name: "counting",
        handler: (_, call) =>
          Suspension.request(call, { kind: "input", prompt: "Next?", state: 1 + Number(call.resumed?.state ?? 0) })
      }),
      suspension: { rounds: 3, withdraw: (state) => Effect.sync(() => withdrawn.push(state)) }
    }
    return Effect.gen(function*() {
      const inline = yield* use({ tools: [counting], waitFor: yes() }, ({ call }) => Effect.flip(call("counting")))
      assert.deepInclude(inline, { _tag: "ToolFailed", message: "unresolved: Next?" })
      assert.deepStrictEqual(withdrawn, [4])
      let request = yield* use({ tools: [counting] }, ({ call }) => pendingOf(call("counting")))
      for (let round = 2; round <= 3; round++) {
        request = yield* use(
          { tools: [counting] },
          ({ resume }) => pendingOf(resume(request, Answer.make(request, true)))
        )
      }
      const last = yield* use(
        { tools: [counting] },
        ({ resume }) => Effect.flip(resume(request, Answer.make(request, true)))
      )
      assert.strictEqual(last._tag, "ToolFailed")
      const no = yield* use(
        { tools: [counting] },
        ({ resume }) => Effect.flip(resume(request, Answer.make(request, false)))
      )
      assert.strictEqual(no._tag, "ToolDenied")
      assert.deepStrictEqual(withdrawn, [4, 4, 3])
    })
  })

  it.effect("expires, whether somebody is being asked or not", () => {
    const urgent = defineTool({
      name: "urgent",
      handler: (_, call) =>
        Suspension.request(call, { kind: "question", prompt: "Now?", expiresAt: "1970-01-01T00:00:10Z" })
    })
    return Effect.gen(function*() {
      const request = yield* use({ tools: [urgent] }, ({ call }) => pendingOf(call("urgent")))
      let isWithdrawn = false
      const asked = yield* Deferred.make<void>()
      const waitFor: Resolver = () =>
        Effect.andThen(Deferred.succeed(asked, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Effect.sync(() => isWithdrawn = true))
        )
      const fiber = yield* Effect.forkChild(
        use({ tools: [urgent], waitFor }, ({ call }) => Effect.flip(call("urgent")))
      )
      yield* Deferred.await(asked)
      yield* TestClock.adjust("11 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "ToolDenied", rule: "declined/expired: Now?" })
      assert.isTrue(isWithdrawn)
      const late = yield* use(
        { tools: [urgent] },
        ({ resume }) => Effect.flip(resume(request, Answer.make(request, true)))
      )
      assert.deepInclude(late, { _tag: "ToolDenied", rule: "declined/expired: Now?" })
    })
  })

  it.effect("is withdrawn from the host when its caller goes away", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const withdrawn = yield* Deferred.make<void>()
      const waitFor: Resolver = () =>
        Effect.andThen(Deferred.succeed(asked, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(withdrawn, undefined))
        )
      yield* use({ tools: [paint], waitFor }, ({ call }) =>
        Effect.gen(function*() {
          const fiber = yield* Effect.forkChild(call("paint"))
          yield* Deferred.await(asked)
          yield* Fiber.interrupt(fiber)
          yield* Deferred.await(withdrawn)
        }))
    }))

  it.effect.each<readonly [string, () => Resolver]>([
    ["throws", () => () => {
      throw new Error("secret")
    }],
    ["dies", () => () => Effect.die("secret")],
    ["interrupts itself", () => () => Effect.interrupt],
    // @ts-expect-error a host in plain JavaScript
    ["answers nonsense", () => () => Effect.succeed("yes")]
  ])(
    "is cancelled by a resolver that %s",
    ([, waitFor]) =>
      use({ tools: [paint], waitFor: waitFor() }, ({ call }) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(call("paint"))
          assert.deepInclude(error, { _tag: "ToolDenied", rule: "declined/expired: Which colour?" })
        }))
  )

  it.effect("says in the log what was wrong with a resolver's answer, and not what it held", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const log = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      // @ts-expect-error a host in plain JavaScript
      const waitFor: Resolver = ({ id }) => Effect.succeed({ id, ok: false, reason: "not on Fridays" })
      yield* use({ tools: [paint], waitFor }, ({ execute }) => Effect.provide(execute("paint"), log))
      assert.deepStrictEqual(logged, [
        "The resolver gave no answer, which counts as cancelled (answer.reason: must be \"declined\", \"cancelled\" or \"expired\", or be left out)"
      ])
    }))

  it.effect("doesn't spend its limit while people think, and spends it once over all rounds", () => {
    const slow = defineTool({
      name: "slow",
      handler: (_, call) =>
        Effect.andThen(
          Effect.sleep("600 millis"),
          call.resumed === undefined
            ? Suspension.request(call, { kind: "question", prompt: "Go on?" })
            : Effect.as(Effect.sleep(Number(call.resumed.answer.data)), "done")
        )
    })
    const run = (rest: number) =>
      use({
        tools: [slow],
        waitFor: (request) => Effect.delay(Effect.succeed(Answer.make(request, true, rest)), "1 hour")
      }, ({ call }) => Effect.exit(call("slow", {}, { timeout: 1500 })))
    return Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.all([run(100), run(500)], { concurrency: 2 }))
      yield* TestClock.adjust("2 hours")
      const [inTime, late] = yield* Fiber.join(fiber)
      assert.isTrue(Exit.isSuccess(inTime))
      assert.isTrue(Exit.isFailure(late))
    })
  })

  it.effect("sends people to no address that isn't safe", () => {
    const login = (url: string | undefined) =>
      defineTool({
        name: "login",
        handler: (_, call) =>
          Suspension.request(call, { kind: "authorization", prompt: "Log in", ...(url === undefined ? {} : { url }) })
      })
    return Effect.gen(function*() {
      for (
        const url of ["https://x.example/login", "http://localhost:8080/", "http://127.0.0.1/x", "http://[::1]:3/"]
      ) {
        const request = yield* use({ tools: [login(url)] }, ({ call }) => pendingOf(call("login")))
        assert.strictEqual(request.url, url)
      }
      for (
        const url of [
          "http://x.example",
          "javascript:alert(1)",
          "https://bank.example@evil.example/",
          "file:///etc/passwd",
          "http://127.0.0.1.evil.example",
          "nonsense",
          undefined
        ]
      ) {
        const error = yield* use({ tools: [login(url)] }, ({ call }) => Effect.flip(call("login")))
        assert.strictEqual(error._tag, "ToolFailed", url)
      }
    })
  })

  it.effect("inside another call is that call's", () => {
    const outer: Tool.Tool<Toolkit> = defineTool({
      name: "outer",
      handler: (_, call) =>
        call.resumed === undefined
          ? Effect.flatMap(Toolkit, (toolkit) => toolkit.call("paint"))
          : Effect.succeed(`outer got ${JSON.stringify(call.resumed.answer.data)}`)
    })
    return Effect.gen(function*() {
      const inner = ToolkitLayer.make([ExtraSource.layer([paint])])
      yield* Effect.provide(
        Toolkit.use(({ call, resume }) =>
          Effect.gen(function*() {
            const request = yield* pendingOf(call("outer"))
            assert.strictEqual(request.call?.name, "outer")
            assert.strictEqual((yield* resume(request, Answer.make(request, true, "blue"))).output, `outer got "blue"`)
          })
        ),
        Layer.provide(ToolkitLayer.make([ExtraSource.layer([outer])]), inner)
      )
    })
  })
})

describe("what comes from elsewhere", () => {
  it.effect("a time that can't be read is refused, and never means that there is no end", () =>
    Effect.gen(function*() {
      const at = (expiresAt: string) =>
        defineTool({
          name: "at",
          handler: (_, call) => Suspension.request(call, { kind: "question", prompt: "?", expiresAt })
        })
      for (
        const bad of [
          "",
          "0",
          "nonsense",
          "2020-13-45T00:00:00Z",
          "2026-02-30T00:00:00Z",
          " 2020-01-01T00:00:00Z",
          "2020-01-01"
        ]
      ) {
        const error = yield* use({ tools: [at(bad)] }, ({ call }) => Effect.flip(call("at")))
        assert.strictEqual(error._tag, "ToolFailed", bad)
        const request = yield* use({ tools: [paint] }, ({ call }) => pendingOf(call("paint")))
        const stored = { ...request, expiresAt: bad }
        const late = yield* use({ tools: [paint] }, ({ resume }) =>
          Effect.flip(resume(stored, Answer.make(stored, true))))
        assert.strictEqual(late._tag, "InvalidArguments", bad)
      }
      for (const past of ["1969-12-31T23:59:60Z", "1970-01-01T01:00:00+02:00", "1969-12-31t23:59:59.5z"]) {
        const request = yield* use({ tools: [paint] }, ({ call }) =>
          pendingOf(call("paint")))
        const stored = { ...request, expiresAt: past }
        const late = yield* use({ tools: [paint] }, ({ resume }) =>
          Effect.flip(resume(stored, Answer.make(stored, true))))
        assert.strictEqual(late._tag, "ToolDenied", past)
      }
    }))

  it.effect("an answer that says yes and no says no; one that is too deep or breaks its reader is none", () =>
    use({ tools: [paint] }, ({ call, resume }) =>
      Effect.gen(function*() {
        const request = yield* pendingOf(call("paint"))
        let deep: Json.Json = []
        for (let level = 0; level < 10_000; level++) deep = [deep]
        assert.strictEqual(
          (yield* Effect.flip(resume(request, Answer.make(request, true, deep))))._tag,
          "InvalidArguments"
        )
        const breaking = {
          id: request.id,
          get ok(): boolean {
            throw new Error("no")
          }
        }
        assert.strictEqual((yield* Effect.flip(resume(request, breaking)))._tag, "InvalidArguments")
        const both: Answer.Answer = { ...Answer.make(request, true), reason: "declined" }
        assert.strictEqual((yield* Effect.flip(resume(request, both)))._tag, "ToolDenied")
      })))

  it.effect("a resolver changes nothing of what runs by changing what it is shown", () => {
    const waitFor: Resolver = (request) =>
      Effect.sync(() => {
        Object.assign(request.call?.arguments ?? {}, { path: "/" })
        return Answer.make(request, true)
      })
    const show = defineTool({ name: "show", handler: (args) => JSON.stringify(args) })
    return use({ tools: [show], policy: [Policy.ask()], waitFor }, ({ call }) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* call("show", { path: "a" })).output, `{"path":"a"}`)
      }))
  })

  it.effect("a slip in the options doesn't use a request up", () =>
    use({ tools: [paint] }, ({ call, resume }) =>
      Effect.gen(function*() {
        const request = yield* pendingOf(call("paint"))
        const answer = Answer.make(request, true, "blue")
        assert.strictEqual((yield* Effect.flip(resume(request, answer, { timeout: 0 })))._tag, "InvalidArguments")
        assert.isFalse((yield* resume(request, answer)).isError)
      })))
})

describe("resume", () => {
  it.effect("says what is wrong with what it is given", () =>
    use({ tools: [paint] }, ({ call, resume, view }) =>
      Effect.gen(function*() {
        const request = yield* pendingOf(call("paint"))
        const answer = Answer.make(request, true)
        const { call: suspended, ...without } = request
        const cases: ReadonlyArray<readonly [Effect.Effect<unknown, ToolError.ToolError>, string, RegExp]> = [
          [resume(without, answer), "InvalidArguments", /request\.call: is missing/],
          [resume(request, { ...answer, id: "other" }), "InvalidArguments", /answer\.id: must be/],
          // @ts-expect-error from a file
          [resume({ id: 3 }, answer), "InvalidArguments", /is no request/],
          // @ts-expect-error from a form
          [resume(request, "yes"), "InvalidArguments", /is no answer/],
          [
            // @ts-expect-error a person's own words
            resume(request, { id: request.id, ok: false, reason: "not on Fridays" }),
            "InvalidArguments",
            /: answer\.reason: must be "declined", "cancelled" or "expired", or be left out$/
          ],
          [
            // @ts-expect-error from a form
            resume(request, { ok: "yes", data: () => "hush" }),
            "InvalidArguments",
            /answer\.id: must be .*answer\.ok: must be true or false.*answer\.data: must be JSON, or be left out$/
          ],
          [view({ exclude: ["paint"] }).resume(request, answer), "ToolNotFound", /Unknown tool: paint/],
          [resume({ ...request, call: { id: "c", name: "pant", arguments: {} } }, answer), "ToolNotFound", /pant/]
        ]
        for (const [effect, tag, message] of cases) {
          const error = yield* Effect.flip(effect)
          assert.strictEqual(error._tag, tag)
          assert.match(error.message, message)
        }
        assert.strictEqual(suspended?.name, "paint")
        assert.isFalse((yield* resume(request, answer)).isError)
      })))

  it.effect("checks the arguments again, and is refused by a closed toolkit", () =>
    Effect.gen(function*() {
      const strict = defineTool({
        name: "strict",
        input: { type: "object", properties: { n: { type: "integer" } } },
        handler: (_, call) =>
          call.resumed === undefined ? Suspension.request(call, { kind: "question", prompt: "?" }) : "done"
      })
      const [request, resume] = yield* use({ tools: [strict] }, (toolkit) =>
        Effect.map(pendingOf(toolkit.call("strict", { n: 1 })), (pending) =>
          [pending, toolkit.resume] as const))
      const forged: Request.Request = { ...request, call: { id: "c", name: "strict", arguments: { n: "one" } } }
      const error = yield* use({ tools: [strict] }, (toolkit) =>
        Effect.flip(toolkit.resume(forged, Answer.make(forged, true))))
      assert.strictEqual(error._tag, "InvalidArguments")
      assert.strictEqual((yield* Effect.flip(resume(request, Answer.make(request, true))))._tag, "ToolUnavailable")
    }))
})
