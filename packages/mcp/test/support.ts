/** What the tests of this package share: the platform, the scripted server, and a look at live processes. */
import { Environment } from "@effect-toolnexus/core/Environment"
import { Source } from "@effect-toolnexus/core/Source"
import type { SourceEntry } from "@effect-toolnexus/core/SourceEntry"
import type { Tool } from "@effect-toolnexus/core/Tool"
import * as ToolCall from "@effect-toolnexus/core/ToolCall"
import { McpConfig, McpSession, McpSource } from "@effect-toolnexus/mcp"
import * as NodeHttp from "@effect-toolnexus/toolkit/NodeHttp"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const platform = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeHttp.layer))
)

export const folder = fileURLToPath(new URL("fixtures", import.meta.url))
export const script = fileURLToPath(new URL("fixtures/server.mjs", import.meta.url))

/** The scripted server, told what to do. */
export const scripted = (options: object = {}, config: object = {}): McpConfig.McpServerDefinition =>
  define({ command: process.execPath, args: [script, JSON.stringify(options)], ...config })

export const define = (config: unknown): McpConfig.McpServerDefinition => ({ config, folder, path: "mcpServers.x" })

export type Servers = Readonly<Record<string, McpConfig.McpServerDefinition>>

export interface Opened {
  readonly entries: Effect.Effect<ReadonlyArray<SourceEntry>>
  readonly ref: SubscriptionRef.SubscriptionRef<ReadonlyArray<SourceEntry>>
  readonly source: McpSource["Service"]
}

/** A source in the test's scope, all of its servers settled. */
export const open = Effect.fnUntraced(function*(servers: Servers) {
  const context = yield* Layer.build(McpSource.layer({ servers: Object.entries(servers) }))
  const built = Context.get(context, Source)
  yield* Source.settled(built)
  const ref = built.entries
  const opened: Opened = { entries: SubscriptionRef.get(ref), ref, source: Context.get(context, McpSource) }
  return opened
})

/** The scripted server as `a`. */
export const connected = Effect.fnUntraced(function*(options: object = {}, config: object = {}) {
  const opened = yield* open({ a: scripted(options, config) })
  return { opened, entries: yield* opened.entries }
})

export const entryOf = (entries: ReadonlyArray<SourceEntry>, name: string): SourceEntry => {
  const entry = entries.find((candidate) => candidate.name === name)
  if (entry === undefined) throw new Error(`no entry ${name}`)
  return entry
}

export const toolOf = (entries: ReadonlyArray<SourceEntry>, name: string): Tool => {
  const tool = entries.flatMap(({ tools }) => tools).find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}

export const names = ({ tools }: SourceEntry) => tools.map(({ name }) => name)

/** The message of a failed entry. */
export const messageOf = (entries: ReadonlyArray<SourceEntry>, name: string): string => {
  const entry = entryOf(entries, name)
  return entry._tag === "Failed" ? entry.error.message : entry._tag
}

export const call = (tool: Tool, args = {}, options?: ToolCall.CallOptions) =>
  tool.handler(args, ToolCall.make(tool.name, "call-1", options))

/** A zombie waits for its parent only; it runs no more. */
export const isAlive = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z"
  } catch {
    return false
  }
}

export const pidsIn = (file: string): ReadonlyArray<number> => readFileSync(file, "utf8").trim().split("\n").map(Number)

export const withVariables = (variables: Record<string, string>) => Effect.provideService(Environment, variables)

/** Where a file may be, in a folder that goes with the test. */
export const tempFile = Effect.map(
  FileSystem.FileSystem.use((fs) => fs.makeTempDirectoryScoped()),
  (directory) => `${directory}/file`
)

/** Waits until a condition holds, at the most so long as only a loaded machine takes: that is some ten seconds. */
export const eventually = (condition: () => boolean) =>
  Effect.suspend(() => condition() ? Effect.void : Effect.fail("not yet")).pipe(
    Effect.retry({ times: 500, schedule: Schedule.spaced("20 millis") })
  )

/** Waits until the entry `a` is in that state. */
export const entryIs = ({ ref }: Opened, tag: SourceEntry["_tag"]) =>
  eventually(() => entryOf(SubscriptionRef.getUnsafe(ref), "a")._tag === tag)

/** JSON that is as deep as that. */
export const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`)

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/package.json")

/** The reference server; its argument is the transport. */
export const everythingProgram = join(dirname(manifest), "dist/index.js")

export const everything = (config: object = {}): McpConfig.McpServerDefinition =>
  define({ command: process.execPath, args: [everythingProgram, "stdio"], ...config })

interface Asked {
  readonly id?: number
  readonly method: string
}

/** A server in this process whose answers are whatever `answer` gives, by method. */
export const inProcess = (answer: (method: string) => unknown): McpConfig.McpServerDefinition =>
  define({
    connect: () => {
      const transport = {
        onmessage: (_message: unknown) => {},
        start: () => Promise.resolve(),
        close: () => Promise.resolve(),
        send: ({ id, method }: Asked) => {
          if (id !== undefined) transport.onmessage({ jsonrpc: "2.0", id, result: answer(method) })
          return Promise.resolve()
        }
      }
      return transport
    }
  })

/** One session with the scripted server. */
export const session = Effect.fnUntraced(function*(options: object = {}, config: object = {}) {
  const { server } = Result.getOrThrow(McpConfig.normalize("a", scripted(options, config)))
  if (server._tag === "Disabled") return yield* Effect.die("it is switched off")
  return yield* McpSession.connect({ server })
})
