/** Reads one of the files that a skill brings along: text, or an image. */
import { imageType } from "@effect-toolnexus/core/FileFormat"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { DataSkill, DiskSkill, SkillContent } from "../Skill.ts"
import { SkillFileUnreadable } from "../SkillError.ts"
import { ownFile } from "./skillFiles.ts"
import { decode, explain, readRegular } from "./textFile.ts"

/** More than a tool's answer may hold (100,000 characters), in whatever script. */
const TEXT_LIMIT = 400 * 1024

/** More than providers take of one image. */
const IMAGE_LIMIT = 5 * 1024 * 1024

/** A path relative to the skill's folder, an absolute one as it is listed, or the URL of such a one. */
export const readFile = Effect.fnUntraced(function*(skill: DiskSkill, file: string) {
  const fail = (detail: string) => Effect.fail(new SkillFileUnreadable({ skill: skill.name, file, detail }))
  const path = yield* Path.Path
  const given = file.startsWith("file:") ? yield* Effect.option(pathOf(path, file)) : Option.some(file)
  if (Option.isNone(given)) return yield* fail(NOT_ITS_FILE)
  const own = yield* ownFile(skill.directory, path.resolve(skill.directory, given.value))
  if (Option.isNone(own)) return yield* fail(NOT_ITS_FILE)
  const read = yield* Effect.result(readRegular(own.value, IMAGE_LIMIT))
  if (Result.isFailure(read)) return yield* fail(explain(read.failure))
  return Option.isNone(read.success)
    ? yield* fail(`it is no file, or larger than ${IMAGE_LIMIT} bytes`)
    : yield* Result.match(toContent(read.success.value), { onFailure: fail, onSuccess: Effect.succeed })
})

const pathOf = (path: Path.Path, url: string) =>
  Effect.flatMap(Effect.try({ try: () => new URL(url), catch: () => NOT_ITS_FILE }), path.fromFileUrl)

/** Says nothing of what lies outside: a file there, or none, gives the same answer. */
const NOT_ITS_FILE = "it is not one of the skill's files; give a path below its base directory"

const toContent = (bytes: Uint8Array): Result.Result<SkillContent, string> => {
  const mimeType = imageType(bytes)
  if (mimeType !== undefined) return Result.succeed({ _tag: "Image", mimeType, bytes })
  if (bytes.length > TEXT_LIMIT) return Result.fail(`it is larger than ${TEXT_LIMIT} bytes`)
  const text = decode(bytes)
  return text.includes("\0") || text.includes("\uFFFD")
    ? Result.fail("it is neither UTF-8 text nor a PNG, JPEG, GIF or WebP image")
    : Result.succeed({ _tag: "Text", text })
}

/** A resource by its name; a leading `./`, or the base, may stand before it. */
export const readResource = (
  skill: DataSkill,
  file: string
): Effect.Effect<SkillContent, SkillFileUnreadable> => {
  const names = [file, file.replace(/^\.\//, ""), file.startsWith(skill.base) ? file.slice(skill.base.length) : file]
  const resource = skill.resources.find(({ name }) => names.includes(name))
  const fail = (detail: string) => Effect.fail(new SkillFileUnreadable({ skill: skill.name, file, detail }))
  if (resource === undefined) return fail(NOT_ITS_FILE)
  const { content } = resource
  if (content === undefined) return fail("only its name is known here")
  return typeof content === "string"
    ? Effect.succeed({ _tag: "Text", text: content })
    : Result.match(toContent(content), { onFailure: fail, onSuccess: Effect.succeed })
}
