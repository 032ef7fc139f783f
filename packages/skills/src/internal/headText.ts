/**
 * The text of a SKILL.md's head: only as much of the file is read as it takes to reach the closing fence. It is parsed
 * once many are read, for a parser at work between two reads lets the threads that read fall asleep, and to wake one takes
 * longer than to read.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { split } from "./fences.ts"
import { decode, detach, explain, readUntil } from "./textFile.ts"

/** Thirty times the longest legal description: a head beyond it is not read to its end. */
export const HEAD_LIMIT = 32 * 1024

/** What a file begins with. `FrontMatter` has no part of the body, which would stay in memory with it. */
export type HeadText =
  | { readonly _tag: "FrontMatter"; readonly source: string }
  | { readonly _tag: "NoFrontMatter" }
  | { readonly _tag: "Unclosed" }
  | { readonly _tag: "Unreadable"; readonly message: string }

export const readHeadText = (location: string): Effect.Effect<HeadText, never, FileSystem.FileSystem> =>
  Effect.match(readUntil(location, HEAD_LIMIT, findHead), {
    onFailure: (error) => unreadable(`SKILL.md can't be read: ${explain(error)}`),
    onSuccess: (head) => head ?? { _tag: "Unclosed" }
  })

const unreadable = (message: string): HeadText => ({ _tag: "Unreadable", message })

const findHead = (bytes: Uint8Array, isWhole: boolean): HeadText | undefined => {
  if (isUtf16(bytes)) return unreadable("SKILL.md is UTF-16; save it as UTF-8")
  const parts = split(decode(bytes), isWhole)
  if (parts._tag === "Parts") return { _tag: "FrontMatter", source: detach(parts.frontMatter) }
  return parts._tag === "Unclosed" && !isWhole ? undefined : parts
}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xFF && second === 0xFE) || (first === 0xFE && second === 0xFF)
