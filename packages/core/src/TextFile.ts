/**
 * Reads a small file that a configuration names. A name may stand for anything: a FIFO that never answers, a device that
 * never ends; so only a regular file is opened, and only so much of it is read.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"

/**
 * Why a file can't be read, in words that follow the file's name: `can't be read: there is no such file`.
 *
 * @category errors
 * @since 0.1.0
 */
export class TextFileError extends Schema.TaggedError<TextFileError>("@effect-toolnexus/core/TextFile/TextFileError")(
  "TextFileError",
  { reason: Schema.String }
) {
  override get message(): string {
    return `can't be read: ${this.reason}`
  }
}

/**
 * The text of a file of at most `maxBytes`.
 *
 * @category operations
 * @since 0.1.0
 */
export const read = Effect.fnUntraced(function*(path: string, maxBytes: number) {
  const fs = yield* FileSystem.FileSystem
  const { size, type } = yield* Effect.mapError(fs.stat(path), toError)
  if (type !== "File") return yield* new TextFileError({ reason: `it is no file but a ${type.toLowerCase()}` })
  if (size > maxBytes) return yield* new TextFileError({ reason: `it is larger than ${maxBytes} bytes` })
  return yield* Effect.mapError(fs.readFileString(path), toError)
})

const toError = ({ reason }: PlatformError.PlatformError): TextFileError =>
  new TextFileError({ reason: reason._tag === "NotFound" ? "there is no such file" : reason._tag })
