/**
 * Finds a sequence in another in time linear in both, whatever they are made of (Knuth, Morris and Pratt): a search that
 * is fast on ordinary texts and takes for ever on others is a way to stop the host.
 */

/** Where the needle occurs, overlapping or not, in order, at most `limit` of them. An empty needle occurs nowhere. */
export const occurrences = <A>(
  haystack: ArrayLike<A>,
  needle: ArrayLike<A>,
  options: { readonly from?: number; readonly limit?: number; readonly overlapping?: boolean } = {}
): ReadonlyArray<number> => {
  const { from = 0, limit = Number.POSITIVE_INFINITY, overlapping = true } = options
  if (needle.length === 0 || needle.length > haystack.length - from) return []
  const borders = bordersOf(needle)
  const found: Array<number> = []
  let matched = 0
  for (let at = from; at < haystack.length && found.length < limit; at++) {
    while (matched > 0 && haystack[at] !== needle[matched]) matched = borders[matched - 1] ?? 0
    if (haystack[at] === needle[matched]) matched++
    if (matched < needle.length) continue
    found.push(at - matched + 1)
    matched = overlapping ? borders[matched - 1] ?? 0 : 0
  }
  return found
}

/** For each beginning of a sequence the length of the longest proper part that both begins and ends it. */
const bordersOf = <A>(sequence: ArrayLike<A>): Uint32Array => {
  const borders = new Uint32Array(sequence.length)
  let length = 0
  for (let at = 1; at < sequence.length; at++) {
    while (length > 0 && sequence[at] !== sequence[length]) length = borders[length - 1] ?? 0
    if (sequence[at] === sequence[length]) length++
    borders[at] = length
  }
  return borders
}

/** The same in a text. The engine's own search is many times faster, and as good where the needle is short. */
export const textOccurrences = (text: string, needle: string, limit: number): ReadonlyArray<number> => {
  if (needle.length > MAX_QUICK) return occurrences(text, needle, { limit, overlapping: false })
  const found: Array<number> = []
  if (needle === "") return found
  for (
    let at = text.indexOf(needle);
    at !== -1 && found.length < limit;
    at = text.indexOf(needle, at + needle.length)
  ) found.push(at)
  return found
}

const MAX_QUICK = 512
