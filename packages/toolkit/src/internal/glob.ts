/** Names by pattern, in time that grows with their length alone. */

/** `*` stands for any characters, and every other character for itself. */
export const matcher = (patterns: ReadonlyArray<string>): (name: string) => boolean => {
  const names = new Set(patterns.filter((pattern) => !pattern.includes("*")))
  const globs = patterns.filter((pattern) => pattern.includes("*")).map((pattern) => pattern.split(/\*+/))
  return (name) => names.has(name) || globs.some((parts) => matches(name, parts))
}

/** Each part is taken at its first place, which costs no more than the length of the name. */
const matches = (name: string, parts: ReadonlyArray<string>): boolean => {
  const [first = "", ...rest] = parts
  const last = rest.at(-1) ?? ""
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let position = first.length
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, position)
    if (found === -1) return false
    position = found + part.length
  }
  return position <= name.length - last.length
}

/** No pattern fits every name. */
export const globMatcher = (pattern: string | undefined): (name: string) => boolean =>
  pattern === undefined ? () => true : matcher([pattern])
