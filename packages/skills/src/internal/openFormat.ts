/** The rules of the open SKILL.md format. Breaking one never costs a skill: it is told to its author. */
import type { Diagnostic } from "@effect-toolnexus/core"

const MAX_NAME = 64
const MAX_DESCRIPTION = 1024
const MAX_COMPATIBILITY = 500

/** Of one kind in one file: nobody needs to hear of hundreds of unknown fields, or of warnings. */
export const MAX_TOLD = 20

const FIELDS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools"
])

/** The field as the format spells it, and as others do: what restricts a skill must not be lost by its spelling. */
export const ALLOWED_TOOLS = ["allowed-tools", "allowed_tools", "allowedTools", "tools"]

/** Letters that have no upper case are as good as lower-case ones. */
const LEGAL_NAME = /^[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*$/u

/** Where a diagnostic belongs: the entry of the source, the file or definition, and the line of the file. */
export interface Place {
  readonly entry: string
  readonly path: string
  readonly line?: number | undefined
}

export const diagnostic = (
  { entry, line, path }: Place,
  code: string,
  message: string,
  level: Diagnostic.Diagnostic["level"] = "warning"
): Diagnostic.Diagnostic => ({
  level,
  code,
  entry,
  path,
  message: line === undefined ? message : `line ${line}: ${message}`
})

const characters = (text: string): number => Array.from(text).length

/** `folder` is the name of the skill's folder, which should be the skill's name. */
export const checkName = (place: Place, name: string, folder?: string): ReadonlyArray<Diagnostic.Diagnostic> => [
  ...(characters(name) > MAX_NAME
    ? [diagnostic(place, "long-name", `The name has more than ${MAX_NAME} characters; shorten it`)]
    : []),
  ...(LEGAL_NAME.test(name) ? [] : [
    diagnostic(
      place,
      "illegal-name",
      `The name "${name}" should consist of lower-case letters, digits and single hyphens${suggestName(name)}`
    )
  ]),
  ...(folder === undefined || folder.normalize() === name.normalize() ? [] : [
    diagnostic(
      place,
      "name-folder-mismatch",
      `The name "${name}" should be that of its folder, "${folder}"; rename one of them`
    )
  ])
]

const suggestName = (name: string): string => {
  const legal = name.toLowerCase().replace(/[^\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+/gu, "-").replace(/^-|-$/g, "")
  return LEGAL_NAME.test(legal) ? `, such as "${legal}"` : ""
}

export const checkDescription = (place: Place, description?: string): ReadonlyArray<Diagnostic.Diagnostic> => {
  if (description === undefined) return [diagnostic(place, "missing-description", NO_DESCRIPTION)]
  return characters(description) > MAX_DESCRIPTION
    ? [
      diagnostic(
        place,
        "long-description",
        `The description has more than ${MAX_DESCRIPTION} characters; shorten it, and say the rest in the body`
      )
    ]
    : []
}

const NO_DESCRIPTION =
  "Without a description in text the skill is not in the prompt: say what it does, and when to use it"

export const checkCompatibility = (place: Place, text?: string): ReadonlyArray<Diagnostic.Diagnostic> => {
  if (text === undefined) return [diagnostic(place, "illegal-compatibility", "The field compatibility should be text")]
  return characters(text) > MAX_COMPATIBILITY
    ? [
      diagnostic(
        place,
        "long-compatibility",
        `The field compatibility has more than ${MAX_COMPATIBILITY} characters; shorten it`
      )
    ]
    : []
}

export const checkFields = (
  place: Place,
  names: Iterable<string>,
  lineOf: (name: string) => number | undefined
): ReadonlyArray<Diagnostic.Diagnostic> =>
  Array.from(names).filter((name) => !FIELDS.has(name) && !ALLOWED_TOOLS.includes(name)).slice(0, MAX_TOLD).map((
    name
  ) =>
    diagnostic(
      { ...place, line: lineOf(name) },
      "unknown-field",
      `The open format has no field "${name}"; fields of your own belong below metadata`,
      "info"
    )
  )
