/** Help that was asked for goes to standard output; what is said of a wrong invocation is short, and goes to stderr. */
import * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

export const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function*(event) {
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const formatter = CliOutput.defaultFormatter({ colors: canColor })
    if (event._tag === "Version") yield* Console.log(formatter.formatVersion(event.name, event.version))
    else if (event._tag === "Help") {
      const help = formatter.formatHelpDoc(shortened(event.helpDoc))
      yield* event.reason === "Requested" ? Console.log(help) : Console.error(help)
    } else {
      const errors = event.errors.map((error) => `error: ${formatter.formatCliError(error)}`)
      const hint = `usage: ${event.helpDoc.usage}\nSee ${event.commandPath.join(" ")} --help`
      yield* Console.error([...errors, hint].join("\n"))
    }
  })
}

/** The choices of these are in their description; named again in front of it, they push it off a screen. */
const placeholders = new Map([["log-level", "LEVEL"], ["completions", "SHELL"]])

const shortened = (help: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...help,
  globalFlags: (help.globalFlags ?? []).map((flag) => ({ ...flag, type: placeholders.get(flag.name) ?? flag.type }))
})
