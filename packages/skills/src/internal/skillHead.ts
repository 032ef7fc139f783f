/** The head of a SKILL.md: only as much of the file is read as it takes to reach the closing fence. */
import { Diagnostic } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DiskSkill, SkippedSkill, SkipReason } from "../Skill.ts"
import { type FrontMatter, parse, type Parts, split } from "./frontMatter.ts"
import { checkCompatibility, checkDescription, checkFields, checkName, diagnostic, type Place } from "./openFormat.ts"
import { oneLine } from "./skillName.ts"
import { decode, explain, readStart } from "./textFile.ts"
import { listOf, recordOf, textOf } from "./yamlDocument.ts"

/** Thirty times the longest legal description: a head beyond it is not read to its end. */
export const HEAD_LIMIT = 32 * 1024

/** A SKILL.md on disk: `folder` is the name of its folder as it was found, `directory` that folder's real path. */
export interface SkillFile {
  readonly location: string
  readonly folder: string
  readonly directory: string
}

export interface ReadHead {
  readonly skill: DiskSkill
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

export const readHead = Effect.fnUntraced(function*(file: SkillFile) {
  const read = yield* Effect.result(readStart(file.location, HEAD_LIMIT, endsHead))
  if (Result.isFailure(read)) {
    return Result.fail(skip(file, "unreadable", `SKILL.md can't be read: ${explain(read.failure)}`))
  }
  const { bytes, isWhole } = read.success
  if (isUtf16(bytes)) return Result.fail(skip(file, "unreadable", "SKILL.md is UTF-16; save it as UTF-8"))
  return toHead(file, split(decode(bytes), isWhole))
})

const endsHead = (bytes: Uint8Array): boolean => isUtf16(bytes) || split(decode(bytes), false)._tag !== "Unclosed"

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xFF && second === 0xFE) || (first === 0xFE && second === 0xFF)

export const skip = (file: Pick<SkillFile, "location">, reason: SkipReason, message: string): SkippedSkill => ({
  location: file.location,
  reason,
  message
})

const toHead = (file: SkillFile, parts: Parts): Result.Result<ReadHead, SkippedSkill> => {
  if (parts._tag === "NoFrontMatter") {
    return Result.fail(skip(file, "missing-name", "SKILL.md does not begin with front matter: a line of three dashes"))
  }
  if (parts._tag === "Unclosed") {
    const problem = `The front matter has no closing line of three dashes within ${HEAD_LIMIT} bytes`
    return Result.fail(skip(file, "malformed-frontmatter", problem))
  }
  return Result.match(parse(parts.frontMatter), {
    onFailure: (problem) =>
      Result.fail(skip(file, "malformed-frontmatter", `The front matter can't be read: ${problem}`)),
    onSuccess: (frontMatter) => toSkill(file, frontMatter, parts.frontMatter)
  })
}

const toSkill = (
  file: SkillFile,
  { mapping, stumble }: FrontMatter,
  source: string
): Result.Result<ReadHead, SkippedSkill> => {
  const { fields, warnings } = mapping
  const name = oneLine(textOf(fields.get("name")) ?? "")
  if (name === "") return Result.fail(skip(file, "missing-name", "The front matter has no name"))
  const place = { entry: "<skills>", path: file.location }
  const description = nonBlank(textOf(fields.get("description")))
  const { diagnostics, extras } = readExtras(place, fields)
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
      ...checkName(place, name, file.folder),
      ...checkDescription(place, description),
      ...(stumble === undefined ? [] : [diagnostic(place, "lenient-front-matter", `Read as plain text: ${stumble}`)]),
      ...warnings.map((warning) => diagnostic(place, "yaml-warning", warning)),
      ...(source.includes("\uFFFD") ? [diagnostic(place, "invalid-utf8", "The front matter is not all UTF-8")] : []),
      ...checkFields(place, fields.keys()),
      ...diagnostics
    ]
  })
}

const nonBlank = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim() ?? ""
  return trimmed === "" ? undefined : trimmed
}

/** The optional fields. One that isn't what it should be is left out, with a diagnostic. */
const readExtras = (place: Place, fields: ReadonlyMap<string, unknown>) => {
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  const license = textOf(fields.get("license"))
  const compatibility = textOf(fields.get("compatibility"))
  if (fields.has("compatibility")) diagnostics.push(...checkCompatibility(place, compatibility))
  const tools = fields.has("allowed-tools") ? readAllowedTools(place, fields.get("allowed-tools")) : undefined
  if (tools !== undefined) diagnostics.push(...tools.diagnostics)
  const metadata = fields.has("metadata") ? recordOf(fields.get("metadata")) : undefined
  if (metadata?.isWhole === false) {
    diagnostics.push(diagnostic(place, "illegal-metadata", "The field metadata should map names to text"))
  }
  return {
    diagnostics,
    extras: {
      ...(license === undefined ? {} : { license }),
      ...(compatibility === undefined ? {} : { compatibility }),
      ...(tools === undefined ? {} : { allowedTools: tools.allowedTools }),
      ...(metadata === undefined ? {} : { metadata: metadata.record })
    }
  }
}

/** A blank or a comma separates tools, except inside the brackets of `Bash(git add:*)`. */
const TOOL = /[^\s,()]+(?:\([^)]*\))?/g

/**
 * Text and lists are both in use. What is neither restricts the skill to no tool at all: it must never have more than
 * its file grants.
 */
const readAllowedTools = (place: Place, node: unknown) => {
  const text = textOf(node)
  if (text !== undefined) return { allowedTools: text.match(TOOL) ?? [], diagnostics: [] }
  return {
    allowedTools: listOf(node) ?? [],
    diagnostics: [
      diagnostic(place, "illegal-allowed-tools", "The field allowed-tools should be text, separated by blanks")
    ]
  }
}
