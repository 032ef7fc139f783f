/**
 * Variables in configuration text (CONTRACT 3): one expander for every field of every source, and for every dialect in
 * use.
 *
 * **Details**
 *
 * `${NAME}`, `${NAME:-default}` (also where NAME is empty), `${env:NAME}`, `{env:NAME}`, `{file:path}`,
 * `${workspaceFolder}` and `${userHome}`; `$${` stands for `${`. Whatever else looks similar stays as it is. Expanded
 * text is not expanded again. `${input:id}` and `${command:id}`, by which an editor asks a person, fail: the text would
 * go out as it stands, and nothing would point at the cause.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { Environment, type Variables } from "./Environment.ts"
import * as TextFile from "./TextFile.ts"

/**
 * A variable that isn't set, or a file that can't be read. Names the variable, never a value.
 *
 * @category errors
 * @since 0.1.0
 */
export class ExpansionError
  extends Schema.TaggedError<ExpansionError>("@effect-toolnexus/core/Expansion/ExpansionError")(
    "ExpansionError",
    { variable: Schema.String, reason: Schema.String }
  )
{
  override get message(): string {
    return `${this.variable} ${this.reason}`
  }
}

/**
 * A text with its variables filled in. `secrets` are the values that variables and files put there: they are not to be
 * shown, and a `Redaction` takes them out of what others show. In `shown` those alone are not filled in.
 *
 * @category models
 * @since 0.1.0
 */
export interface Expanded {
  readonly text: string
  readonly shown: string
  readonly secrets: ReadonlyArray<string>
}

/**
 * `folder` is the configuration file's folder: `${workspaceFolder}`, and what `{file:}` is relative to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly folder: string
}

const NAME = "[A-Za-z_][A-Za-z0-9_]*"
const TOKEN = new RegExp(
  String
    .raw`\$\$\{|\$\{(?<name>${NAME})(?<fallback>:-[^}]*)?\}|\$?\{env:(?<env>${NAME})\}|\{file:(?<file>[^}]+)\}|\$\{(?<asked>(?:input|command):[A-Za-z_][^}]*)\}`,
  "g"
)

/**
 * Expands one text.
 *
 * **Example**
 *
 * ```ts
 * Expansion.expand("Bearer ${TOKEN:-none}", { folder: "/project" })
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const expand = Effect.fnUntraced(function*(text: string, options: Options) {
  const variables = yield* Environment
  const secrets: Array<string> = []
  let expanded = ""
  let shown = ""
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    const { isSecret, value } = yield* valueOf(match, variables, options)
    if (isSecret) secrets.push(value)
    const before = text.slice(end, match.index)
    expanded += before + value
    shown += before + (isSecret ? match[0] : value)
    end = match.index + match[0].length
  }
  const rest = text.slice(end)
  const result: Expanded = { text: expanded + rest, shown: shown + rest, secrets }
  return result
})

/** Folders and defaults are known to whoever reads the configuration; what a variable or a file holds isn't. */
const open = (value: string) => Effect.succeed({ value, isSecret: false })
const secret = (value: string) => Effect.succeed({ value, isSecret: true })

const valueOf = (match: RegExpExecArray, variables: Variables, { folder }: Options) => {
  const { asked, env, fallback, file, name = env } = match.groups ?? {}
  if (asked !== undefined) return Effect.fail(new ExpansionError({ variable: `\${${asked}}`, reason: ASKED }))
  if (file !== undefined) return Effect.flatMap(readFile(file, folder), secret)
  if (name === undefined) return open("${")
  if (name === "workspaceFolder" && env === undefined) return open(folder)
  if (name === "userHome" && env === undefined) {
    const home = variables["HOME"] ?? variables["USERPROFILE"]
    return home === undefined ? missing(name) : open(home)
  }
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined
  if (fallback !== undefined && (value === undefined || value === "")) return open(fallback.slice(2))
  return value === undefined ? missing(name) : secret(value)
}

const ASKED = "asks a person, which is not possible here; use a variable of the environment, ${env:NAME}"

const missing = (variable: string) =>
  Effect.fail(new ExpansionError({ variable, reason: "is not set, and there is no default" }))

/** More than any key or certificate has. */
const MAX_FILE_BYTES = 64 * 1024

/** A file's last line break isn't part of the secret it holds, and would make a header illegal. */
const readFile = Effect.fnUntraced(function*(file: string, folder: string) {
  const path = yield* Path.Path
  const text = yield* Effect.mapError(
    TextFile.read(path.resolve(folder, file), MAX_FILE_BYTES),
    ({ message }) => new ExpansionError({ variable: `{file:${file}}`, reason: message })
  )
  return text.replace(/\r?\n$/, "")
})
