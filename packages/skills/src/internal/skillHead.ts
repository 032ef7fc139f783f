/** What the head of a SKILL.md says, and what is wrong with it. */
import type { Diagnostic } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DiskSkill, SkippedSkill } from "../Skill.ts"
import { readExtras } from "./extraFields.ts"
import type { Fields } from "./fields.ts"
import type { FrontMatter } from "./frontMatter.ts"
import { HEAD_LIMIT, type HeadText } from "./headText.ts"
import { checkDescription, checkFields, checkName, diagnostic, type Place } from "./openFormat.ts"
import { readPlain } from "./plainFields.ts"
import { type SkillFile, skip } from "./skillFile.ts"
import { oneLine } from "./skillName.ts"

export interface ReadHead {
  readonly skill: DiskSkill
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

export type Outcome = Result.Result<ReadHead, SkippedSkill>

/** Reads front matter, or says what is wrong with it. */
type Parse = (source: string) => Effect.Effect<Result.Result<FrontMatter, string>>

/** A YAML parser takes longer to load than a small toolkit to build, so it comes with the first head that needs it. */
export const makeParse: Effect.Effect<Parse> = Effect.map(
  // for each head anew it would take a third of the time of parsing
  Effect.cached(Effect.promise(() => import("./frontMatter.ts"))),
  (loadParser) => (source) => {
    const fields = readPlain(source)
    return fields === undefined
      ? Effect.map(loadParser, ({ parse }) => parse(source))
      : Effect.succeed(Result.succeed({ fields, stumble: undefined }))
  }
)

export const readHead = (file: SkillFile, text: HeadText, parse: Parse): Effect.Effect<Outcome> => {
  switch (text._tag) {
    case "FrontMatter":
      return Effect.map(parse(text.source), (parsed) => toOutcome(file, parsed, text.source))
    case "NoFrontMatter":
      return Effect.succeed(Result.fail(skip(file, "missing-name", `line 1: ${NO_FRONT_MATTER}`)))
    case "Unclosed":
      return Effect.succeed(Result.fail(skip(file, "malformed-frontmatter", UNCLOSED)))
    default:
      return Effect.succeed(Result.fail(skip(file, "unreadable", text.message)))
  }
}

const NO_FRONT_MATTER =
  "SKILL.md must begin with front matter: a line of three dashes, name: and description:, and another"

const UNCLOSED = `The front matter has no closing line of three dashes within ${HEAD_LIMIT} bytes; add one`

const toOutcome = (file: SkillFile, parsed: Result.Result<FrontMatter, string>, source: string): Outcome =>
  Result.match(parsed, {
    onFailure: (problem) =>
      Result.fail(skip(file, "malformed-frontmatter", afterLine(problem, "The front matter can't be read: "))),
    onSuccess: (frontMatter) => toSkill(file, frontMatter, source)
  })

const toSkill = (file: SkillFile, { fields, stumble }: FrontMatter, source: string): Outcome => {
  const { lineOf, values, warnings } = fields
  const name = oneLine(values.get("name")?.text ?? "")
  if (name === "") return Result.fail(skip(file, "missing-name", noName(fields)))
  const place: Place = { entry: "<skills>", path: file.location }
  const on = (field: string): Place => ({ ...place, line: lineOf(field) })
  const description = nonBlank(values.get("description")?.text)
  const { diagnostics, extras } = readExtras(fields, on)
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
      ...checkFields(place, values.keys(), lineOf),
      ...diagnostics
    ]
  })
}

/** The line comes first, wherever there is one. */
const afterLine = (problem: string, words: string): string => problem.replace(/^(?:line \d+: )?/, `$&${words}`)

const noName = ({ lineOf, values }: Fields): string => {
  const misspelled = Array.from(values.keys()).find((field) => field !== "name" && field.toLowerCase() === "name")
  return misspelled === undefined
    ? "The front matter has no name; add the folder's name"
    : `line ${lineOf(misspelled)}: The front matter has no name, but "${misspelled}"; spell it in small letters`
}

const nonBlank = (text: string | undefined): string | undefined => {
  const trimmed = text?.trim() ?? ""
  return trimmed === "" ? undefined : trimmed
}
