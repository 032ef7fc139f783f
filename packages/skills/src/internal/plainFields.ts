/**
 * Reads the front matter that most skills have, where no line leaves anything to interpret: names, each with a text that
 * is plain, in quotes or a block of lines, or with a list or names of such texts below it. That takes a tenth of the time
 * of a YAML parser, and spares a small toolkit from loading one. What is read here means the same in YAML; anything else
 * is left to that.
 */
import type { Fields, Value } from "./fields.ts"

/** Nothing where it takes a YAML parser, be it only to say what is wrong. */
export const readPlain = (source: string): Fields | undefined => {
  const values = new Map<string, Value>()
  const numbers = new Map<string, number>()
  const lines = source.split("\n")
  for (let start = 0, end = 0; start < lines.length; start = end) {
    const entry = toEntry(lines[start])
    if (entry === undefined || values.has(entry.name)) return undefined
    for (end = start + 1; lines[end]?.startsWith(" ") === true;) end++
    const value = toValue(entry, lines.slice(start + 1, end))
    if (value === undefined) return undefined
    values.set(entry.name, value)
    // the front matter begins on the second line of the file
    numbers.set(entry.name, start + 2)
  }
  return { values, lineOf: (name) => numbers.get(name), warnings: [] }
}

/** A name, and what stands beside it: text, or the sign of a block of lines. */
interface Entry {
  readonly name: string
  readonly text?: string | undefined
  readonly block?: string
}

const ENTRY = /^([A-Za-z_][\w-]{0,63}):(?: +(.+))?$/s

const BLOCK = /^[|>]-?$/

const toEntry = (line = ""): Entry | undefined => {
  const [, name, written] = ENTRY.exec(line) ?? []
  if (name === undefined || NULL.test(name)) return undefined
  if (written === undefined) return { name }
  if (BLOCK.test(written)) return { name, block: written }
  const text = toText(written)
  return text === undefined ? undefined : { name, text }
}

const toValue = ({ block, text }: Entry, below: ReadonlyArray<string>): Value | undefined => {
  if (text !== undefined) return below.length === 0 ? { text } : undefined
  const [indent] = /^ */.exec(below[0] ?? "") ?? [""]
  // a line that is indented less, or more, still begins with a blank
  const lines = below.map((line) => line.startsWith(indent) ? line.slice(indent.length) : line)
  if (block !== undefined) return toBlock(block, lines)
  return lines[0]?.startsWith("-") === true ? toList(lines) : toRecord(lines)
}

/** In a block each character is text; only blanks at its ends, and lines without text, have rules of their own. */
const toBlock = (block: string, lines: ReadonlyArray<string>): Value | undefined => {
  if (lines.length === 0 || lines.some((line) => !LEGAL.test(line) || /^ | $/.test(line))) return undefined
  const text = lines.join(block.startsWith("|") ? "\n" : " ")
  return { text: block.endsWith("-") ? text : `${text}\n` }
}

const ITEM = /^- +(.+)$/s

const toList = (lines: ReadonlyArray<string>): Value | undefined => {
  const list = lines.map((line) => toText(ITEM.exec(line)?.[1] ?? "")).filter((text) => text !== undefined)
  return list.length === lines.length ? { list } : undefined
}

const toRecord = (lines: ReadonlyArray<string>): Value | undefined => {
  const record = new Map<string, string>()
  for (const line of lines) {
    const { name, text } = toEntry(line) ?? {}
    if (name === undefined || text === undefined || record.has(name)) return undefined
    record.set(name, text)
  }
  return lines.length === 0 ? undefined : { record, isWhole: true }
}

/** No control character, line break or byte order mark, and no half of a character. */
const LEGAL = /^[\x20-\x7E\u{A1}-\u{2027}\u{202A}-\u{D7FF}\u{E000}-\u{FEFE}\u{FF00}-\u{10FFFF}]+$/u

/** Without the quotes, if it is in any. */
const toText = (written: string): string | undefined => {
  if (!LEGAL.test(written)) return undefined
  const quoted = QUOTED.exec(written)
  if (quoted !== null) return quoted[1] ?? quoted[2]
  return PLAIN.test(written) && !NOT_PLAIN.test(written) && !NULL.test(written) ? written : undefined
}

const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')$/

/** Begins with nothing that means something. */
const PLAIN = /^[A-Za-z0-9(\u{A1}-\u{10FFFF}]/u

/** What makes a name of it, or a comment, or is none of it: blanks at the end. */
const NOT_PLAIN = /: | #|[: ]$/

const NULL = /^null$/i
