/**
 * What is in flight: calls, requests and their limits, of which thousands come and go in a second.
 *
 * A `Set` or a `Map` is the wrong place for those. V8 links each table that one has outgrown to the next, and grows a table
 * for every few that came and went; once the first is old, all that was ever in flight stays in memory until the next full
 * collection of garbage. That took more time than the calls themselves.
 *
 * @since 0.1.0
 */

/**
 * One that can be in flight, in one {@link InFlight} at a time.
 *
 * @category models
 * @since 0.1.0
 */
export abstract class Member {
  /** Where it is there; -1: it isn't in flight. For {@link InFlight} alone. */
  slot = -1
}

/**
 * Those that are in flight, in no particular order.
 *
 * @category collections
 * @since 0.1.0
 */
export class InFlight<A extends Member> {
  readonly #members: Array<A> = []

  has({ slot }: A): boolean {
    return slot >= 0
  }

  add(member: A) {
    if (!this.has(member)) member.slot = this.#members.push(member) - 1
  }

  /** The last takes its place. */
  delete(member: A) {
    if (!this.has(member)) return
    const last = this.#members.pop()
    if (last !== undefined && last !== member) {
      this.#members[member.slot] = last
      last.slot = member.slot
    }
    member.slot = -1
  }

  /** Those that are there now; who comes or goes meanwhile changes nothing of it. */
  get now(): ReadonlyArray<A> {
    return [...this.#members]
  }
}
