/** Reads paths, each ended by NUL, in any order; keeps the first ones, and counts all. */
import { FirstEntries, type Room } from "./firstEntries.ts"
import { decodePath } from "./shownPath.ts"

interface PathEntry {
  readonly path: Uint8Array
  readonly name: string
  readonly count: 1
  readonly size: number
}

const NUL = 0
const PREFIX_LENGTH = 2

export class PathReader {
  total = 0
  readonly #isMeant: (path: string) => boolean
  readonly #kept: FirstEntries<PathEntry>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(room: Room, isMeant: (path: string) => boolean) {
    this.#isMeant = isMeant
    this.#kept = new FirstEntries(room)
  }

  take(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(NUL); end !== -1; end = bytes.indexOf(NUL, start)) {
      this.#path(bytes.subarray(start + PREFIX_LENGTH, end))
      start = end + 1
    }
    this.#rest = bytes.slice(start)
  }

  /** By code points. */
  get names(): ReadonlyArray<string> {
    return this.#kept.entries.map(({ name }) => name)
  }

  #path(bytes: Uint8Array): void {
    const name = decodePath(bytes)
    if (!this.#isMeant(name)) return
    this.total++
    if (!this.#kept.wants(bytes)) return
    this.#kept.add({ path: Uint8Array.from(bytes), name, count: 1, size: bytes.length + 1 })
  }
}
