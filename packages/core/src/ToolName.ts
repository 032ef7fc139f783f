/**
 * Names of tools that come from elsewhere: what is legal, and who keeps a name that several tools end up with
 * (CONTRACT 2). The order in which servers list or answer plays no part.
 *
 * @since 0.1.0
 */
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"

/**
 * Replaces every character outside `[a-zA-Z0-9_-]` with `_`. A character beyond the basic plane is one character.
 *
 * **Example**
 *
 * ```ts
 * ToolName.sanitize("my.server") // => "my_server"
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const sanitize = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/gu, "_")

/**
 * Sorts by code points, as a reader of a sorted list of names expects; JavaScript's own order differs beyond the basic
 * plane.
 *
 * @category ordering
 * @since 0.1.0
 */
export const byCodePoints: Order.Order<string> = Order.make((left, right) => {
  const shorter = Math.min(left.length, right.length)
  let at = 0
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at++
  const difference = at === shorter
    ? left.length - right.length
    : rank(left.charCodeAt(at)) - rank(right.charCodeAt(at))
  return difference === 0 ? 0 : difference < 0 ? -1 : 1
})

/** The halves of the highest code points stand in UTF-16 below the last of the others. */
const rank = (unit: number): number => unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit

/**
 * A tool that needs an exposed name: the parts it is made of (server and tool; card name and skill id; a card's name alone), and
 * the pair that identifies it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Candidate {
  readonly parts: ReadonlyArray<string>
  readonly entry: string
  readonly original: string
}

/**
 * Gives each candidate a name, all distinct, in the candidates' order.
 *
 * **Details**
 *
 * Of several that would have one name, the one whose parts need no replacement keeps it, else the first by entry and
 * original name; each other gets `_` and the first six hex digits of SHA-256 over entry, NUL and original name, or more
 * digits where even those are taken.
 *
 * @category operations
 * @since 0.1.0
 */
export const assign = Effect.fnUntraced(function*(candidates: ReadonlyArray<Candidate>) {
  const groups = Map.groupBy(candidates, plainName)
  const names = new Map<Candidate, string>()
  const losers: Array<Candidate> = []
  for (const [name, group] of groups) {
    const keeper = chooseKeeper(group)
    names.set(keeper, name)
    for (const candidate of group) if (candidate !== keeper) losers.push(candidate)
  }
  const taken = new Set(groups.keys())
  for (const loser of losers.toSorted(byPair)) {
    const name = distinctName(plainName(loser), yield* hash(loser), taken)
    taken.add(name)
    names.set(loser, name)
  }
  return candidates.map((candidate) => names.get(candidate) ?? plainName(candidate))
})

const plainName = ({ parts }: Candidate): string => parts.map(sanitize).join("_")

const isClean = ({ parts }: Candidate): boolean => parts.every((part) => sanitize(part) === part)

const byPair: Order.Order<Candidate> = Order.combine(
  Order.mapInput(byCodePoints, (candidate: Candidate) => candidate.entry),
  Order.mapInput(byCodePoints, (candidate: Candidate) => candidate.original)
)

const chooseKeeper = (group: ReadonlyArray<Candidate>): Candidate => {
  const clean = group.filter(isClean)
  return (clean.length > 0 ? clean : group).reduce((first, next) => byPair(next, first) < 0 ? next : first)
}

const hash = Effect.fnUntraced(function*({ entry, original }: Candidate) {
  const digest = yield* Digest.Digest
  return yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(`${entry}\0${original}`))
}, Effect.provide(Digest.layerWebCrypto))

/** Six digits, unless a server's tool happens to have, or was given on purpose, exactly that name. */
const distinctName = (plain: string, digest: string, taken: ReadonlySet<string>): string => {
  for (let digits = 6; digits < digest.length; digits++) {
    const name = `${plain}_${digest.slice(0, digits)}`
    if (!taken.has(name)) return name
  }
  return `${plain}_${digest}`
}
