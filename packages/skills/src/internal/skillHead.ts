/**
 * The head of a SKILL.md: only as much of the file is read as it takes to reach the closing fence. The one module that
 * needs a YAML parser; it is loaded when there is a head to read.
 */
import type { Diagnostic } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DiskSkill, SkippedSkill } from "../Skill.ts"
import { readExtras } from "./extraFields.ts"
import { type Parts, split } from "./fences.ts"
import { type FrontMatter, parse } from "./frontMatter.ts"
import { checkDescription, checkFields, checkName, diagnostic, type Place } from "./openFormat.ts"
import { type SkillFile, skip } from "./skillFile.ts"
import { oneLine } from "./skillName.ts"
import { decode, detach, explain, readUntil } from "./textFile.ts"
import { textOf } from "./yamlDocument.ts"

/** Thirty times the longest legal description: a head beyond it is not read to its end. */
const HEAD_LIMIT = 32 * 1024

export interface ReadHead {
  readonly skill: DiskSkill
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

export type Outcome = Result.Result<ReadHead, SkippedSkill>

export const readHead = Effect.fnUntraced(function*(file: SkillFile) {
  const read = yield* Effect.result(readUntil(file.location, HEAD_LIMIT, findHead))
  if (Result.isFailure(read)) {
    return Result.fail(skip(file, "unreadable", `SKILL.md can't be read: ${explain(read.failure)}`))
  }
  const head = read.success ?? { _tag: "Unclosed" }
  return head._tag === "Utf16"
    ? Result.fail(skip(file, "unreadable", "SKILL.md is UTF-16; save it as UTF-8"))
    : toHead(file, head)
})

const findHead = (bytes: Uint8Array, isWhole: boolean): Parts | { readonly _tag: "Utf16" } | undefined => {
  if (isUtf16(bytes)) return { _tag: "Utf16" }
  const parts = split(decode(bytes), isWhole)
  return parts._tag === "Unclosed" && !isWhole ? undefined : parts
}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xFF && second === 0xFE) || (first === 0xFE && second === 0xFF)

const toHead = (file: SkillFile, parts: Parts): Outcome => {
  if (parts._tag === "NoFrontMatter") {
    const problem = "SKILL.md must begin with front matter: a line of three dashes, name: and description:, and another"
    return Result.fail(skip(file, "missing-name", `line 1: ${problem}`))
  }
  if (parts._tag === "Unclosed") {
    const problem = `The front matter has no closing line of three dashes within ${HEAD_LIMIT} bytes; add one`
    return Result.fail(skip(file, "malformed-frontmatter", problem))
  }
  const source = detach(parts.frontMatter)
  return Result.match(parse(source), {
    onFailure: (problem) =>
      Result.fail(skip(file, "malformed-frontmatter", afterLine(problem, "The front matter can't be read: "))),
    onSuccess: (frontMatter) => toSkill(file, frontMatter, source)
  })
}

const toSkill = (file: SkillFile, { mapping, stumble }: FrontMatter, source: string): Outcome => {
  const { fields, lineOf, warnings } = mapping
  const name = oneLine(textOf(fields.get("name")) ?? "")
  if (name === "") return Result.fail(skip(file, "missing-name", noName(mapping)))
  const place: Place = { entry: "<skills>", path: file.location }
  const on = (field: string): Place => ({ ...place, line: lineOf(field) })
  const description = nonBlank(textOf(fields.get("description")))
  const { diagnostics, extras } = readExtras(mapping, on)
  return Result.succeed({
    skill: {
      _tag: "DiskSkill",
      name,
      ...(description === undefined ? {} : { description }),
      location: file.location,
      directory: file.directory,
      ...extras
    },
    diagnostics: [
      ...checkName(on("name"), name, file.folder),
      ...checkDescription(on("description"), description),
      ...(stumble === undefined ? [] : [
        diagnostic(place, "lenient-front-matter", afterLine(stumble, "Read as plain text: "))
      ]),
      ...warnings.map((warning) => diagnostic(place, "yaml-warning", warning)),
      ...(source.includes("\uFFFD") ? [diagnostic(place, "invalid-utf8", "The front matter is not all UTF-8")] : []),
      ...checkFields(place, fields.keys(), lineOf),
      ...diagnostics
    ]
  })
}

/** The line comes first, wherever there is one. */
const afterLine = (problem: string, words: string): string => problem.replace(/^(?:line \d+: )?/, `$&${words}`)

const noName = ({ fields, lineOf }: FrontMatter["mapping"]): string => {
  const misspelled = Array.from(fields.keys()).find((field) => field !== "name" && field.toLowerCase() === "name")
  return misspelled === undefined
    ? "The front matter has no name; add the folder's name"
    : `line ${lineOf(misspelled)}: The front matter has no name, but "${misspelled}"; spell it in small letters`
}

const nonBlank = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim() ?? ""
  return trimmed === "" ? undefined : trimmed
}
