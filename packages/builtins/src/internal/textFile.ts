/** Reads a window of a text file in bounded memory, whatever the size of the file. */
import * as FileFormat from "@effect-toolnexus/core/FileFormat"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import { LineWindow, type WindowOptions } from "./lineWindow.ts"
import * as Utf8 from "./utf8.ts"

export type TextWindow =
  | { readonly _tag: "Binary" }
  /** The file has fewer lines than the window's offset asks for. */
  | { readonly _tag: "PastEnd"; readonly lines: number }
  | {
    readonly _tag: "Text"
    readonly text: string
    readonly shown: number
    readonly remaining: number
    /** `remaining` is a lower bound. */
    readonly isEstimate: boolean
    readonly notes: ReadonlyArray<string>
  }

/** Bytes in one read. */
const PIECE = 256 * 1024

export const readWindow = Effect.fnUntraced(function*(file: FileSystem.File, options: WindowOptions) {
  const buffer = new Uint8Array(PIECE)
  let length = yield* file.read(buffer, { position: 0n })
  const encoding = FileFormat.encodingOf(buffer.subarray(0, length))
  const toUtf8 = transcoder(encoding)
  const window = new LineWindow(options)
  let position = 0n
  while (length > 0 && !window.isDone) {
    window.feed(toUtf8(buffer.subarray(position === 0n ? encoding.mark : 0, length)))
    position += BigInt(length)
    length = yield* file.read(buffer, { position })
  }
  window.end()
  return toResult(window, options.offset, encoding)
})

/** What isn't UTF-8 is made so before lines are looked for; an odd last byte is dropped. */
const transcoder = ({ label }: FileFormat.Encoding): (bytes: Uint8Array) => Uint8Array => {
  if (label === "utf-8") return (bytes) => bytes
  const decoder = new TextDecoder(label, { ignoreBOM: true })
  const encoder = new TextEncoder()
  return (bytes) => encoder.encode(decoder.decode(bytes, { stream: true }))
}

const toResult = (window: LineWindow, offset: number, encoding: FileFormat.Encoding): TextWindow => {
  if (window.isBinary) return { _tag: "Binary" }
  if (window.shown === 0 && offset > 1) return { _tag: "PastEnd", lines: window.skipped }
  const bytes = window.bytes()
  const text = Utf8.decode(bytes)
  const marked = countMarked(text) - countMarks(bytes)
  if (marked > text.length * MOST_MARKED) return { _tag: "Binary" }
  return {
    _tag: "Text",
    text,
    shown: window.shown,
    remaining: window.remaining,
    isEstimate: window.isExhausted,
    notes: [
      ...(marked > 0 ? [`${marked} bytes that are not UTF-8 are shown as U+FFFD`] : []),
      ...(encoding.label === "utf-8" ? [] : [`the file is ${encoding.label.toUpperCase()}`])
    ]
  }
}

/** The part of a text above which it can't be read anyway; accents in an encoding of one byte stay well below. */
const MOST_MARKED = 0.3

const countMarked = (text: string): number => text.split("\uFFFD").length - 1

/** U+FFFD that the file itself contains. */
const countMarks = (bytes: Uint8Array): number => {
  const [first = 0, second, third] = Utf8.REPLACEMENT
  let count = 0
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (bytes[at + 1] === second && bytes[at + 2] === third) count++
  }
  return count
}
