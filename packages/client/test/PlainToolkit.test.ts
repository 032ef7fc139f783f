import { Answer, defineTool, type Request, type ToolCall } from "@effect-toolnexus/core"
import { assertNothingLeft, ScriptedMcpServer } from "@effect-toolnexus/testing"
import { Policy } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile, spawn } from "node:child_process"
import { getEventListeners, once } from "node:events"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { createToolkit, type PlainToolkit } from "../src/index.ts"
import { paint } from "./support.ts"

const weather = defineTool({
  name: "weather",
  input: Schema.Struct({ city: Schema.String }),
  handler: async ({ city }) => await Promise.resolve(`sunny in ${city}`)
})

const create = (options: PlainToolkit.Options = {}) => createToolkit({ builtins: false, ...options })

const failureOf = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => "no failure", (error) => error)

const tagOf = (error: unknown) => error instanceof Error && "_tag" in error ? [error._tag, error.name] : error

const hanging: ScriptedMcpServer.ScriptedServer = { methods: { initialize: "hang" } }

describe("createToolkit", () => {
  it("builds a toolkit whose calls are Promises, and whose errors are plain ones with a tag", async () => {
    await using toolkit = await create({ tools: [weather], disableTools: ["nothing"] })
    assert.deepStrictEqual(await toolkit.toolNames(), ["weather"])
    assert.strictEqual((await toolkit.call("weather", { city: "Oslo" })).output, "sunny in Oslo")
    assert.strictEqual((await toolkit.call("weather", `{"city":"Rome"}`)).output, "sunny in Rome")
    assert.deepStrictEqual(tagOf(await failureOf(toolkit.call("wether"))), ["ToolNotFound", "ToolNotFound"])
    assert.deepStrictEqual(tagOf(await failureOf(toolkit.call("weather"))), ["InvalidArguments", "InvalidArguments"])
    assert.strictEqual((await toolkit.execute("wether")).output, "Unknown tool: wether")
    assert.strictEqual((await toolkit.get("weather"))?.name, "weather")
    assert.isUndefined(await toolkit.get("constructor"))
    assert.lengthOf(await toolkit.diagnostics(), 1)
  })

  it("says all that a toolkit does, and shows views", async () => {
    await using toolkit = await create({ tools: [weather, defineTool({ name: "a b", handler: () => "" })] })
    const view = toolkit.view({ exclude: ["weather"] })
    assert.deepStrictEqual(await view.toolNames(), ["a b"])
    assert.strictEqual((await view.execute("weather", { city: "Oslo" })).output, "Unknown tool: weather")
    const names = (await toolkit.toOpenAI()).map((each) => each.function.name)
    assert.match(names.join(), /^weather,a_b_\w+$/)
    assert.deepStrictEqual((await toolkit.toOpenAI({ mode: "responses", strict: true })).map(({ strict }) => strict), [
      true,
      true
    ])
    assert.deepStrictEqual((await toolkit.toAnthropic()).map(({ name }) => name), names)
    assert.lengthOf((await toolkit.toGemini())[0]?.functionDeclarations ?? [], 2)
    assert.property((await toolkit.toGemini({ mode: "openapi" }))[0]?.functionDeclarations[0], "parameters")
    assert.lengthOf(await toolkit.toBedrock(), 2)
    assert.deepStrictEqual((await toolkit.declare("common")).map(({ toolName }) => toolName), ["weather", "a b"])
    assert.deepStrictEqual(await toolkit.fromProvider("openai", names[1] ?? "", {}), { name: "a b", args: {} })
    assert.deepStrictEqual((await toolkit.check("gemini")).left_out, [])
    const snapshot = await toolkit.snapshot()
    assert.deepStrictEqual(
      [
        await toolkit.tools(),
        await toolkit.statuses(),
        await toolkit.errors(),
        await toolkit.sources(),
        await toolkit.shadowed(),
        await toolkit.entries(),
        await toolkit.skills(),
        await toolkit.skillsPrompt()
      ],
      [
        snapshot.tools,
        snapshot.statuses,
        snapshot.errors,
        snapshot.sources,
        snapshot.shadowed,
        snapshot.entries,
        snapshot.skills,
        snapshot.skillsPrompt
      ]
    )
  })

  it("tells changes until it is closed", async () => {
    const toolkit = await create({ tools: [weather] })
    const changes: Array<ReadonlyArray<string>> = []
    const following = (async () => {
      for await (const { added } of toolkit.changes()) {
        changes.push(added)
        if (changes.length === 1) await toolkit.register(defineTool({ name: "time", handler: () => "noon" }))
        else void toolkit.close()
      }
    })()
    await following
    assert.deepStrictEqual(changes, [[], ["time"]])
    assert.isFalse(await toolkit.unregister("never there"))
  })

  it("cancels what a signal aborts, and rejects with its reason", async () => {
    const interrupted = Promise.withResolvers<string>()
    const abort = new AbortController()
    const slow = defineTool({
      name: "slow",
      handler: (_, { signal }) =>
        new Promise<string>(() => {
          signal.addEventListener("abort", () => interrupted.resolve("aborted"))
          abort.abort(new Error("enough"))
        })
    })
    await using toolkit = await create({ tools: [slow, weather] })
    assert.deepInclude(await failureOf(toolkit.call("slow", {}, { signal: abort.signal })), { message: "enough" })
    assert.strictEqual(await interrupted.promise, "aborted")
    for (const call of [toolkit.call, toolkit.execute]) {
      const failure = await failureOf(call("weather", { city: "Oslo" }, { signal: AbortSignal.abort() }))
      assert.isTrue(failure instanceof DOMException && failure.name === "AbortError")
    }
  })

  it("leaves no listener on a signal that outlives its calls", async () => {
    await using toolkit = await create({ tools: [weather] })
    const { signal } = new AbortController()
    for (let count = 0; count < 100; count++) await toolkit.call("weather", { city: "Oslo" }, { signal })
    assert.lengthOf(getEventListeners(signal, "abort"), 0)
  })

  it("tells progress, and survives a listener that throws", async () => {
    const told: Array<ToolCall.Progress> = []
    const count = defineTool({
      name: "count",
      handler: (_, { progress }) => Effect.as(Effect.forEach([1, 2], (step) => progress({ progress: step })), "done")
    })
    await using toolkit = await create({ tools: [count] })
    const { output } = await toolkit.call("count", {}, {
      onProgress: (progress) => {
        told.push(progress)
        throw new Error("broken listener")
      }
    })
    assert.deepStrictEqual([output, told], ["done", [{ progress: 1 }, { progress: 2 }]])
    const onProgress = () => Promise.reject(new Error("broken listener"))
    assert.strictEqual((await toolkit.call("count", {}, { onProgress })).output, "done")
  })

  it("hands the caller's context and id on", async () => {
    const who = defineTool({ name: "who", handler: (_, { context, id }) => ({ context: String(context), id }) })
    await using toolkit = await create({ tools: [who] })
    assert.deepStrictEqual((await toolkit.call("who", {}, { context: "ann", callId: "c1" })).structured, {
      context: "ann",
      id: "c1"
    })
  })

  it("lets a resolver in plain terms answer; one that rejects has cancelled", async () => {
    const asked: Array<readonly [string, unknown, boolean]> = []
    const options = (answer: (request: Request.Request) => Answer.Answer | Promise<Answer.Answer>) => ({
      tools: [weather],
      policy: [Policy.ask()],
      waitFor: (request: Request.Request, { context, signal }: { context: unknown; signal: AbortSignal }) => {
        asked.push([request.kind, context, signal.aborted])
        return answer(request)
      }
    })
    const outcome = async (answer: (request: Request.Request) => Answer.Answer | Promise<Answer.Answer>) => {
      await using toolkit = await create(options(answer))
      const { isError, output } = await toolkit.execute("weather", { city: "Oslo" }, { context: "ann" })
      return [isError, output]
    }
    assert.deepStrictEqual(await outcome((request) => Answer.make(request, true)), [false, "sunny in Oslo"])
    assert.deepStrictEqual(await outcome((request) => Promise.resolve(Answer.make(request, true))), [
      false,
      "sunny in Oslo"
    ])
    assert.strictEqual((await outcome(() => Promise.reject(new Error("gone"))))[0], true)
    assert.strictEqual(
      (await outcome(() => {
        throw new Error("broken")
      }))[0],
      true
    )
    assert.deepStrictEqual(asked, Array.from({ length: 4 }, () => ["approval", "ann", false]))
  })

  it("gives the request back where nobody answers, and goes on with it in another toolkit", async () => {
    const suspended = await (async () => {
      await using toolkit = await create({ tools: [paint] })
      assert.isFalse(await toolkit.needsApproval("paint"))
      return await toolkit.execute("paint")
    })()
    await using toolkit = await create({ tools: [paint] })
    const request = JSON.parse(JSON.stringify(suspended.metadata?.["pending"]))
    assert.strictEqual((await toolkit.resume(request, Answer.make(request, true, "blue"))).output, `painted it "blue"`)
    assert.deepStrictEqual(tagOf(await failureOf(toolkit.resume(request, Answer.make(request, true, "red")))), [
      "ToolDenied",
      "ToolDenied"
    ])
  })

  it("is closed once, and then answers that it is closed", async () => {
    const slow = defineTool({ name: "slow", handler: () => Effect.never })
    const toolkit = await create({ tools: [slow, weather] })
    const running = failureOf(toolkit.call("slow"))
    await Promise.all([toolkit.close(), toolkit.close()])
    await toolkit.close()
    await toolkit[Symbol.asyncDispose]()
    assert.deepStrictEqual(tagOf(await running), ["ToolUnavailable", "ToolUnavailable"])
    assert.deepStrictEqual(tagOf(await failureOf(toolkit.call("weather", { city: "Oslo" }))), [
      "ToolUnavailable",
      "ToolUnavailable"
    ])
    assert.include((await toolkit.execute("weather")).output, "closed")
  })

  it("rejects where a required entry has failed, or an option makes no sense", async () => {
    const config = { mcpServers: { gone: { command: "/does/not/exist", required: true } } }
    const error = await failureOf(create({ config }))
    assert.deepStrictEqual(tagOf(error), ["RequiredEntriesFailed", "RequiredEntriesFailed"])
    assert.include(String(error), "gone")
    assert.instanceOf(await failureOf(create({ maxOutput: -1 })), TypeError)
    const told = async (options: object) => String(await failureOf(create(options)))
    assert.strictEqual(
      await told({ polcy: [] }),
      `TypeError: "polcy" is no option of a toolkit; did you mean "policy"?`
    )
    assert.match(await told({ precedence: "layered" }), /^TypeError: precedence must be Precedence.standard/)
    assert.match(await told({ tools: { a: 1 } }), /^TypeError: tools must be a list/)
    const wrongs = {
      skills: 42,
      skillDefs: {},
      skillsFilter: ["a"],
      skillSampleLimit: "3",
      disableSkills: "a",
      agents: "http://agent.example",
      disableTools: "bash",
      middleware: {},
      startup: "bg",
      policy: {},
      watch: "yes",
      promptBudget: "many"
    }
    for (const [key, value] of Object.entries(wrongs)) {
      assert.match(await told({ [key]: value }), new RegExp(`^TypeError: ${key} must be `))
    }
    assert.match(await told({ policy: [{ deny: "bash" }] }), /Policy\.deny makes, but the effect of one is undefined/)
    assert.match(await told({ mcpServers: {} }), /"mcpServers" is no option .* into config: { mcpServers: \.\.\. }/)
    await using toolkit = await create()
    // @ts-expect-error as a program without a compiler may have it
    const wrong = await failureOf(toolkit.toAiSdk({ target: "google" }))
    assert.include(String(wrong), "\"google\" is no provider that is known here; there are openai, openai-responses")
  })

  it.live("leaves nothing where its build is aborted, or it is closed", () =>
    assertNothingLeft(Effect.promise(async () => {
      const server = ScriptedMcpServer.command(hanging)
      const abort = new AbortController()
      void setTimeout(300).then(() => abort.abort(new Error("no patience")))
      const error = await failureOf(create({ config: { mcpServers: { server } }, signal: abort.signal }))
      assert.deepInclude(error, { message: "no patience" })
      // also one that would be done at once
      const before = await failureOf(create({ tools: [weather], signal: AbortSignal.abort(new Error("too late")) }))
      assert.deepInclude(before, { message: "too late" })
      const echo = ScriptedMcpServer.command({ tools: [{ name: "echo" }] })
      const toolkit = await create({ config: { mcpServers: { echo } } })
      assert.deepStrictEqual(await toolkit.toolNames(), ["echo_echo"])
      await toolkit.close()
    })))

  it(
    "keeps no process alive once it is closed, and writes nothing to standard output",
    { timeout: 60_000 },
    async () => {
      const program = join(import.meta.dirname, "fixtures/closing.ts")
      const { stderr, stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 50_000 })
      assert.strictEqual(stdout, `{"output":"kept","closed":true}\n`)
      assert.include(stderr, "A tool broke unexpectedly")
    }
  )

  it("takes no signal that can't be waited for", async () => {
    const told = async (options: object) => String(await failureOf(create(options)))
    assert.include(await told({ closeOn: ["SIGKILL"] }), "TypeError: closeOn must be a list of SIGINT, SIGTERM, SIGHUP")
    assert.include(await told({ closeOn: "SIGINT" }), "TypeError: closeOn must be a list")
    assert.include(await told({ closeon: ["SIGINT"] }), "did you mean \"closeOn\"?")
  })

  it.live("listens to signals only while a toolkit is open", () =>
    assertNothingLeft(Effect.promise(async () => {
      const before = process.listenerCount("SIGHUP")
      const many = await Promise.all(Array.from({ length: 20 }, () => create({ closeOn: ["SIGHUP", "SIGHUP"] })))
      assert.strictEqual(process.listenerCount("SIGHUP"), before + 1)
      await Promise.all(many.map((toolkit) => toolkit.close()))
      const config = { mcpServers: { gone: { command: "/does/not/exist", required: true } } }
      await failureOf(create({ config, closeOn: ["SIGHUP"] }))
      await failureOf(create({ signal: AbortSignal.abort(), closeOn: ["SIGHUP"] }))
      assert.strictEqual(process.listenerCount("SIGHUP"), before)
    })))

  it.each(
    [
      ["running", "SIGINT", "SIGINT"],
      ["running", "SIGTERM", "SIGTERM"],
      ["running", "SIGHUP", "SIGHUP"],
      ["two", "SIGINT", "SIGINT"],
      ["building", "SIGINT", "SIGINT"],
      ["hanging", "SIGINT", 130],
      ["exit", undefined, 3],
      ["throw", undefined, 1]
    ] as const
  )("leaves no process where the program ends: %s %s", { timeout: 60_000 }, async (how, signal, ending) => {
    const program = spawn(process.execPath, [join(import.meta.dirname, "fixtures/ending.ts"), how])
    const exited = once(program, "exit")
    const groups = decodePids(String((await once(program.stdout, "data"))[0]))
    try {
      assert.isAtLeast(groups.length, how === "building" ? 1 : 2)
      if (signal !== undefined) program.kill(signal)
      const [exitCode, endedBy] = await exited
      assert.strictEqual(exitCode ?? endedBy, ending)
      assert.deepStrictEqual(await aliveIn(groups), [])
    } finally {
      program.kill("SIGKILL")
      groups.forEach(killGroup)
    }
  })
})

const killGroup = (leader: number): void => {
  try {
    process.kill(-leader, "SIGKILL")
  } catch {
    // it is gone, as it should be
  }
}

const decodePids = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.Int)))

/** What is left in these process groups, a moment after they were killed. Where nobody reaps orphans they stay as zombies. */
const aliveIn = async (groups: ReadonlyArray<number>): Promise<ReadonlyArray<string>> => {
  let left: ReadonlyArray<string> = []
  for (let tries = 0; tries < 40; tries++) {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pgid=,stat=,args="])
    left = stdout.split("\n").filter((line) => {
      const [group, state] = line.trim().split(/\s+/)
      return groups.includes(Number(group)) && state?.startsWith("Z") === false
    })
    if (left.length === 0) return left
    await setTimeout(50)
  }
  return left
}
