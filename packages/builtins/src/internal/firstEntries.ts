/** Keeps those of many entries that are first by path, in whatever order they come, and no more of them than are wanted. */

export interface Entry {
  /** A character for each byte of UTF-8, so that it sorts like the code points. */
  readonly path: string
  /** How much of the limit it takes. */
  readonly count: number
  /** Bytes. */
  readonly size: number
}

export interface Room {
  readonly count: number
  readonly bytes: number
}

export class FirstEntries<A extends Entry> {
  readonly #room: Room
  readonly #entries: Array<A> = []
  #count = 0
  #bytes = 0

  constructor(room: Room) {
    this.#room = room
  }

  /** By path. */
  get entries(): ReadonlyArray<A> {
    return this.#entries
  }

  /** Whether an entry of this path would be among the first ones. */
  wants(path: string): boolean {
    const last = this.#entries.at(-1)
    return last === undefined || !this.#isEnough(0, 0) || path < last.path
  }

  add(entry: A): void {
    this.#entries.splice(this.#placeOf(entry.path), 0, entry)
    this.#count += entry.count
    this.#bytes += entry.size
    for (
      let last = this.#entries.at(-1);
      last !== undefined && this.#isEnough(last.count, last.size);
      last = this.#entries.at(-1)
    ) {
      this.#entries.pop()
      this.#count -= last.count
      this.#bytes -= last.size
    }
  }

  /** Whether there is enough without so much. */
  #isEnough(count: number, bytes: number): boolean {
    return this.#count - count >= this.#room.count || this.#bytes - bytes >= this.#room.bytes
  }

  #placeOf(path: string): number {
    let [from, to] = [0, this.#entries.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const there = this.#entries[middle]
      if (there !== undefined && there.path <= path) from = middle + 1
      else to = middle
    }
    return from
  }
}
