/**
 * A file's bytes as text and back again, so that what isn't changed stays as it was: byte order mark and encoding are
 * kept, and what can't be read without loss isn't taken for text.
 */
import { type Encoding, encodingOf } from "@effect-toolnexus/core/FileFormat"
import * as Result from "effect/Result"
import * as Lines from "./lines.ts"

export interface TextContent {
  readonly text: string
  readonly encoding: Encoding
}

/** The failure goes on where the path ends. */
export const decode = (bytes: Uint8Array): Result.Result<TextContent, string> => {
  const encoding = encodingOf(bytes)
  return Result.flatMap(
    Result.try({
      try: () =>
        new TextDecoder(encoding.label, { fatal: true, ignoreBOM: true }).decode(bytes.subarray(encoding.mark)),
      catch: () =>
        bytes.includes(0) && encoding.label === "utf-8"
          ? "is a binary file"
          : `is not valid ${encoding.label.toUpperCase()}, and changing it would destroy the bytes that aren't`
    }),
    (text) => text.includes("\0") ? Result.fail("is a binary file") : Result.succeed({ text, encoding })
  )
}

/** Lone surrogates become U+FFFD in every encoding. */
export const encode = ({ encoding, text }: TextContent): Uint8Array => {
  const utf8 = new TextEncoder().encode(text)
  if (encoding.label === "utf-8") return encoding.mark === 0 ? utf8 : withMark([0xef, 0xbb, 0xbf], utf8)
  const isLittleEndian = encoding.label === "utf-16le"
  const wellFormed = new TextDecoder("utf-8", { ignoreBOM: true }).decode(utf8)
  const units = new Uint8Array(wellFormed.length * 2)
  const view = new DataView(units.buffer)
  for (let index = 0; index < wellFormed.length; index++) {
    view.setUint16(index * 2, wellFormed.charCodeAt(index), isLittleEndian)
  }
  return withMark(isLittleEndian ? [0xff, 0xfe] : [0xfe, 0xff], units)
}

const UTF8: Encoding = { label: "utf-8", mark: 0 }

/**
 * A new text in the clothes of the file it replaces: its encoding and byte order mark, and its line ends where all of them
 * are CRLF and the text has none of those. What can't be read as text has nothing to keep.
 */
export const inPlaceOf = (bytes: Uint8Array | undefined, text: string): Replacing => {
  const before = bytes === undefined ? undefined : Result.getOrUndefined(decode(bytes))
  if (before === undefined) return { before, encoding: UTF8, text, keptEnds: false }
  const { encoding } = before
  const unmarked = text.startsWith("\uFEFF") && encoding.mark > 0 ? text.slice(1) : text
  const keptEnds = endsInCrlf(before.text) && unmarked.includes("\n") && !unmarked.includes("\r\n")
  return { before, encoding, text: keptEnds ? Lines.withEnds(unmarked, "\r\n") : unmarked, keptEnds }
}

export interface Replacing extends TextContent {
  readonly before: TextContent | undefined
  /** Whether LF was made CRLF, as before. */
  readonly keptEnds: boolean
}

/** Whether a text has line ends, and all of them are CRLF. */
const endsInCrlf = (text: string): boolean => text.includes("\n") && !/(?:^|[^\r])\n/.test(text)

const withMark = (mark: ReadonlyArray<number>, bytes: Uint8Array): Uint8Array => {
  const all = new Uint8Array(mark.length + bytes.length)
  all.set(mark)
  all.set(bytes, mark.length)
  return all
}
