/**
 * Reads what ripgrep prints: for each line `PATH NUL NUMBER : TEXT`, or with `-` where the line is only context. The lines
 * of one file come together and in order, the files in any order. Kept are the first ones by path, as many as are wanted.
 */
import { FirstEntries, type Room } from "./firstEntries.ts"
import { decodePath } from "./shownPath.ts"
import * as Utf8 from "./utf8.ts"

export interface Line {
  readonly number: number
  readonly isMatch: boolean
  readonly text: string
}

/** The lines of one file that are kept. */
export interface FileLines {
  readonly path: Uint8Array
  /** Relative, without `./`. */
  readonly name: string
  /** Matches among the lines, not all of the file. */
  readonly count: number
  readonly size: number
  readonly lines: ReadonlyArray<Line>
}

interface Current {
  readonly path: Uint8Array
  readonly name: string
  readonly isMeant: boolean
  readonly isWanted: boolean
  readonly lines: Array<Line>
  /** All matches of the file, and how many of them are among the lines. */
  matches: number
  count: number
  size: number
  isComplete: boolean
}

const NUL = 0
const LINE_END = 10
const COLON = 58
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
  #rest: Uint8Array = new Uint8Array(0)
  #current: Current | undefined

  /** `maxMatches`: how many ripgrep counts in one file at most. */
  constructor(room: Room, isMeant: (path: string) => boolean, maxMatches: number) {
    this.#room = room
    this.#isMeant = isMeant
    this.#maxMatches = maxMatches
    this.#kept = new FirstEntries(room)
  }

  take(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let start = 0
    for (;;) {
      const pathEnd = bytes.indexOf(NUL, start)
      const lineEnd = pathEnd === -1 ? -1 : bytes.indexOf(LINE_END, pathEnd)
      if (lineEnd === -1) break
      this.#line(bytes.subarray(start, pathEnd), bytes.subarray(pathEnd + 1, lineEnd))
      start = lineEnd + 1
    }
    this.#rest = start === 0 ? bytes : bytes.slice(start)
  }

  /** All that is kept, by path. */
  end(): ReadonlyArray<FileLines> {
    // what is left when all is read is what it says of a binary file
    if (this.#rest.length > 0) {
      const notice = binaryNotice(decodePath(this.#rest))
      if (notice !== undefined) this.#drop(notice.path)
      this.isBinary = notice !== undefined
    }
    this.#finish()
    return this.#kept.entries
  }

  #line(path: Uint8Array, line: Uint8Array): void {
    if (this.#current === undefined || Buffer.compare(this.#current.path, path) !== 0) this.#begin(path)
    const current = this.#current
    if (current === undefined || !current.isMeant) return
    const separator = line.findIndex((byte) => byte < 48 || byte > 57)
    const isMatch = line[separator] === COLON
    if (isMatch) current.matches++
    if (!current.isWanted || current.size >= this.#room.bytes) return
    if (isMatch && current.count >= this.#room.count) current.isComplete = true
    // the context behind the last match is wanted too
    if (current.isComplete) return
    if (isMatch) current.count++
    const text = Utf8.decode(line.subarray(separator + 1)).replace(/\r$/, "")
    current.lines.push({ number: Number(Utf8.decode(line.subarray(0, separator))), isMatch, text })
    current.size += line.length + path.length
  }

  #begin(given: Uint8Array): void {
    const notice = binaryNotice(decodePath(given))
    if (notice !== undefined) this.#drop(notice.path)
    this.#finish()
    // a copy, because these bytes would keep a whole chunk alive
    const path = Uint8Array.from(notice === undefined ? given : given.subarray(notice.length))
    const name = decodePath(path).replace(PREFIX, "")
    const isMeant = this.#isMeant(name)
    const isWanted = isMeant && this.#kept.wants(path)
    this.#current = { path, name, isMeant, isWanted, lines: [], matches: 0, count: 0, size: 0, isComplete: false }
  }

  /** A file is binary after all: nothing of it counts. */
  #drop(path: string): void {
    if (this.#current !== undefined && decodePath(this.#current.path) === path) this.#current = undefined
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

interface Notice {
  readonly path: string
  /** Bytes, its line end included. */
  readonly length: number
}

/** It is printed between the lines of two files, without a NUL, and so in front of a path. */
const binaryNotice = (text: string): Notice | undefined => {
  const [whole = "", path] =
    /^(.*?): (?:WARNING: stopped searching binary file after match|binary file matches) \(found "\\0" byte around offset \d+\)\n/s
      .exec(text) ?? []
  return path === undefined ? undefined : { path, length: Buffer.byteLength(whole) }
}
