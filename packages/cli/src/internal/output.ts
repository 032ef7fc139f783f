/** What goes to standard output: complete, and quiet about a reader that has gone away. */
import * as Json from "@effect-toolnexus/core/Json"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { StdioFailed } from "../ToolnexusError.ts"

/** Writes text and a line break, waiting for a slow reader. */
export const printLine = (text: string): Effect.Effect<void, StdioFailed, Stdio.Stdio> =>
  Effect.flatMap(Stdio.Stdio, (stdio) =>
    Stream.make(text.endsWith("\n") ? text : `${text}\n`).pipe(
      Stream.run(stdio.stdout()),
      // `toolnexus tools | head -1`: the reader has what it wanted, and the clean-up goes on
      Effect.catchIf(isReaderGone, () => Effect.void),
      Effect.mapError(StdioFailed.from("stdout"))
    ))

/** Prints the one document of `--json`. */
export const printJson = (value: unknown) => printLine(toJson(value))

/** JSON.stringify recurses, and each line of it is indented by its level: no honest document comes near. */
const BOUNDS: Json.Bounds = { levels: 200, values: 1_000_000 }

/** Whether a value can be printed as JSON. */
export const isPrintable = (value: unknown): boolean =>
  Result.getOrElse(
    Result.try(() => Json.isWithin(value, BOUNDS) && JSON.stringify(value) !== undefined),
    () => false
  )

/** JSON.stringify leaves these as they are, and some terminals obey them. */
const CONTROL = /[\u007F-\u009F]/g

/** JSON for a person and a program alike, in which no character controls a terminal. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, undefined, 2).replaceAll(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const READER_GONE = new Set<unknown>(["EPIPE", "ECONNRESET", "ERR_STREAM_DESTROYED", "ERR_STREAM_PREMATURE_CLOSE"])

const isReaderGone = (error: PlatformError.PlatformError): boolean =>
  Predicate.hasProperty(error.cause, "code") && READER_GONE.has(error.cause.code)
