/** Help that was asked for goes to standard output; what is said of a wrong invocation is short, and goes to stderr. */
import * as Suggestion from "@effect-toolnexus/core/Suggestion"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { oneLine } from "./plainText.ts"

export const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function*(event) {
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const formatter = CliOutput.defaultFormatter({ colors: canColor })
    if (event._tag === "Version") yield* Console.log(formatter.formatVersion(event.name, event.version))
    else if (event._tag === "Help") {
      const help = formatter.formatHelpDoc(shortened(event.helpDoc))
      yield* event.reason === "Requested" ? Console.log(help) : Console.error(help)
    } else {
      const errors = event.errors.map((error) =>
        `error: ${formatter.formatCliError(withSuggestion(error, event.helpDoc))}`
      )
      const hint = `usage: ${event.helpDoc.usage}\nSee ${event.commandPath.join(" ")} --help`
      yield* Console.error(
        [...errors, ...event.errors.flatMap((error) => flagOf(error, event.commandPath)), hint].join("\n")
      )
    }
  })
}

/** No command takes a file or folder by itself, and a configuration, or skills, are what people try first. */
const flagOf = (error: CliError.NonShowHelpErrors, commandPath: ReadonlyArray<string>): ReadonlyArray<string> =>
  wordsOf(error).flatMap((word) => {
    const flag = /\.jsonc?$/.test(word) ? "--config" : SKILL_COMMANDS.has(commandPath.at(-1)) ? "--skills" : undefined
    return flag === undefined ? [] : [`\n  Did you mean ${flag} ${oneLine(word)}?`]
  })

/** The words that mean nothing where they stand; one like a command is meant to be it. */
const wordsOf = (error: CliError.NonShowHelpErrors): ReadonlyArray<string> => {
  if (error._tag === "UnexpectedArgument") return error.arguments
  return error._tag === "UnknownSubcommand" && error.suggestions.length === 0 ? [error.subcommand] : []
}

const SKILL_COMMANDS: ReadonlySet<string | undefined> = new Set(["skills", "prompt"])

/** effect/cli looks among a command's own flags only, and most of ours are inherited. */
const withSuggestion = (error: CliError.NonShowHelpErrors, help: HelpDoc.HelpDoc): CliError.NonShowHelpErrors => {
  if (error._tag !== "UnrecognizedOption" || error.suggestions.length > 0) return error
  const flags = [...help.flags, ...help.inheritedFlags ?? [], ...help.globalFlags ?? []].map(({ name }) => `--${name}`)
  const suggestions = Suggestion.closest(error.option, flags, 1)
  return new CliError.UnrecognizedOption({ ...error, suggestions })
}

/** The choices of these are in their description; named again in front of it, they push it off a screen. */
const placeholders = new Map([["log-level", "LEVEL"], ["completions", "SHELL"]])

const shortened = (help: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...help,
  globalFlags: (help.globalFlags ?? []).map((flag) => ({ ...flag, type: placeholders.get(flag.name) ?? flag.type }))
})
