/**
 * The flags that say which tools a command works with, and what they mean as options of a toolkit (CONTRACT 12).
 *
 * @since 0.1.0
 */
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Precedence from "@effect-toolnexus/toolkit/Precedence"
import type { ToolkitConfig } from "@effect-toolnexus/toolkit/ToolkitConfig"
import type { ToolkitOptions } from "@effect-toolnexus/toolkit/ToolkitOptions"
import * as CliError from "effect/cli/CliError"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as CommandWords from "./internal/commandWords.ts"

const repeated = <A>(flag: Flag.Flag<A>, metavar: string, description: string) =>
  flag.pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.atLeast(0))

const server = Flag.mapEffect(
  Flag.String("server"),
  (value) =>
    Effect.mapError(
      Effect.fromResult(CommandWords.split(value)),
      (problem) =>
        new CliError.InvalidValue({ option: "server", value, expected: `a command line; ${problem}`, kind: "flag" })
    )
)

const url = Flag.mapEffect(Flag.String("url"), (value) => {
  const host = CommandWords.hostName(value)
  return host === undefined
    ? Effect.fail(
      new CliError.InvalidValue({ option: "url", value, expected: "a URL, e.g. https://host/mcp", kind: "flag" })
    )
    : Effect.succeed({ url: value, host })
})

const agent = Flag.mapEffect(Flag.String("agent"), (value) =>
  CommandWords.hostName(value) === undefined
    ? Effect.fail(
      new CliError.InvalidValue({ option: "agent", value, expected: "a URL, e.g. https://host/agent", kind: "flag" })
    )
    : Effect.succeed(value))

const header = Flag.mapEffect(Flag.String("header"), (value) => {
  const [, name = "", content = ""] = /^([^:\s]+):\s*(.*)$/s.exec(value) ?? []
  // what was given may be a secret, so it isn't repeated
  return name === ""
    ? Effect.fail(
      new CliError.InvalidValue({ option: "header", value: "...", expected: "'Name: value'", kind: "flag" })
    )
    : Effect.succeed([name, content] as const)
})

/**
 * The flags themselves; every command inherits them.
 *
 * @category flags
 * @since 0.1.0
 */
export const sourceFlags = {
  config: repeated(
    Flag.String("config"),
    "FILE",
    "Configuration file, or a folder of *.json and *.jsonc (repeatable; later ones win by entry name)"
  ),
  server: repeated(server, "'COMMAND'", "MCP server over stdio, e.g. 'npx -y some-server' (repeatable)"),
  url: repeated(url, "URL", "MCP server over HTTP (repeatable)"),
  header: repeated(
    header,
    "'NAME: VALUE'",
    "Header for the servers of --url and the APIs of --openapi; ${NAME} in it is a variable, so that no secret is on the command line (repeatable)"
  ),
  skills: repeated(Flag.String("skills"), "DIR", "Folder that is searched for SKILL.md (repeatable)"),
  agent: repeated(agent, "CARD_URL", "Remote A2A agent, by its card (repeatable)"),
  openapi: repeated(
    Flag.String("openapi"),
    "FILE_OR_URL",
    "OpenAPI document whose operations become tools (repeatable)"
  ),
  disableTool: repeated(Flag.String("disable-tool"), "NAME", "Leave out the tool of that name (repeatable)"),
  noBuiltins: Flag.Boolean("no-builtins").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Leave out the builtin shell and file tools"),
    Flag.withDefault(false)
  ),
  root: Flag.String("root").pipe(
    Flag.withMetavar("DIR"),
    Flag.withDescription("Confine the builtin tools to this folder"),
    Flag.optional
  ),
  precedence: Flag.Literals("precedence", ["standard", "layered"]).pipe(
    Flag.withMetavar("ORDER"),
    Flag.withDescription("Which source wins when two tools have one name; default standard"),
    Flag.optional
  )
} satisfies Command.Command.FlagConfig

/**
 * The flags as they were given.
 *
 * @category models
 * @since 0.1.0
 */
export type SourceFlags = Command.Command.Config.Infer<typeof sourceFlags>

/**
 * The configuration files to read, in order: a folder stands for its `*.json` and `*.jsonc`, sorted by name. What
 * doesn't exist stays in the list, so that the toolkit reports it as `<config>`.
 *
 * @category operations
 * @since 0.1.0
 */
export const configFiles = Effect.fnUntraced(function*(flags: SourceFlags) {
  const files = yield* Effect.forEach(flags.config, filesOf)
  return files.flat()
})

const filesOf = Effect.fnUntraced(function*(given: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // absolute, so that no file name is taken for JSON text
  const file = path.resolve(given)
  const names = yield* Effect.option(fs.readDirectory(file))
  if (Option.isNone(names)) return [file]
  const found = names.value.filter((name) => /\.jsonc?$/.test(name)).toSorted(ToolName.byCodePoints)
  if (found.length === 0) yield* Effect.logWarning(`${given} holds no *.json and no *.jsonc`)
  return found.map((name) => path.join(file, name))
})

/**
 * The options that the flags and the files stand for. `config` is what is in the files: what a flag changes in an entry
 * of theirs is changed there, not put in its place.
 *
 * @category operations
 * @since 0.1.0
 */
export const toOptions = (
  flags: SourceFlags,
  config: ToolkitConfig
): Effect.Effect<ToolkitOptions, never, Path.Path> => makeOptions(flags, config, undefined)

/**
 * The same for a call whose result a person or a program reads: it is kept whole, for a command line has no context
 * window. What a file says of the builtins' `limits.output` is meant for a model, and gives way.
 *
 * @category operations
 * @since 0.1.0
 */
export const toCallOptions = (
  flags: SourceFlags,
  config: ToolkitConfig
): Effect.Effect<ToolkitOptions, never, Path.Path> =>
  Effect.map(
    makeOptions(flags, config, WHOLE_OUTPUT),
    // sources have bounds of their own for what they read
    (options) => ({ ...options, maxOutput: Number.MAX_SAFE_INTEGER })
  )

/** Bytes that a builtin answers with at most: `bash` keeps no more than that in a file either. */
const WHOLE_OUTPUT = 50_000_000

const makeOptions = Effect.fnUntraced(function*(
  flags: SourceFlags,
  config: ToolkitConfig,
  output: number | undefined
): Effect.fn.Return<ToolkitOptions, never, Path.Path> {
  const path = yield* Path.Path
  if (flags.header.length > 0 && flags.url.length + flags.openapi.length === 0) {
    yield* Effect.logWarning("--header goes to --url and --openapi, and neither is given")
  }
  const added = [...serverConfig(flags, config), ...builtinsConfig(flags, config, output, path)]
  return {
    ...(flags.config.length === 0 && added.length === 0 ? {} : { config: [config, ...added] }),
    startup: "background",
    skills: flags.skills,
    agents: flags.agent.map((card) => ({ card })),
    disableTools: flags.disableTool,
    ...(flags.openapi.length === 0 ? {} : { tools: yield* documentsOf(flags) }),
    ...(flags.noBuiltins ? { builtins: false } : {}),
    ...Option.match(flags.precedence, {
      onNone: () => ({}),
      onSome: (name) => ({ precedence: precedences[name] })
    })
  }
})

/** Loaded when there is one, so that `--help` doesn't wait for it. */
const documentsOf = ({ header: headers, openapi }: SourceFlags) =>
  Effect.map(
    Effect.promise(() => import("@effect-toolnexus/extra/OpenApiTools")),
    ({ openApiTools }) => openapi.map((document) => openApiTools(document, { headers: Object.fromEntries(headers) }))
  )

const precedences = { standard: Precedence.standard, layered: Precedence.layered }

/**
 * The options for skills alone: nothing is connected, and no process started.
 *
 * @category operations
 * @since 0.1.0
 */
export const toSkillOptions = (flags: SourceFlags, config: ToolkitConfig): ToolkitOptions => ({
  skills: [...flags.skills, ...config.skills],
  // the others aren't there, and to say so would be a false alarm
  disableTools: [...flags.disableTool, ...config.disableTools].filter((name) => name === SKILL_TOOL),
  builtins: false
})

/** Without the tool that loads them, skills are neither listed nor in the prompt. */
const SKILL_TOOL = "skill"

const serverConfig = (flags: SourceFlags, config: ToolkitConfig) => {
  const taken = new Set(config.servers.keys())
  const named = (wanted: string, entry: object) => {
    const name = CommandWords.distinctName(wanted, taken)
    taken.add(name)
    return [name, entry] as const
  }
  const servers = [
    ...flags.server.map((words) => named(CommandWords.serverName(words), commandServer(words))),
    ...flags.url.map(({ host, url: address }) =>
      named(host, { url: address, headers: Object.fromEntries(flags.header) })
    )
  ]
  return servers.length === 0 ? [] : [{ mcpServers: Object.fromEntries(servers) }]
}

const commandServer = ([command, ...args]: CommandWords.Words) => ({
  command: CommandWords.literal(command),
  args: args.map(CommandWords.literal),
  // whoever types a command means it as the shell would run it: behind its proxy, with its certificates
  inheritEnv: true
})

/** Changes the builtins that the files ask for, and turns on none that are off, or that make no sense. */
const builtinsConfig = (
  { root }: SourceFlags,
  { builtins: raw }: ToolkitConfig,
  output: number | undefined,
  path: Path.Path
) => {
  if (Option.isNone(root) && output === undefined) return []
  const builtins = raw?.config ?? true
  const settings: unknown = builtins === true ? {} : builtins
  if (!Predicate.isReadonlyObject(settings)) return []
  const { limits = {}, root: own } = settings
  return [{
    builtins: {
      ...settings,
      ...(output !== undefined && Predicate.isReadonlyObject(limits) ? { limits: { ...limits, output } } : {}),
      // in the file's place it would begin at another folder
      ...(Predicate.isString(own) ? { root: path.resolve(raw?.folder ?? ".", own) } : {}),
      ...(Option.isSome(root) ? { root: path.resolve(root.value) } : {})
    }
  }]
}
