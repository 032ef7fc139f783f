/**
 * Front matter: the YAML between two fences at the top of a SKILL.md, and the second, lenient reading of what no YAML
 * parser takes but any person understands.
 */
import * as Result from "effect/Result"
import { isSound, parseMapping, type YamlMapping } from "./yamlDocument.ts"

/** A file in its two parts, or what it lacks. */
export type Parts =
  | { readonly _tag: "NoFrontMatter" }
  | { readonly _tag: "Unclosed" }
  | { readonly _tag: "Parts"; readonly frontMatter: string; readonly body: string }

const OPENING = /^\uFEFF?---[ \t]*(?=[\r\n]|$)/
const CLOSING = /(?:\r\n|\n|\r)---[ \t]*(?:\r\n|\n|\r|$)/
/** While there is more to read, a fence at the very end may still turn out to be the start of something else. */
const CLOSING_WITH_MORE = /(?:\r\n|\n|\r)---[ \t]*[\r\n]/

/** Splits a file, or its start. Line breaks of every system count; blanks after a fence are tolerated. */
export const split = (text: string, isWhole: boolean): Parts => {
  const opening = OPENING.exec(text)
  if (opening === null) return { _tag: "NoFrontMatter" }
  const rest = text.slice(opening[0].length)
  const closing = (isWhole ? CLOSING : CLOSING_WITH_MORE).exec(rest)
  if (closing === null) return { _tag: "Unclosed" }
  return {
    _tag: "Parts",
    frontMatter: rest.slice(0, closing.index).replace(/\r\n|\r/g, "\n").replace(/^\n/, ""),
    body: rest.slice(closing.index + closing[0].length)
  }
}

/** The fields, and what the first reading stumbled over where it took the second one. */
export interface FrontMatter {
  readonly mapping: YamlMapping
  readonly stumble: string | undefined
}

export const parse = (frontMatter: string): Result.Result<FrontMatter, string> => {
  const strict = parseMapping(frontMatter)
  if (Result.isSuccess(strict)) return Result.succeed({ mapping: strict.success, stumble: undefined })
  const relaxed = relax(frontMatter)
  if (relaxed === frontMatter) return Result.fail(strict.failure)
  return Result.match(parseMapping(relaxed), {
    onSuccess: (mapping) => Result.succeed({ mapping, stumble: strict.failure }),
    onFailure: () => Result.fail(strict.failure)
  })
}

/** A name, or a list of tools that restricts a skill, is never guessed: what it means must be certain. */
const NEVER_GUESSED = /^(?:name|.*tools)$/i

const FIELD =
  /^(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>[^\s"'#?:,[\]{}&*!|>%@`-][^:]*?))[ \t]*:(?:[ \t]+(?<value>.*))?$/

/**
 * Writes the text fields that are no YAML by themselves as quoted text to the end of their line, and leaves out a field
 * that is there again.
 */
const relax = (frontMatter: string): string => {
  const seen = new Set<string>()
  return fieldsOf(frontMatter).map((lines) => {
    const { double, plain, single, value } = FIELD.exec(lines[0] ?? "")?.groups ?? {}
    const key = double ?? single ?? plain
    const source = lines.join("\n")
    if (key === undefined || NEVER_GUESSED.test(key)) return source
    if (seen.has(key)) return ""
    seen.add(key)
    const text = value?.trim() ?? ""
    return text === "" || isSound(source) ? source : `${JSON.stringify(key)}: ${JSON.stringify(text)}`
  }).join("\n")
}

/** The lines of each top-level field: its own, and those indented below it. */
const fieldsOf = (frontMatter: string): ReadonlyArray<ReadonlyArray<string>> => {
  const fields: Array<Array<string>> = []
  for (const line of frontMatter.split("\n")) {
    const current = fields.at(-1)
    if (current === undefined || /^[^\s#]/.test(line)) fields.push([line])
    else current.push(line)
  }
  return fields
}
