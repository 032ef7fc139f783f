/**
 * Reads a patch as agents write it: `*** Begin Patch`, sections that add, update, move and delete files, `*** End Patch`;
 * perhaps in a here-document or a Markdown fence, with CRLF line ends, blanks around markers, and empty context lines
 * that lack their blank.
 */
import { Text } from "@effect-toolnexus/core"
import * as Data from "effect/Data"
import * as Result from "effect/Result"

export type Section = Data.TaggedEnum<{
  Add: { readonly path: string; readonly content: string }
  Delete: { readonly path: string }
  Update: { readonly path: string; readonly moveTo: string | undefined; readonly hunks: ReadonlyArray<Hunk> }
}>

export const Section = Data.taggedEnum<Section>()

export interface Hunk {
  /** The line of the patch it begins in, from 1. */
  readonly at: number
  /** Lines that stand somewhere above, each below the one before: they narrow the search. */
  readonly headers: ReadonlyArray<string>
  /** Whether it begins with the line numbers of a unified diff, which say nothing here. */
  readonly isNumbered: boolean
  readonly lines: ReadonlyArray<HunkLine>
  /** Whether its lines end the file. */
  readonly isAtEnd: boolean
  /** Whether its last line is said to have no line end. */
  readonly hasOpenEnd: boolean
}

export interface HunkLine {
  readonly kind: "context" | "added" | "removed"
  readonly text: string
}

const BEGIN = "*** Begin Patch"
const END = "*** End Patch"
const MOVE = "*** Move to:"
const END_OF_FILE = "*** End of File"
const OPEN_END = "\\ No newline at end of file"

const HEADERS = [
  ["*** Add File:", "Add"],
  ["*** Update File:", "Update"],
  ["*** Delete File:", "Delete"]
] as const

const FORM = "A patch is: *** Begin Patch, then for each file *** Add File: PATH with lines that begin with +, "
  + "*** Update File: PATH (and perhaps *** Move to: PATH) with hunks that begin with @@ and lines that begin with a "
  + "blank, + or -, or *** Delete File: PATH; then *** End Patch"

/** The failure says where the patch is wrong, in lines from 1. */
export const parse = (patchText: string): Result.Result<ReadonlyArray<Section>, string> => {
  const lines = patchText.split("\n")
  const begin = lines.findIndex((line) => line.trim() === BEGIN)
  if (begin === -1) {
    return Result.fail(`The patch ${patchText.trim() === "" ? "is empty" : `has no line "${BEGIN}"`}. ${FORM}`)
  }
  const end = lines.findLastIndex((line) => line.trim() === END)
  if (end < begin) return Result.fail(`The patch has no line "${END}": it may have been cut. ${FORM}`)
  const isCrlf = lines[begin]?.endsWith("\r") === true
  const body = lines.slice(begin + 1, end).map((line) => isCrlf && line.endsWith("\r") ? line.slice(0, -1) : line)
  return new PatchParser(body, begin + 2).sections()
}

/** Goes through the lines between the markers once. */
class PatchParser {
  readonly #lines: ReadonlyArray<string>
  readonly #firstNumber: number
  #at = 0
  #problem: string | undefined

  constructor(lines: ReadonlyArray<string>, firstNumber: number) {
    this.#lines = lines
    this.#firstNumber = firstNumber
  }

  sections(): Result.Result<ReadonlyArray<Section>, string> {
    const sections: Array<Section> = []
    while (this.#problem === undefined && this.#skipBlank()) {
      const section = this.#section()
      if (section !== undefined) sections.push(section)
    }
    if (this.#problem !== undefined) return Result.fail(this.#problem)
    return sections.length === 0
      ? Result.fail(`The patch is empty: no files are modified. ${FORM}`)
      : Result.succeed(sections)
  }

  /** Whether anything follows. */
  #skipBlank(): boolean {
    while (this.#line?.trim() === "") this.#at++
    return this.#line !== undefined
  }

  get #line(): string | undefined {
    return this.#lines[this.#at]
  }

  get #number(): number {
    return this.#firstNumber + this.#at
  }

  #fail(what: string): undefined {
    this.#problem ??= `Line ${this.#number} of the patch: ${what}`
    return undefined
  }

  #section(): Section | undefined {
    const line = this.#line?.trim() ?? ""
    const header = HEADERS.find(([marker]) => line.startsWith(marker))
    if (header === undefined) return this.#fail(`invalid header ${shown(line)}. ${FORM}`)
    const [marker, kind] = header
    const path = line.slice(marker.length).trim()
    if (path === "") return this.#fail(`${marker} needs a path`)
    this.#at++
    if (kind === "Add") return Section.Add({ path, content: this.#addedContent() })
    return kind === "Delete" ? Section.Delete({ path }) : this.#update(path)
  }

  #addedContent(): string {
    const added: Array<string> = []
    let blank = 0
    for (let line = this.#line; line !== undefined && (line.startsWith("+") || line.trim() === ""); line = this.#line) {
      // an empty line in the middle lacks its plus; at the end it stands in front of what follows
      if (line.trim() === "") blank++
      else {
        for (; blank > 0; blank--) added.push("")
        added.push(line.slice(1))
      }
      this.#at++
    }
    if (this.#line !== undefined && !isHeader(this.#line)) {
      this.#fail(`unexpected ${shown(this.#line)}: each line of a file that is added begins with +`)
    }
    return added.map((line) => `${line}\n`).join("")
  }

  #update(path: string): Section | undefined {
    this.#skipBlank()
    const move = this.#line?.trim().startsWith(MOVE) === true ? this.#line.trim().slice(MOVE.length).trim() : undefined
    if (move !== undefined) this.#at++
    if (move === "") return this.#fail(`${MOVE} needs a path`)
    const hunks: Array<Hunk> = []
    while (this.#problem === undefined && this.#line !== undefined && !this.#line.startsWith("*** ")) {
      // blank lines in front of what follows belong to nobody
      if (this.#isBlankToSectionEnd()) break
      const hunk = this.#hunk()
      if (hunk !== undefined) hunks.push(hunk)
    }
    if (this.#problem === undefined && hunks.length === 0 && move === undefined) {
      return this.#fail(`${path} has no hunk, so there is nothing to update`)
    }
    return Section.Update({ path, moveTo: move, hunks })
  }

  #isBlankToSectionEnd(): boolean {
    const start = this.#at
    this.#skipBlank()
    const isEnd = this.#line === undefined || this.#line.startsWith("*** ")
    if (!isEnd) this.#at = start
    return isEnd
  }

  #hunk(): Hunk | undefined {
    const at = this.#number
    const header = this.#hunkHeaders()
    const { hasOpenEnd, lines } = this.#hunkLines()
    if (this.#problem !== undefined) return undefined
    if (lines.length === 0) return this.#fail("the hunk is empty: it has no line that begins with a blank, + or -")
    const isAtEnd = this.#line?.trim() === END_OF_FILE
    if (isAtEnd) this.#at++
    return { at, ...header, lines, isAtEnd, hasOpenEnd }
  }

  #hunkLines(): Pick<Hunk, "lines" | "hasOpenEnd"> {
    const lines: Array<HunkLine> = []
    let hasOpenEnd = false
    let bare = 0
    for (let line = this.#line; line !== undefined && !isHunkEnd(line); line = this.#line) {
      const kind = KINDS[line[0] ?? ""]
      if (isBare(line)) bare++
      else if (line.trimEnd() === OPEN_END) hasOpenEnd = lines.at(-1)?.kind !== "removed"
      else if (kind === undefined) {
        this.#fail(`unexpected ${shown(line)}: each line of a hunk begins with a blank, + or -`)
        break
      } else {
        // an empty line among others lacks its blank; at the end it stands in front of what follows
        for (; bare > 0; bare--) lines.push({ kind: "context", text: "" })
        lines.push({ kind, text: withoutCr(line.slice(1)) })
      }
      this.#at++
    }
    return { lines, hasOpenEnd }
  }

  #hunkHeaders(): Pick<Hunk, "headers" | "isNumbered"> {
    const headers: Array<string> = []
    let isNumbered = false
    for (let line = this.#line; line?.startsWith("@@") === true; line = this.#line) {
      const text = withoutCr(line.slice(2)).replace(/^ /, "")
      if (UNIFIED.test(text)) isNumbered = true
      else if (text.trim() !== "") headers.push(text)
      this.#at++
    }
    return { headers, isNumbered }
  }
}

/** Every line of a hunk begins with one character of these, so no marker is taken for one. */
const KINDS: Readonly<Record<string, HunkLine["kind"]>> = { " ": "context", "+": "added", "-": "removed" }

const isHeader = (line: string): boolean => line.trimStart().startsWith("*** ")

const isHunkEnd = (line: string): boolean => line.startsWith("@@") || line.startsWith("*** ")

const isBare = (line: string): boolean => line === "" || line === "\r"

/** `-1,2 +1,2 @@`, as a unified diff numbers its lines. */
const UNIFIED = /^-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/

/** A CR at the end is part of a line end, not of the line. */
const withoutCr = (line: string): string => line.endsWith("\r") ? line.slice(0, -1) : line

const shown = (line: string): string => JSON.stringify(Text.cut(line, 200, "…"))
