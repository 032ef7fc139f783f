/**
 * Patterns of a schema, matched in linear time: an ECMAScript pattern is rewritten for RE2, which has no backtracking, and
 * therefore no look-around and no back-references either.
 */
import * as Result from "effect/Result"
import { RE2JS } from "re2js"

export interface Pattern {
  readonly test: (text: string) => boolean
  /** What one character of a text costs at worst: the number of states that may be live at once. */
  readonly size: number
}

/** Longer patterns are generated; one this long already makes a program of 10,000 states. */
const MAX_LENGTH = 10_000

/** `undefined`: the pattern isn't one, or can't be matched in linear time. */
export const compilePattern = (source: string): Pattern | undefined => {
  if (source.length > MAX_LENGTH) return undefined
  const compiled = Result.try(() => RE2JS.compile(translate(source)))
  if (Result.isFailure(compiled)) return undefined
  const engine = compiled.success
  return { test: (text) => engine.test(text), size: engine.programSize() }
}

/** ECMAScript's white space (`\s`) and line ends (`.`) are wider than RE2's. */
const SPACE =
  "\\x{9}-\\x{D}\\x{20}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}"
const NOT_SPACE = "\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}"
  + "\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}"
const NOT_LINE_END = "[^\\n\\r\\x{2028}\\x{2029}]"
const ANY = "[\\x{0}-\\x{10FFFF}]"
const NONE = "[^\\x{0}-\\x{10FFFF}]"

const translate = (source: string): string => {
  let translated = ""
  let inClass = false
  for (let at = 0; at < source.length;) {
    const { length, opens, text }: Part = inClass ? classPart(source, at) : part(source, at)
    inClass = inClass ? source[at] !== "]" : opens === true
    translated += text
    at += length
  }
  return translated
}

/** What some characters of the pattern become. */
interface Part {
  readonly length: number
  readonly text: string
  /** Whether a class begins here. */
  readonly opens?: boolean
}

const part = (source: string, at: number): Part => {
  if (source.startsWith("[^]", at)) return { length: 3, text: ANY }
  if (source.startsWith("[]", at)) return { length: 2, text: NONE }
  if (source.startsWith("[^", at)) return { length: 2, text: "[^", opens: true }
  const name = /^\(\?<([A-Za-z_$][\w$]*)>/.exec(source.slice(at, at + 64))
  // groups are matched, never read
  if (name !== null) return { length: name[0].length, text: "(?:" }
  const character = characterAt(source, at)
  if (character === "\\") return escape(source, at, false)
  return { length: character.length, text: character === "." ? NOT_LINE_END : character, opens: character === "[" }
}

/** Inside `[...]` a bracket is only itself, though RE2 may see the beginning of `[:alpha:]`. */
const classPart = (source: string, at: number): Part => {
  const character = characterAt(source, at)
  if (character === "\\") return escape(source, at, true)
  return { length: character.length, text: character === "[" ? "\\[" : character }
}

const characterAt = (source: string, at: number): string => String.fromCodePoint(source.codePointAt(at) ?? 0)

const escape = (source: string, at: number, inClass: boolean): Part => {
  const escaped = characterAt(source, at + 1)
  const property = /^\\([pP])\{([^{}]*)\}/.exec(source.slice(at, at + 64))
  if (property !== null) {
    return { length: property[0].length, text: `\\${property[1]}{${propertyName(property[2] ?? "")}}` }
  }
  const code = codeEscape(source, at)
  if (code !== undefined) return code
  if (escaped === "s") return { length: 2, text: inClass ? SPACE : `[${SPACE}]` }
  if (escaped === "S") return { length: 2, text: inClass ? NOT_SPACE : `[${NOT_SPACE}]` }
  if (escaped === "b" && inClass) return { length: 2, text: "\\x{8}" }
  if (/[dDwWbBnrtfv]/.test(escaped)) return { length: 2, text: `\\${escaped}` }
  // back-references, and a back slash at the end; the message goes nowhere
  if (/[1-9k]/.test(escaped) || at + 1 >= source.length) throw new SyntaxError("unsupported escape")
  return {
    length: 1 + escaped.length,
    text: /[\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E]/.test(escaped) ? `\\${escaped}` : escaped
  }
}

const CODE =
  /^\\(?:u\{([\dA-Fa-f]{1,6})\}|u([\dA-Fa-f]{4})(?:\\u([Dd][C-Fc-f][\dA-Fa-f]{2}))?|x([\dA-Fa-f]{2})|c([A-Za-z])|(0)(?!\d))/

const codeEscape = (source: string, at: number): Part | undefined => {
  const match = CODE.exec(source.slice(at, at + 16))
  if (match === null) return undefined
  const [text, braced, unit, trail, byte, control] = match
  if (unit !== undefined && trail !== undefined) return surrogates(unit, trail, text.length)
  const hex = braced ?? unit ?? byte
  const code = hex === undefined ? (control?.charCodeAt(0) ?? 0) % 32 : Number.parseInt(hex, 16)
  return { length: text.length, text: `\\x{${code.toString(16)}}` }
}

/** A lead and a trail surrogate are one character; anything else and a trail are two escapes. */
const surrogates = (unit: string, trail: string, length: number): Part => {
  const lead = Number.parseInt(unit, 16)
  if (lead < 0xD800 || lead > 0xDBFF) return { length: 6, text: `\\x{${unit}}` }
  const code = 0x1_0000 + (lead - 0xD800) * 0x400 + (Number.parseInt(trail, 16) - 0xDC00)
  return { length, text: `\\x{${code.toString(16)}}` }
}

/** RE2 knows categories by their short names and scripts without a prefix. */
const propertyName = (name: string): string => {
  const value = name.replace(/^(?:General_Category|gc|Script|sc|Script_Extensions|scx)=/, "")
  return CATEGORIES.get(value) ?? value
}

const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ["Letter", "L"],
  ["Uppercase_Letter", "Lu"],
  ["Lowercase_Letter", "Ll"],
  ["Titlecase_Letter", "Lt"],
  ["Modifier_Letter", "Lm"],
  ["Other_Letter", "Lo"],
  ["Mark", "M"],
  ["Nonspacing_Mark", "Mn"],
  ["Spacing_Mark", "Mc"],
  ["Enclosing_Mark", "Me"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["digit", "Nd"],
  ["Letter_Number", "Nl"],
  ["Other_Number", "No"],
  ["Punctuation", "P"],
  ["punct", "P"],
  ["Symbol", "S"],
  ["Math_Symbol", "Sm"],
  ["Currency_Symbol", "Sc"],
  ["Separator", "Z"],
  ["Space_Separator", "Zs"],
  ["Other", "C"],
  ["Control", "Cc"],
  ["Format", "Cf"]
])
