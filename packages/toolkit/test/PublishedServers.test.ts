/** Servers that other people wrote, the stubborn and the noisy among them, side by side in one toolkit. */
import { Toolkit } from "@effect-toolnexus/core"
import type * as ProviderSchema from "@effect-toolnexus/core/ProviderSchema"
import { McpSource } from "@effect-toolnexus/mcp"
import { assertNothingLeft, NothingLeft } from "@effect-toolnexus/testing"
import { ToolkitLive } from "@effect-toolnexus/toolkit"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Rules from "./providerRules.ts"
import { configurationOf, type PublishedServer, publishedServers } from "./publishedServers.ts"

type Servers = Readonly<Record<string, PublishedServer>>

/** Closing waits half a second for a server that ignores the end of its stdin, and as long again before it kills. */
const LONGEST_CLOSE = 5000

const assertConnected = Effect.fnUntraced(function*(servers: Servers) {
  const toolkit = yield* Toolkit
  assert.deepStrictEqual({ ...yield* toolkit.errors }, {})
  const statuses = yield* toolkit.statuses
  const entries = (yield* toolkit.entries).filter(({ kind }) => kind === "mcp")
  assert.deepStrictEqual(
    entries.map(({ entry, id }) => [id, statuses[id], entry.tools.length]),
    Object.entries(servers).map(([name, { tools }]) => [name, "connected", tools])
  )
  assert.deepStrictEqual((yield* toolkit.diagnostics).map(({ code, entry }) => [code, entry]), [
    ["stdout-noise", "code-runner"],
    ["stdout-noise", "time"]
  ])
})

const sanitize = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, "_")

const assertNamed = Effect.fnUntraced(function*(servers: Servers) {
  const toolkit = yield* Toolkit
  const toolNames = yield* toolkit.toolNames
  assert.strictEqual(toolNames.length, Object.values(servers).reduce((sum, { tools }) => sum + tools, 0))
  assert.strictEqual(new Set(toolNames).size, toolNames.length)
  for (const { name, origin } of yield* toolkit.tools) {
    assert.strictEqual(name, `${sanitize(origin.entry)}_${sanitize(origin.name)}`)
  }
})

type ProviderTool =
  | ProviderSchema.OpenAIChatTool
  | ProviderSchema.OpenAIResponsesTool
  | ProviderSchema.AnthropicTool
  | ProviderSchema.GeminiTool
  | ProviderSchema.GeminiOpenApiTool
  | ProviderSchema.BedrockTool

interface Way {
  readonly provider: ProviderSchema.Provider
  readonly options?: ProviderSchema.ProviderOptions
  readonly render: (toolkit: Toolkit["Service"]) => Effect.Effect<ReadonlyArray<ProviderTool>>
  readonly check: (tools: unknown) => ReadonlyArray<string>
  /** What alone is wrong with the whole list: it is never cut, even where a provider takes fewer tools at once. */
  readonly excess?: string
}

const openAIExcess = "#: more than 128 tools"
const geminiExcess = "#/0/functionDeclarations: more than 512 tools"

const ways: Readonly<Record<string, Way>> = {
  "OpenAI chat": {
    provider: "openai",
    render: (toolkit) => toolkit.toOpenAI(),
    check: Rules.checkOpenAIChat,
    excess: openAIExcess
  },
  "OpenAI chat, strict": {
    provider: "openai",
    options: { strict: true },
    render: (toolkit) => toolkit.toOpenAI({ strict: true }),
    check: Rules.checkOpenAIChat,
    excess: openAIExcess
  },
  "OpenAI responses": {
    provider: "openai-responses",
    render: (toolkit) => toolkit.toOpenAI({ mode: "responses" }),
    check: Rules.checkOpenAIResponses,
    excess: openAIExcess
  },
  "OpenAI responses, strict": {
    provider: "openai-responses",
    options: { strict: true },
    render: (toolkit) => toolkit.toOpenAI({ mode: "responses", strict: true }),
    check: Rules.checkOpenAIResponses,
    excess: openAIExcess
  },
  Anthropic: {
    provider: "anthropic",
    render: (toolkit) => toolkit.toAnthropic(),
    check: Rules.checkAnthropic
  },
  Gemini: {
    provider: "gemini",
    render: (toolkit) => toolkit.toGemini(),
    check: Rules.checkGemini,
    excess: geminiExcess
  },
  "Gemini, openapi": {
    provider: "gemini",
    options: { mode: "openapi" },
    render: (toolkit) => toolkit.toGemini({ mode: "openapi" }),
    check: Rules.checkGeminiOpenApi,
    excess: geminiExcess
  },
  Bedrock: {
    provider: "bedrock",
    render: (toolkit) => toolkit.toBedrock(),
    check: Rules.checkBedrock
  }
}

const countOf = (tools: ReadonlyArray<ProviderTool>): number =>
  tools.reduce((sum, tool) => sum + ("functionDeclarations" in tool ? tool.functionDeclarations.length : 1), 0)

const assertAccepted = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  const { length } = yield* toolkit.tools
  for (const [way, { check, excess, options, provider, render }] of Object.entries(ways)) {
    const report = yield* toolkit.check(provider, options)
    assert.deepStrictEqual(report.left_out, [], way)
    const limits = report.notes.filter(({ kind }) => kind === "limit")
    assert.strictEqual(limits.length, excess === undefined ? 0 : 1, way)
    const tools = yield* render(toolkit)
    assert.strictEqual(countOf(tools), length, way)
    assert.deepStrictEqual(check(tools), excess === undefined ? [] : [excess], way)
  }
})

const assertAnswers = Effect.fnUntraced(function*(name: string, { call }: PublishedServer) {
  const toolkit = yield* Toolkit
  const { metadata, output } = yield* toolkit.execute(`${sanitize(name)}_${sanitize(call.tool)}`, call.args)
  assert.match(output, call.answer, name)
  // an error is fine where it is the server's own
  assert.include([undefined, "ToolFailed"], metadata?.["error"], name)
})

const pids = Effect.gen(function*() {
  const connections = yield* McpSource.use((source) => source.connections)
  return [...connections.values()].flatMap(({ pid }) => pid ?? [])
})

/** Gives what closing has to end, and when it begins. */
const useEverything = Effect.fnUntraced(function*(servers: Servers) {
  yield* assertConnected(servers)
  yield* assertNamed(servers)
  yield* assertAccepted
  yield* Effect.forEach(Object.entries(servers), ([name, server]) => assertAnswers(name, server), {
    concurrency: "unbounded",
    discard: true
  })
  const running = yield* pids
  assert.strictEqual(running.length, Object.keys(servers).length)
  return { running, closing: yield* Clock.currentTimeMillis }
})

describe("published servers", () => {
  it.live(
    "are all listed, taken by each provider and callable, and leave nothing",
    () =>
      assertNothingLeft(
        Effect.gen(function*() {
          const folder = yield* FileSystem.FileSystem.use((fs) => fs.makeTempDirectoryScoped())
          const servers = publishedServers(folder)
          const { closing, running } = yield* useEverything(servers).pipe(
            Effect.provide(ToolkitLive({ config: configurationOf(servers, folder), builtins: false }))
          )
          const took = (yield* Clock.currentTimeMillis) - closing
          assert.isBelow(took, LONGEST_CLOSE)
          assert.deepStrictEqual(yield* Effect.filter(running, NothingLeft.alive), [])
        }).pipe(Effect.provide(NodeFileSystem.layer))
      ),
    180_000
  )
})
