/**
 * A program between a client and an MCP server over stdio that lets faults befall their messages, as {@link Chaos} draws
 * them: delays, pieces, doubles, losses, garbled lines, and the end of the process in mid-sentence. For finding out
 * whether a program on top of real servers survives them.
 *
 * **Details**
 *
 * It is put in front of any command, and stands in a configuration as that command did. Whatever the server does beside
 * its messages is passed on: its stderr, its exit code, its end by a signal; so are the end of stdin, SIGTERM, SIGINT and
 * SIGHUP on their way to it. A cut is told on stderr.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { fileURLToPath } from "node:url"
import type * as Chaos from "./Chaos.ts"
import { asArgument } from "./internal/asArgument.ts"

const Chance = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const Rates = Schema.Struct({
  delay: Schema.optionalKey(Chance),
  split: Schema.optionalKey(Chance),
  join: Schema.optionalKey(Chance),
  duplicate: Schema.optionalKey(Chance),
  noise: Schema.optionalKey(Chance),
  drop: Schema.optionalKey(Chance),
  garble: Schema.optionalKey(Chance),
  cut: Schema.optionalKey(Chance)
})

/**
 * What befalls the messages; everything but the seed is optional.
 *
 * **Details**
 *
 * `seed`, `rates`, `toServer`, `toClient`, `spare` and `maxDelay` are those of `Chaos.Options`. `connections` is a file in
 * which the starts are counted, so that each has faults of its own: without it a server that is started again meets the
 * same ones at the same messages, and one that was cut in its handshake always will be.
 *
 * @category models
 * @since 0.1.0
 */
export const Options = Schema.Struct({
  seed: Schema.Int,
  rates: Schema.optionalKey(Rates),
  toServer: Schema.optionalKey(Rates),
  toClient: Schema.optionalKey(Rates),
  spare: Schema.optionalKey(Schema.Int),
  maxDelay: Schema.optionalKey(Schema.Finite),
  connections: Schema.optionalKey(Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export interface Options extends Schema.Schema.Type<typeof Options>, Omit<Chaos.Options, "connection"> {}

/**
 * A server as a configuration has it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Server {
  readonly command: string
  readonly args?: ReadonlyArray<string>
}

/**
 * The same server behind the proxy. What else the entry says (`env`, `cwd`, `timeout`) stays, and holds for both.
 *
 * **Gotchas**
 *
 * The server is in the proxy's process group. A client that ends only the proxy, and by SIGKILL, leaves a server to
 * itself that doesn't care about the end of its stdin.
 *
 * **Example**
 *
 * ```ts
 * const server = ScriptedMcpServer.command({ tools: [{ name: "greet", does: [{ text: "hello" }] }] })
 * const config = {
 *   mcpServers: {
 *     shaky: ChaosProxy.wrap(server, { seed: 1, spare: 3, rates: { cut: 0.01 } })
 *   }
 * }
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const wrap = <S extends Server>(
  server: S,
  options: Options
): Omit<S, keyof Server> & { readonly command: string; readonly args: ReadonlyArray<string> } => {
  const { args = [], command, ...rest } = server
  return { ...rest, command: process.execPath, args: [program, asArgument(encode(options)), "--", command, ...args] }
}

const encode = Schema.encodeSync(Schema.fromJsonString(Options))

/**
 * The proxy itself, for those who start it by hand: `node PROGRAM OPTIONS -- COMMAND ARGS...`, with the options as JSON.
 *
 * @category constants
 * @since 0.1.0
 */
export const program: string = fileURLToPath(
  // as TypeScript where this module is, as JavaScript where it was built
  new URL(import.meta.url.endsWith(".ts") ? "./internal/chaosProxy.ts" : "./internal/chaosProxy.js", import.meta.url)
)
