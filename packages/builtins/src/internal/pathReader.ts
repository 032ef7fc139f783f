/** Reads paths, each ended by NUL, in any order; keeps the first ones, and counts all. */
import { type Entry, FirstEntries, type Room } from "./firstEntries.ts"
import { asBytes, copied, decoded } from "./shownPath.ts"

const NUL = "\0"
const PREFIX_LENGTH = "./".length

export class PathReader {
  total = 0
  readonly #isMeant: (path: string) => boolean
  readonly #kept: FirstEntries<Entry>
  #rest = ""

  constructor(room: Room, isMeant: (path: string) => boolean) {
    this.#isMeant = isMeant
    this.#kept = new FirstEntries(room)
  }

  take(chunk: Uint8Array): void {
    const bytes = this.#rest + asBytes(chunk)
    let start = 0
    for (let end = bytes.indexOf(NUL); end !== -1; end = bytes.indexOf(NUL, start)) {
      this.#path(bytes.slice(start + PREFIX_LENGTH, end))
      start = end + 1
    }
    this.#rest = bytes.slice(start)
  }

  /** By code points. */
  get names(): ReadonlyArray<string> {
    return this.#kept.entries.map(({ path }) => decoded(path))
  }

  #path(path: string): void {
    if (!this.#isMeant(path)) return
    this.total++
    if (this.#kept.wants(path)) this.#kept.add({ path: copied(path), count: 1, size: path.length + 1 })
  }
}
