/**
 * The `toolnexus` command on `effect/cli`: its commands, flags and help (CONTRACT 12). It asks its environment for the
 * platform; `bin.ts` brings Node's.
 *
 * @since 0.1.0
 */
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import * as Cause from "effect/Cause"
import * as Argument from "effect/cli/Argument"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Stdio from "effect/Stdio"
import { readAnswer } from "./internal/answerFlag.ts"
import { call } from "./internal/callCommand.ts"
import { prompt, skills, tools } from "./internal/listCommands.ts"
import { CLEAR_LINE, logger } from "./internal/logger.ts"
import { presenter } from "./internal/presenter.ts"
import { check, providers, schema, type SchemaInput } from "./internal/schemaCommand.ts"
import { servers } from "./internal/serversCommand.ts"
import { checkSkills } from "./internal/skillsCheckCommand.ts"
import { sourceFlags } from "./SourceFlags.ts"
import { type ToolnexusError, WrongUsage } from "./ToolnexusError.ts"

const root = Command.make("toolnexus").pipe(
  Command.withDescription(
    "One toolkit for LLM agents: MCP servers, skills, builtin tools and remote agents as one flat list of tools."
  ),
  Command.withSharedFlags({
    ...sourceFlags,
    json: Flag.Boolean("json").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Print one JSON document on standard output, and nothing else there"),
      Flag.withDefault(false)
    )
  })
)

const toolsCommand = Command.make(
  "tools",
  {},
  () => Effect.flatMap(root, (flags) => tools(flags, flags.json))
).pipe(
  Command.withDescription("List all tools, where they come from, and what became of each server and agent."),
  Command.withShortDescription("List all tools"),
  Command.withExamples([
    { command: "toolnexus tools --config mcp.json", description: "Everything that a configuration holds" },
    {
      command: "toolnexus tools --server 'npx -y @modelcontextprotocol/server-everything' --no-builtins --json",
      description: "One server, without a configuration, for a program"
    }
  ])
)

/** effect/cli's own words for a number say nothing of its unit, and `5s` is what people try. */
const countFlag = (option: string, unit: string, least: number, example: number) =>
  Flag.mapEffect(Flag.String(option), (value) => {
    const count = /^\d+$/.test(value.trim()) ? Number(value) : 0
    const expected = `a whole number of ${unit}, at least ${least}, e.g. ${example}`
    return count >= least && Number.isSafeInteger(count)
      ? Effect.succeed(count)
      : Effect.fail(new CliError.InvalidValue({ option, value, expected, kind: "flag" }))
  })

const callCommand = Command.make(
  "call",
  {
    name: Argument.String("name").pipe(Argument.withDescription("The tool, as `toolnexus tools` names it")),
    args: Argument.String("args_json").pipe(
      Argument.withDescription("Its arguments as a JSON object; - reads them from standard input"),
      Argument.optional
    ),
    timeout: countFlag("timeout", "milliseconds", 1, 5000).pipe(
      Flag.withMetavar("MS"),
      Flag.withDescription("The total time that the call may take, its tool's start included, in milliseconds"),
      Flag.optional
    ),
    maxOutput: countFlag("max-output", "characters", ToolResult.MIN_MAX_OUTPUT, 100_000).pipe(
      Flag.withMetavar("N"),
      Flag.withDescription(
        "The most characters of output, its beginning and its end, for a model that reads it; default: all of it"
      ),
      Flag.optional
    ),
    answer: Flag.String("answer").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("The answer to the first thing that the call asks a person, e.g. '{\"ok\": true}'"),
      Flag.mapEffect((value) => Effect.fromResult(readAnswer(value))),
      Flag.optional
    )
  },
  (input) => Effect.flatMap(root, (flags) => call(flags, flags.json, input))
).pipe(
  Command.withDescription(
    "Call one tool and print its output. What it asks a person is asked at the terminal, on standard error; without "
      + "one it is the output. Exits 1 when it fails, is unknown or waits for an answer."
  ),
  Command.withShortDescription("Call one tool"),
  Command.withExamples([
    { command: `toolnexus call read '{"path": "README.md"}'`, description: "A builtin tool" },
    { command: "toolnexus call files_search - --config mcp.json < args.json", description: "Arguments from a file" },
    {
      command: `toolnexus call kitchen_order --answer '{"ok": true, "data": {"size": "large"}}' --config mcp.json`,
      description: "With the answer to what the tool will ask"
    }
  ])
)

const schemaInput = {
  provider: Flag.Literals("provider", providers).pipe(Flag.withDescription("Which provider the tools are for")),
  strict: Flag.Boolean("strict").pipe(
    Flag.withoutNegation,
    Flag.withDescription("OpenAI's strict mode, for each tool that can have it"),
    Flag.withDefault(false)
  ),
  mode: Flag.Literals("mode", ["openapi"]).pipe(
    Flag.withDescription("Gemini's older subset of OpenAPI, for endpoints that don't take JSON Schema"),
    Flag.optional
  )
}

/** A flag that does nothing would be taken for one that does. */
const checkWays = (
  command: string,
  { mode, provider, strict }: SchemaInput
): Effect.Effect<void, CliError.ShowHelp> => {
  const strays = [
    ...(strict && !provider.startsWith("openai") ? ["--strict goes with --provider openai and openai-responses"] : []),
    ...(Option.isSome(mode) && provider !== "gemini" ? ["--mode goes with --provider gemini"] : [])
  ]
  return strays.length === 0 ? Effect.void : Effect.fail(
    new CliError.ShowHelp({
      commandPath: ["toolnexus", command],
      errors: strays.map((stray) => new CliError.ValidationError({ message: `${stray}, not with ${provider}` }))
    })
  )
}

const schemaCommand = Command.make(
  "schema",
  schemaInput,
  (input) => Effect.andThen(checkWays("schema", input), Effect.flatMap(root, (flags) => schema(flags, input)))
).pipe(
  Command.withDescription("Print the tools as JSON, in the shape that a provider's `tools` takes."),
  Command.withShortDescription("Print the tools for a provider"),
  Command.withExamples([{ command: "toolnexus schema --provider anthropic --config mcp.json" }])
)

const checkCommand = Command.make(
  "check",
  schemaInput,
  (input) => Effect.andThen(checkWays("check", input), Effect.flatMap(root, (flags) => check(flags, flags.json, input)))
).pipe(
  Command.withDescription(
    "Print what tools lose, or how they change, on their way to a provider. Exits 1 when one can't be declared at all."
  ),
  Command.withShortDescription("Check the tools for a provider"),
  Command.withExamples([{ command: "toolnexus check --provider gemini --config mcp.json" }])
)

const serversCommand = Command.make(
  "servers",
  {},
  () => Effect.flatMap(root, (flags) => servers(flags, flags.json))
).pipe(
  Command.withDescription(
    "List what each MCP server offers, under its own names and before anything is filtered, and why one that failed did."
  ),
  Command.withShortDescription("List the MCP servers and all they offer"),
  Command.withExamples([{ command: "toolnexus servers --config mcp.json" }])
)

const skillsCheckCommand = Command.make(
  "check",
  {
    dir: Argument.String("dir").pipe(
      Argument.withDescription("A skill's folder, one with skills below it, or a SKILL.md")
    )
  },
  ({ dir }) => Effect.flatMap(root, (flags) => checkSkills(dir, flags.json))
).pipe(
  Command.withDescription(
    "Check skills for their authors: what keeps one from being used, which rules of the format it breaks, which files it "
      + "links to and doesn't have; with file, line and what to change. Exits 1 when one can't be used."
  ),
  Command.withShortDescription("Check skills for their authors"),
  Command.withExamples([{ command: "toolnexus skills check ./skills" }])
)

const skillsCommand = Command.make(
  "skills",
  {},
  () => Effect.flatMap(root, (flags) => skills(flags, flags.json))
).pipe(
  Command.withDescription("List the skills, and which were skipped and why. Starts no server."),
  Command.withShortDescription("List the skills, or check them"),
  Command.withExamples([{ command: "toolnexus skills --skills ./skills" }]),
  Command.withSubcommands([skillsCheckCommand])
)

const promptCommand = Command.make("prompt", {}, () => Effect.flatMap(root, prompt)).pipe(
  Command.withDescription("Print what the skills put into a system prompt, as text. Starts no server."),
  Command.withShortDescription("Print the skills prompt"),
  Command.withExamples([{ command: "toolnexus prompt --skills ./skills > prompt.md" }])
)

const command = root.pipe(
  Command.withSubcommands([
    {
      group: "COMMANDS",
      commands: [toolsCommand, callCommand, schemaCommand, checkCommand, serversCommand, skillsCommand, promptCommand]
    }
  ]),
  Command.withExamples([
    { command: "toolnexus tools --config mcp.json", description: "What is there" },
    { command: `toolnexus call bash '{"command": "date"}'`, description: "Call a tool" },
    {
      command: "toolnexus schema --provider openai --server 'npx -y @modelcontextprotocol/server-everything'",
      description: "The tools of one server for a model"
    }
  ])
)

/** What `--help`, errors and the log look like. */
const appearance = Layer.unwrap(
  Effect.map(Stdio.Stdio, ({ stderrIsTerminal }) =>
    Layer.mergeAll(
      CliConfig.layer({
        builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel]
      }),
      CliOutput.layerPresenter(presenter),
      TerminalCapabilities.layer,
      Logger.layer([Effect.map(stderrIsTerminal, (isTerminal) => logger(isTerminal ? CLEAR_LINE : ""))])
    ))
)

/**
 * Runs the command with the arguments of `Stdio`.
 *
 * **Details**
 *
 * What there is to say is printed when it ends, failures too; each of those has its exit code with it. Run it with
 * `disableErrorReporting`, so that nothing is said twice.
 *
 * @category running
 * @since 0.1.0
 */
export const run = (
  options: { readonly version: string }
): Effect.Effect<void, ToolnexusError, Command.Environment> =>
  Command.run(command, options).pipe(
    Effect.mapError((error) => CliError.isCliError(error) ? toWrongUsage(error) : error),
    Effect.tapCause(report),
    Effect.provide(appearance)
  )

/** effect/cli has a wrong invocation exit with 1, as whatever else fails. */
const toWrongUsage = (error: CliError.CliError): WrongUsage =>
  new WrongUsage({ problems: (error._tag === "ShowHelp" ? error.errors : [error]).map(({ message }) => message) })

/** What is printed already, or is no failure, isn't reported again. */
const report = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure === undefined) return Effect.logError("Unexpected failure of toolnexus", cause)
  return Predicate.isError(failure.error) && Runtime.getErrorReported(failure.error)
    ? Effect.logError(failure.error.message)
    : Effect.void
}
