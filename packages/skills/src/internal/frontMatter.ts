/**
 * Front matter: the YAML between the two fences at the top of a SKILL.md, and the second, lenient reading of what no YAML
 * parser takes but any person understands.
 */
import * as Result from "effect/Result"
import type { Fields } from "./fields.ts"
import { isSound, readYaml } from "./yamlDocument.ts"

/** The fields, and what the first reading stumbled over where it took the second one. */
export interface FrontMatter {
  readonly fields: Fields
  readonly stumble: string | undefined
}

export const parse = (frontMatter: string): Result.Result<FrontMatter, string> => {
  const strict = readYaml(frontMatter)
  if (Result.isSuccess(strict)) return Result.succeed({ fields: strict.success, stumble: undefined })
  const relaxed = relax(frontMatter)
  if (relaxed === frontMatter) return Result.fail(strict.failure)
  return Result.match(readYaml(relaxed), {
    onSuccess: (fields) => Result.succeed({ fields, stumble: strict.failure }),
    onFailure: () => Result.fail(strict.failure)
  })
}

/** A name, or a list of tools that restricts a skill, is never guessed: what it means must be certain. */
const NEVER_GUESSED = /^(?:name|.*tools)$/i

/** The blanks before the colon belong to the name here: to look for its end at each of them takes squares of time. */
const FIELD =
  /^(?:"(?<double>[^"]*)"[ \t]*|'(?<single>[^']*)'[ \t]*|(?<plain>[^\s"'#?:,[\]{}&*!|>%@`-][^:]*)):(?:[ \t]+(?<value>.*))?$/

/**
 * Writes the text fields that are no YAML by themselves as quoted text to the end of their line, and leaves out a field
 * that is there again.
 */
const relax = (frontMatter: string): string => {
  const seen = new Set<string>()
  return fieldsOf(frontMatter).map((lines) => {
    const { double, plain, single, value } = FIELD.exec(lines[0] ?? "")?.groups ?? {}
    const key = double ?? single ?? plain?.trimEnd()
    const source = lines.join("\n")
    if (key === undefined || NEVER_GUESSED.test(key)) return source
    // as many lines as before, so that what is said of a line stays true
    const blank = "\n".repeat(lines.length - 1)
    if (seen.has(key)) return blank
    seen.add(key)
    const text = value?.trim() ?? ""
    return text === "" || isSound(source) ? source : `${JSON.stringify(key)}: ${JSON.stringify(text)}${blank}`
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
