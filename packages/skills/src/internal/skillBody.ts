/** Reads what a skill says, and what its files hold, at the moment it is loaded. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { DataSkill, DiskSkill } from "../Skill.ts"
import { SkillFileUnreadable, SkillUnreadable } from "../SkillError.ts"
import { split } from "./fences.ts"
import { ownFile } from "./skillFiles.ts"
import { decode, explain, isRegularFile, readWhole } from "./textFile.ts"

/** A model reads no such body; a file of that size is something else. */
const BODY_LIMIT = 4 * 1024 * 1024

/** More than a tool's answer may hold (100,000 characters), in whatever script. */
const FILE_LIMIT = 400 * 1024

/** The file as it is now: it may have changed since it was found. */
export const readBody = Effect.fnUntraced(function*(skill: DiskSkill) {
  const fail = (detail: string) => Effect.fail(new SkillUnreadable({ skill: skill.name, detail }))
  const read = yield* Effect.result(readRegular(skill.location, BODY_LIMIT))
  if (Result.isFailure(read)) return yield* fail(explain(read.failure))
  if (Option.isNone(read.success)) return yield* fail(`its SKILL.md is no file, or larger than ${BODY_LIMIT} bytes`)
  const parts = split(decode(read.success.value), true)
  return parts._tag === "Parts" ? parts.body : yield* fail("its SKILL.md has lost its front matter")
})

const readRegular = Effect.fnUntraced(function*(path: string, limit: number) {
  return (yield* isRegularFile(path)) ? yield* readWhole(path, limit) : Option.none<Uint8Array>()
})

/** A path relative to the skill's folder, or an absolute one as it is listed. */
export const readFile = Effect.fnUntraced(function*(skill: DiskSkill, file: string) {
  const path = yield* Path.Path
  const fail = (detail: string) => Effect.fail(new SkillFileUnreadable({ skill: skill.name, file, detail }))
  const own = yield* ownFile(skill.directory, path.resolve(skill.directory, file))
  if (Option.isNone(own)) return yield* fail(NOT_ITS_FILE)
  const read = yield* Effect.result(readRegular(own.value, FILE_LIMIT))
  if (Result.isFailure(read)) return yield* fail(explain(read.failure))
  if (Option.isNone(read.success)) return yield* fail(`it is no file, or larger than ${FILE_LIMIT} bytes`)
  const text = decodeText(read.success.value)
  return text ?? (yield* fail("it is not text"))
})

/** Says nothing of what lies outside: a file there, or none, gives the same answer. */
const NOT_ITS_FILE = "it is not one of the skill's files; give a path below its base directory"

const decodeText = (bytes: Uint8Array): string | undefined => {
  const text = decode(bytes)
  return text.includes("\0") || text.includes("\uFFFD") ? undefined : text
}

/** A resource by its name; a leading `./`, or the base, may stand before it. */
export const readResource = (skill: DataSkill, file: string): Effect.Effect<string, SkillFileUnreadable> => {
  const names = [file, file.replace(/^\.\//, ""), file.startsWith(skill.base) ? file.slice(skill.base.length) : file]
  const resource = skill.resources.find(({ name }) => names.includes(name))
  if (resource?.content !== undefined) return Effect.succeed(resource.content)
  const detail = resource === undefined ? NOT_ITS_FILE : "only its name is known here"
  return Effect.fail(new SkillFileUnreadable({ skill: skill.name, file, detail }))
}
