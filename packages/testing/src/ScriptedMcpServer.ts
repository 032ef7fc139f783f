/**
 * A real MCP server over stdio, in a process of its own, that does exactly what a script says: tools, delays, failures,
 * exits, noise, stubbornness. It starts in about 40 ms, so a test may use as many as it likes.
 *
 * **Details**
 *
 * Without anything but tools it is a well-behaved server that answers each call with its arguments as JSON text. It
 * offers tools only: `tools/list`, `tools/call`, `ping`, list changes, progress, cancellation. Lines that are no messages
 * it skips, as the SDK's servers do.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { fileURLToPath } from "node:url"
import { asArgument } from "./internal/asArgument.ts"

/**
 * A JSON-RPC error as it goes over the wire.
 *
 * @category models
 * @since 0.1.0
 */
export const RpcError = Schema.Struct({
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Json)
})

/**
 * How the process ends: with a code (default 0) or by a signal, after a last line on stderr.
 *
 * @category models
 * @since 0.1.0
 */
export const Exit = Schema.Struct({
  code: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  stderr: Schema.optionalKey(Schema.String)
})

/**
 * What a tool does when it is called, one step after the other. The first step that answers ends the call; if none
 * does, the arguments come back as JSON text.
 *
 * **Details**
 *
 * - answering: `text`; `error` (a result with `isError`); `result` as it is; `rpcError`; `echo`; `report` (JSON text of
 *   the server's own `env`, `cwd`, `pids` `{pid, grandchild?}`, or the methods it `received`)
 * - on the way: `delay` in milliseconds; `progress` in `count` notifications, each after `every` milliseconds;
 *   `setTools` (a new list of tools, and `list_changed`); a line on `stdout` or `stderr`
 * - not answering: `exit`, `hang`
 *
 * @category models
 * @since 0.1.0
 */
export type Step =
  | { readonly text: string }
  | { readonly error: string }
  | { readonly result: Schema.JsonObject }
  | { readonly rpcError: Schema.Schema.Type<typeof RpcError> }
  | { readonly echo: true }
  | { readonly report: "env" | "cwd" | "pids" | "received" }
  | { readonly delay: number }
  | { readonly progress: { readonly count: number; readonly every?: number } }
  | { readonly setTools: ReadonlyArray<ScriptedTool> }
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly exit: Schema.Schema.Type<typeof Exit> }
  | { readonly hang: true }

/**
 * @category models
 * @since 0.1.0
 */
export const Step: Schema.Codec<Step> = Schema.Union([
  Schema.Struct({ text: Schema.String }),
  Schema.Struct({ error: Schema.String }),
  Schema.Struct({ result: Schema.JsonObject }),
  Schema.Struct({ rpcError: RpcError }),
  Schema.Struct({ echo: Schema.Literal(true) }),
  Schema.Struct({ report: Schema.Literals(["env", "cwd", "pids", "received"]) }),
  Schema.Struct({ delay: Schema.Finite }),
  Schema.Struct({ progress: Schema.Struct({ count: Schema.Int, every: Schema.optionalKey(Schema.Finite) }) }),
  Schema.Struct({ setTools: Schema.Array(Schema.suspend(() => ScriptedTool)) }),
  Schema.Struct({ stdout: Schema.String }),
  Schema.Struct({ stderr: Schema.String }),
  Schema.Struct({ exit: Exit }),
  Schema.Struct({ hang: Schema.Literal(true) })
])

/**
 * A tool as the server lists it, and what it does. `inputSchema` is any object by default. `repeat: 3` stands for three
 * tools, `NAME_1` to `NAME_3`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ScriptedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: Schema.JsonObject
  readonly outputSchema?: Schema.JsonObject
  readonly annotations?: Schema.JsonObject
  readonly does?: ReadonlyArray<Step>
  readonly repeat?: number
}

/**
 * @category models
 * @since 0.1.0
 */
export const ScriptedTool: Schema.Codec<ScriptedTool> = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  inputSchema: Schema.optionalKey(Schema.JsonObject),
  outputSchema: Schema.optionalKey(Schema.JsonObject),
  annotations: Schema.optionalKey(Schema.JsonObject),
  does: Schema.optionalKey(Schema.Array(Step)),
  repeat: Schema.optionalKey(Schema.Int)
})

/**
 * What a request gets instead of its answer: nothing, ever; an error; a result as it is; the end of the process.
 *
 * @category models
 * @since 0.1.0
 */
export const Instead = Schema.Union([
  Schema.Literal("hang"),
  Schema.Struct({ rpcError: RpcError }),
  Schema.Struct({ result: Schema.Json }),
  Schema.Struct({ exit: Exit })
])

/**
 * The script of one server. Everything is optional.
 *
 * **Details**
 *
 * - `name`, `instructions`, `protocolVersion`: what it says of itself; by default it takes the client's version
 * - `pageSize`: tools in one page of `tools/list`; `lastCursor`: the cursor after the last page (`null`, `""`, or `"0"`
 *   to begin again); `malformedTools`: listed after the tools as they are
 * - `methods`: what a method gets instead of its answer, e.g. `{ initialize: "hang" }`
 * - at the start, in this order: `grandchild` starts another process; lines on `stderr` and then `stderrBytes` bytes
 *   without a line end; lines on `stdout`; `startupDelay` in milliseconds; `exit`
 * - after `initialize`: `rawFrames` are written as they are; `closesStdin` stops reading for good, and stays alive
 * - `ignores`: the end of `stdin`, `SIGTERM`
 *
 * @category models
 * @since 0.1.0
 */
export const ScriptedServer = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  instructions: Schema.optionalKey(Schema.String),
  protocolVersion: Schema.optionalKey(Schema.String),
  tools: Schema.optionalKey(Schema.Array(ScriptedTool)),
  pageSize: Schema.optionalKey(Schema.Int),
  lastCursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
  malformedTools: Schema.optionalKey(Schema.Array(Schema.Json)),
  methods: Schema.optionalKey(Schema.Record(Schema.String, Instead)),
  grandchild: Schema.optionalKey(Schema.Struct({ ignoresSigterm: Schema.optionalKey(Schema.Boolean) })),
  stderr: Schema.optionalKey(Schema.Array(Schema.String)),
  stderrBytes: Schema.optionalKey(Schema.Int),
  stdout: Schema.optionalKey(Schema.Array(Schema.String)),
  startupDelay: Schema.optionalKey(Schema.Finite),
  exit: Schema.optionalKey(Exit),
  rawFrames: Schema.optionalKey(Schema.Array(Schema.String)),
  closesStdin: Schema.optionalKey(Schema.Boolean),
  ignores: Schema.optionalKey(Schema.Array(Schema.Literals(["stdin", "SIGTERM"])))
})

/**
 * @category models
 * @since 0.1.0
 */
export interface ScriptedServer extends Schema.Schema.Type<typeof ScriptedServer> {}

/**
 * How to start it; ready to stand as an entry of a configuration.
 *
 * @category models
 * @since 0.1.0
 */
export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/**
 * The command that starts the server with this script.
 *
 * **Gotchas**
 *
 * The script is one argument of a command line, which Linux limits to 128 KiB; use `repeat` for long lists. What
 * looks like a variable in it is written so that a configuration's expansion leaves it alone.
 *
 * **Example**
 *
 * ```ts
 * const config = {
 *   mcpServers: {
 *     good: ScriptedMcpServer.command({ tools: [{ name: "greet", does: [{ text: "hello" }] }] }),
 *     silent: ScriptedMcpServer.command({ methods: { initialize: "hang" } })
 *   }
 * }
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const command = (script: ScriptedServer): Command => ({
  command: process.execPath,
  args: [program, asArgument(encode(script))]
})

const encode = Schema.encodeSync(Schema.fromJsonString(ScriptedServer))

// the same place beside `src` and `dist`
const program = fileURLToPath(new URL("../src/internal/scriptedServer.mjs", import.meta.url))
