/**
 * Reads what ripgrep prints: for each line `PATH NUL NUMBER : TEXT`, or with `-` where the line is only context. The lines
 * of one file come together and in order, the files in any order. Kept are the first ones by path, as many as are wanted.
 */
import { FirstEntries, type Room } from "./firstEntries.ts"
import { asBytes, copied, decoded } from "./shownPath.ts"

export interface Line {
  readonly number: number
  readonly isMatch: boolean
  readonly text: string
}

/** The lines of one file that are kept. */
export interface FileLines {
  /** Relative, a character for each byte. */
  readonly path: string
  /** Matches among the lines, not all of the file. */
  readonly count: number
  readonly size: number
  readonly lines: ReadonlyArray<Line>
}

interface Current {
  readonly path: string
  readonly isMeant: boolean
  readonly isWanted: boolean
  readonly lines: Array<Line>
  /** All matches of the file, and how many of them are among the lines. */
  matches: number
  count: number
  size: number
  isComplete: boolean
}

const NUL = "\0"
const LINE_END = "\n"
const PREFIX = "./"

export class GrepReader {
  matches = 0
  files = 0
  /** Whether a file had more matches than are counted. */
  isEstimate = false
  /** Whether the last file, which may be the only one, turned out to be binary. */
  isBinary = false
  readonly #room: Room
  readonly #isMeant: (path: string) => boolean
  readonly #maxMatches: number
  readonly #kept: FirstEntries<FileLines>
  #rest = ""
  #current: Current | undefined

  /** `maxMatches`: how many ripgrep counts in one file at most. */
  constructor(room: Room, isMeant: (path: string) => boolean, maxMatches: number) {
    this.#room = room
    this.#isMeant = isMeant
    this.#maxMatches = maxMatches
    this.#kept = new FirstEntries(room)
  }

  take(chunk: Uint8Array): void {
    const bytes = this.#rest + asBytes(chunk)
    let start = 0
    for (;;) {
      const pathEnd = bytes.indexOf(NUL, start)
      const lineEnd = pathEnd === -1 ? -1 : bytes.indexOf(LINE_END, pathEnd)
      if (lineEnd === -1) break
      this.#line(bytes.slice(start + PREFIX.length, pathEnd), bytes.slice(pathEnd + 1, lineEnd))
      start = lineEnd + 1
    }
    this.#rest = bytes.slice(start)
  }

  /** All that is kept, by path. */
  end(): ReadonlyArray<FileLines> {
    // what is left when all is read is what it says of a binary file
    const notice = binaryNotice(this.#rest.slice(PREFIX.length))
    if (notice !== undefined) this.#drop(notice.path)
    this.isBinary = notice !== undefined
    this.#finish()
    return this.#kept.entries
  }

  #line(path: string, line: string): void {
    if (this.#current?.path !== path) this.#begin(path)
    const current = this.#current
    if (current === undefined || !current.isMeant) return
    const separator = digits(line)
    const isMatch = line[separator] === ":"
    if (isMatch) current.matches++
    if (!current.isWanted || current.size >= this.#room.bytes) return
    if (isMatch && current.count >= this.#room.count) current.isComplete = true
    // the context behind the last match is wanted too
    if (current.isComplete) return
    if (isMatch) current.count++
    const text = decoded(line.slice(separator + 1)).replace(/\r$/, "")
    current.lines.push({ number: Number(line.slice(0, separator)), isMatch, text })
    current.size += line.length + path.length
  }

  #begin(given: string): void {
    // nearly no path holds a line end, and nearly every file comes by here
    const notice = given.includes(LINE_END) ? this.#noticeBefore(given) : undefined
    if (notice !== undefined) this.#drop(notice.path)
    this.#finish()
    const path = notice === undefined ? given : given.slice(notice.length + PREFIX.length)
    const isMeant = this.#isMeant(path)
    const isWanted = isMeant && this.#kept.wants(path)
    this.#current = {
      path: isWanted ? copied(path) : path,
      isMeant,
      isWanted,
      lines: [],
      matches: 0,
      count: 0,
      size: 0,
      isComplete: false
    }
  }

  /** It is about the file whose lines came before, and a path follows; a name that only looks like one is a name. */
  #noticeBefore(given: string): Notice | undefined {
    const notice = binaryNotice(given)
    return notice !== undefined && notice.path === this.#current?.path && given.startsWith(PREFIX, notice.length)
      ? notice
      : undefined
  }

  /** A file is binary after all: nothing of it counts. */
  #drop(path: string): void {
    if (this.#current?.path === path) this.#current = undefined
  }

  #finish(): void {
    const current = this.#current
    this.#current = undefined
    if (current === undefined || current.matches === 0) return
    this.files++
    this.matches += current.matches
    if (current.matches >= this.#maxMatches) this.isEstimate = true
    if (current.isWanted) this.#kept.add(current)
  }
}

const digits = (line: string): number => {
  let length = 0
  while (line.charCodeAt(length) >= 48 && line.charCodeAt(length) <= 57) length++
  return length
}

interface Notice {
  readonly path: string
  /** Its line end included. */
  readonly length: number
}

/** It is printed between the lines of two files, without a NUL, and so in front of a path. */
const binaryNotice = (text: string): Notice | undefined => {
  const [whole = "", path] = NOTICE.exec(text) ?? []
  return path === undefined ? undefined : { path, length: whole.length }
}

const NOTICE =
  /^(.*?): (?:WARNING: stopped searching binary file after match|binary file matches) \(found "\\0" byte around offset \d+\)\n/s
