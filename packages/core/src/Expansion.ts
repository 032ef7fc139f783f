/**
 * Variables in configuration text (CONTRACT 3): one expander for every field of every source, and for every dialect in
 * use.
 *
 * **Details**
 *
 * `${NAME}`, `${NAME:-default}` (also where NAME is empty), `${env:NAME}`, `{env:NAME}`, `{file:path}`,
 * `${workspaceFolder}` and `${userHome}`; `$${` stands for `${`. Whatever else looks similar stays as it is. Expanded
 * text is not expanded again.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { Environment, type Variables } from "./Environment.ts"

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
  String.raw`\$\$\{|\$\{(?<name>${NAME})(?<fallback>:-[^}]*)?\}|\$?\{env:(?<env>${NAME})\}|\{file:(?<file>[^}]+)\}`,
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
  let expanded = ""
  let end = 0
  for (const match of text.matchAll(TOKEN)) {
    expanded += text.slice(end, match.index) + (yield* valueOf(match, variables, options))
    end = match.index + match[0].length
  }
  return expanded + text.slice(end)
})

const valueOf = (match: RegExpExecArray, variables: Variables, { folder }: Options) => {
  const { env, fallback, file, name = env } = match.groups ?? {}
  if (file !== undefined) return readFile(file, folder)
  if (name === undefined) return Effect.succeed("${")
  if (name === "workspaceFolder" && env === undefined) return Effect.succeed(folder)
  if (name === "userHome" && env === undefined) return orMissing(name, variables["HOME"] ?? variables["USERPROFILE"])
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined
  return orMissing(name, fallback === undefined || (value !== undefined && value !== "") ? value : fallback.slice(2))
}

const orMissing = (variable: string, value: string | undefined) =>
  value === undefined
    ? Effect.fail(new ExpansionError({ variable, reason: "is not set, and there is no default" }))
    : Effect.succeed(value)

/** A file's last line break isn't part of the secret it holds, and would make a header illegal. */
const readFile = Effect.fnUntraced(function*(file: string, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* Effect.mapError(
    fs.readFileString(path.resolve(folder, file)),
    (error) => new ExpansionError({ variable: `{file:${file}}`, reason: `can't be read: ${error.reason._tag}` })
  )
  return text.trimEnd()
})
