/** What an author should know of a body: that there is none, that it is long, that a file it links to isn't there. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { DiskSkill } from "../Skill.ts"
import { split } from "./fences.ts"
import { diagnostic } from "./openFormat.ts"
import { BODY_LIMIT } from "./skillBody.ts"
import { ownFile } from "./skillFiles.ts"
import { decode, explain, readRegular } from "./textFile.ts"

/** What the open format recommends: a model reads all of it, each time. */
const MAX_LINES = 500

/** Of one body; a list of more is no set of instructions. */
const MAX_LINKS = 200

export const checkBody = Effect.fnUntraced(function*(skill: DiskSkill) {
  const place = { entry: "<skills>", path: skill.location }
  const read = yield* Effect.result(readRegular(skill.location, BODY_LIMIT))
  if (Result.isFailure(read)) return [diagnostic(place, "unreadable", explain(read.failure), "error")]
  if (Option.isNone(read.success)) {
    return [
      diagnostic(place, "unreadable", `SKILL.md is larger than ${BODY_LIMIT} bytes, and is never loaded`, "error")
    ]
  }
  const text = decode(read.success.value)
  const parts = split(text, true)
  // changed since its head was read; the next check tells
  if (parts._tag !== "Parts") return []
  if (parts.body.trim() === "") {
    return [diagnostic(place, "empty-body", "The skill says nothing below its front matter; write what to do")]
  }
  const lines = linesOf(parts.body)
  const first = linesOf(text).length - lines.length + 1
  const long = lines.length > MAX_LINES
    ? [
      diagnostic(
        place,
        "long-body",
        `The body has more than ${MAX_LINES} lines, all read each time; move details to files of their own`,
        "info"
      )
    ]
    : []
  const links = linksIn(lines).slice(0, MAX_LINKS)
  const missing = yield* Effect.filter(links, ({ target }) => isMissing(skill, target), { concurrency: 4 })
  return [
    ...long,
    ...missing.map(({ line, target }) =>
      diagnostic(
        { ...place, line: first + line },
        "missing-file",
        `The skill's folder has no "${target}"; add it, or change the link`
      )
    )
  ]
})

const linesOf = (text: string): ReadonlyArray<string> => text.split(/\r\n|\n|\r/)

interface Link {
  readonly target: string
  /** From zero, in the body. */
  readonly line: number
}

/** A link of Markdown to a file: no URL, no anchor, no placeholder. */
const LINK = /\]\(\s*<?([^()\s<>{}$*#?:]+)(?:[#?][^()\s]*)?>?(?:\s+"[^"]*")?\s*\)/g

/** Code shows links, and means none. */
const FENCE = /^\s*(?:```|~~~)/

const linksIn = (lines: ReadonlyArray<string>): ReadonlyArray<Link> => {
  let isCode = false
  return lines.flatMap((text, line) => {
    if (FENCE.test(text)) isCode = !isCode
    if (isCode || text.length > MAX_LINE) return []
    return Array.from(
      text.replace(/`[^`]*`/g, "").matchAll(LINK),
      ([, target = ""]) => ({ target: unescape(target), line })
    )
  })
}

/** Nobody wraps lines so late; what does is data. */
const MAX_LINE = 10_000

const unescape = (target: string): string =>
  Result.getOrElse(Result.try(() => decodeURIComponent(target)), () => target)

/** What leads out of the skill's folder isn't the skill's to have. */
const isMissing = Effect.fnUntraced(function*(skill: DiskSkill, target: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const candidate = path.resolve(skill.directory, target)
  if (!candidate.startsWith(skill.directory + path.sep)) return false
  if (Option.isSome(yield* ownFile(skill.directory, candidate))) return false
  // a nested skill's file, or a hidden one, is there all the same
  return !(yield* Effect.orElseSucceed(fs.exists(candidate), () => false))
})
