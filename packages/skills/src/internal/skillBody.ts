/** Reads what a skill says at the moment it is loaded. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { DiskSkill } from "../Skill.ts"
import { SkillUnreadable } from "../SkillError.ts"
import { split } from "./fences.ts"
import { decode, explain, readRegular } from "./textFile.ts"

/** A model reads no such body; a file of that size is something else. */
export const BODY_LIMIT = 4 * 1024 * 1024

/** The file as it is now: it may have changed since it was found. */
export const readBody = Effect.fnUntraced(function*(skill: DiskSkill) {
  const fail = (detail: string) => Effect.fail(new SkillUnreadable({ skill: skill.name, detail }))
  const read = yield* Effect.result(readRegular(skill.location, BODY_LIMIT))
  if (Result.isFailure(read)) return yield* fail(explain(read.failure))
  if (Option.isNone(read.success)) return yield* fail(`its SKILL.md is no file, or larger than ${BODY_LIMIT} bytes`)
  const parts = split(decode(read.success.value), true)
  return parts._tag === "Parts" ? parts.body : yield* fail("its SKILL.md has lost its front matter")
})
