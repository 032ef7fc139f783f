import {
  Answer,
  defineTool,
  type Resolver,
  Source,
  SourceEntry,
  type Tool,
  type ToolError,
  Toolkit
} from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Policy from "../src/Policy.ts"
import * as ToolkitLayer from "../src/ToolkitLayer.ts"

const own = (name: string, annotations: Tool.ToolAnnotations = {}) =>
  defineTool({ name, annotations, handler: () => "ran" })

const foreign = (name: string, source: "mcp" | "a2a" | "http", annotations: Tool.ToolAnnotations = {}): Tool.Tool => ({
  ...defineTool({ name: `srv_${name}`, source, annotations, handler: () => "ran" }),
  origin: { kind: source, entry: "srv", name }
})

const entry = (tools: ReadonlyArray<Tool.Tool>, trusted: boolean) =>
  Source.fromEntries("mcp", [SourceEntry.loaded("srv", { tools, trusted })])

const tagOf = (error: ToolError.ToolError) => error._tag

/** What becomes of a call of each tool: its output, or the tag of its error. */
const outcomes = (policy: Policy.Policy, tools: ReadonlyArray<Tool.Tool>, isTrusted = false) => {
  const [theirs, ours] = [
    tools.filter(({ origin }) => origin.entry === "srv"),
    tools.filter(({ origin }) => origin.entry === "")
  ]
  return Effect.provide(
    Toolkit.use(({ call }) =>
      Effect.forEach(
        tools,
        ({ name }) => Effect.match(call(name), { onFailure: tagOf, onSuccess: ({ output }) => output })
      )
    ),
    ToolkitLayer.make([entry(theirs, isTrusted), ExtraSource.layer(ours)], { policy })
  )
}

describe("a policy", () => {
  it.effect("allows what no rule is for, and the first rule that fits decides", () =>
    Effect.gen(function*() {
      const tools = [own("a"), own("b"), own("c")]
      assert.deepStrictEqual(yield* outcomes([], tools), ["ran", "ran", "ran"])
      const policy = [Policy.allow({ tool: "a" }), Policy.ask({ tool: "b" }), Policy.deny({ tool: "*" })]
      assert.deepStrictEqual(yield* outcomes(policy, tools), ["ran", "ToolSuspended", "ToolDenied"])
    }))

  it.effect("says beforehand which calls it would ask for, where nobody answers inline", () =>
    Effect.gen(function*() {
      const bash = defineTool({
        name: "bash",
        input: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
        handler: () => "ran"
      })
      const policy = [
        Policy.allow({ tool: "bash", when: ({ command }) => command === "ls" }),
        Policy.ask({ tool: "bash" }),
        Policy.deny()
      ]
      const asked = (waitFor?: Resolver) =>
        Effect.provide(
          Toolkit.use(({ needsApproval }) =>
            Effect.all([
              needsApproval("bash", { command: "rm" }),
              needsApproval("bash", `{"command":"rm"}`),
              needsApproval("bash", { command: "ls" }),
              needsApproval("bash", { command: 1 }),
              needsApproval("bash", "no JSON"),
              needsApproval("other"),
              needsApproval("unknown")
            ])
          ),
          ToolkitLayer.make([ExtraSource.layer([bash, own("other")])], {
            policy,
            ...(waitFor === undefined ? {} : { waitFor })
          })
        )
      assert.deepStrictEqual(yield* asked(), [true, true, false, false, false, false, false])
      const yes: Resolver = (request) => Effect.succeed(Answer.make(request, true))
      assert.deepStrictEqual(yield* asked(yes), Array.from({ length: 7 }, () => false))
    }))

  it.effect("knows a tool by its source, its entry, its name here and its name there (B056)", () =>
    Effect.gen(function*() {
      const tools = [foreign("drop.table", "mcp"), own("drop.table")]
      const cases: ReadonlyArray<readonly [Policy.Scope, ReadonlyArray<string>]> = [
        [{ source: "mcp" }, ["ToolDenied", "ran"]],
        [{ entry: "s*v" }, ["ToolDenied", "ran"]],
        [{ entry: "srv", tool: "drop.table" }, ["ToolDenied", "ran"]],
        [{ tool: "srv_drop.table" }, ["ToolDenied", "ran"]],
        [{ tool: "drop*" }, ["ToolDenied", "ToolDenied"]],
        [{ source: "native", tool: "*table" }, ["ran", "ToolDenied"]],
        [{ tool: "srv_drop_table" }, ["ran", "ran"]]
      ]
      for (const [scope, expected] of cases) {
        assert.deepStrictEqual(yield* outcomes([Policy.deny(scope)], tools), expected, JSON.stringify(scope))
      }
    }))

  it.effect("looks at arguments that were checked; a predicate that breaks is never a yes", () =>
    Effect.gen(function*() {
      const bash = defineTool({
        name: "bash",
        input: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
        handler: ({ command }) => `ran ${JSON.stringify(command)}`
      })
      const policy = [
        Policy.allow({
          tool: "bash",
          when: ({ command }) => typeof command === "string" && command.startsWith("git ")
        }),
        Policy.deny({ tool: "bash", reason: "only git" })
      ]
      const broken = () => {
        throw new Error("broken")
      }
      yield* Effect.provide(
        Toolkit.use(({ call }) =>
          Effect.gen(function*() {
            assert.strictEqual((yield* call("bash", { command: "git log" })).output, `ran "git log"`)
            const denied = yield* Effect.flip(call("bash", { command: "rm -rf /" }))
            assert.deepInclude(denied, { _tag: "ToolDenied", rule: "deny tool=bash: only git" })
            assert.strictEqual((yield* Effect.flip(call("bash", { command: 3 })))._tag, "InvalidArguments")
          })
        ),
        ToolkitLayer.make([ExtraSource.layer([bash])], { policy })
      )
      const tools = [own("t")]
      assert.deepStrictEqual(yield* outcomes([Policy.allow({ when: broken }), Policy.deny()], tools), ["ToolDenied"])
      assert.deepStrictEqual(yield* outcomes([Policy.deny({ when: broken })], tools), ["ToolDenied"])
      assert.deepStrictEqual(yield* outcomes([Policy.ask({ when: broken })], tools), ["ToolSuspended"])
    }))

  it.effect("lets no server call its tool by the name of one that is allowed", () =>
    Effect.gen(function*() {
      const tools = [foreign("read", "mcp"), own("read")]
      const policy = [Policy.allow({ tool: "read" }), Policy.deny()]
      assert.deepStrictEqual(yield* outcomes(policy, tools), ["ToolDenied", "ran"])
      const named = [Policy.allow({ entry: "srv", tool: "read" }), Policy.deny()]
      assert.deepStrictEqual(yield* outcomes(named, tools), ["ran", "ToolDenied"])
    }))

  it.effect("takes only a yes for a yes, and rules that it knows", () =>
    Effect.gen(function*() {
      const later = async () => {
        throw new Error("later")
      }
      const tools = [own("t")]
      // @ts-expect-error a predicate that has to be waited for
      assert.deepStrictEqual(yield* outcomes([Policy.allow({ when: later }), Policy.deny()], tools), ["ToolDenied"])
      // @ts-expect-error the same
      assert.deepStrictEqual(yield* outcomes([Policy.deny({ when: later })], tools), ["ToolDenied"])
      // @ts-expect-error a rule in plain JavaScript
      const exit = yield* Effect.exit(Effect.suspend(() => outcomes([{ effect: "Deny" }], tools)))
      assert.match(String(exit), /A rule of a policy is what [^"]* makes, but the effect of one is \\?"Deny/)
    }))

  it("refuses a rule that would be for more than it says", () => {
    const make = (scope: unknown) => () => Reflect.apply(Policy.allow, undefined, [scope])
    assert.throws(make({ tol: "read" }), `"tol" is no option of a policy's rule; did you mean "tool"?`)
    assert.throws(make({ name: "read" }), /"name" is no option of a policy's rule; there are source, entry, tool,/)
    for (const scope of ["read", ["read"], null]) assert.throws(make(scope), TypeError)
    const wrongs = { source: 1, entry: ["srv"], tool: /read/, tools: ["read"], when: true, reason: 1 }
    for (const [key, value] of Object.entries(wrongs)) {
      assert.throws(make({ [key]: value }), `The ${key} of a policy's rule must be a `)
    }
    // a name that isn't there after all
    assert.throws(make({ tool: undefined }), "The tool of a policy's rule must be a text")
    assert.deepStrictEqual(Policy.ask(), { effect: "ask" })
  })

  it.effect("refuses such a rule where it is written by hand, too", () =>
    Effect.gen(function*() {
      for (const rule of [{ effect: "deny", tol: "t" }, { effect: "deny", tool: 1 }, null]) {
        // @ts-expect-error a rule in plain JavaScript
        const exit = yield* Effect.exit(Effect.suspend(() => outcomes([rule], [own("t")])))
        assert.match(String(exit), /TypeError: .*(?:did you mean|must be a text|Policy\.deny makes)/)
      }
      assert.deepStrictEqual(yield* outcomes([{ effect: "deny", tool: "t" }], [own("t")]), ["ToolDenied"])
    }))

  it.effect("shows every argument of what is to be approved, however long another is", () =>
    Effect.provide(
      Toolkit.use(({ call }) =>
        Effect.gen(function*() {
          const hiding = { description: `list files ${" ".repeat(1000)}`, command: "rm -rf ~" }
          const error = yield* Effect.flip(call("bash", hiding))
          assert.include(error.message, `"command":"rm -rf ~"`)
          assert.include(error.message, "more…")
          const shown = yield* Effect.flip(
            call("bash", JSON.stringify({ a: 1 }).replace("1", "[".repeat(490) + "]".repeat(490)))
          )
          assert.strictEqual(shown._tag, "ToolSuspended")
        })
      ),
      ToolkitLayer.make([ExtraSource.layer([own("bash")])], { policy: [Policy.ask()] })
    ))

  it.effect("that asks for what destroys believes hints of ours and of trusted entries only", () =>
    Effect.gen(function*() {
      const [destructive, harmless] = [{ destructiveHint: true }, { destructiveHint: false, readOnlyHint: true }]
      const tools = [
        own("a", destructive),
        own("b", harmless),
        own("c"),
        foreign("d", "mcp", destructive),
        foreign("e", "mcp", harmless),
        foreign("f", "a2a"),
        foreign("g", "http", harmless)
      ]
      const [ask, run] = ["ToolSuspended", "ran"]
      assert.deepStrictEqual(yield* outcomes(Policy.askDestructive, tools), [ask, run, run, ask, ask, ask, ask])
      assert.deepStrictEqual(yield* outcomes(Policy.askDestructive, tools, true), [ask, run, run, ask, run, run, run])
    }))

  it.effect("says which of its rules are for no tool there is", () =>
    Effect.provide(
      Toolkit.use(({ diagnostics, register }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* diagnostics, [{
            level: "warning",
            code: "unmatched-rule",
            path: "policy.1",
            message: `The rule "deny tool=mcp__srv__drop: never" is for no tool there is`
          }])
          yield* register(own("mcp__srv__drop"))
          assert.deepStrictEqual(yield* diagnostics, [])
        })
      ),
      ToolkitLayer.make([ExtraSource.layer([own("a")])], {
        policy: [Policy.ask({ tool: "a" }), Policy.deny({ tool: "mcp__srv__drop", reason: "never" })]
      })
    ))
})
