/** Which skills a host lets through (CONTRACT 6). */

/** `true` names alone are let through where there is one; otherwise all but the `false` ones. */
export type Rules = ReadonlyMap<string, boolean>

/** Names switched off come first, so that an explicit word of the filter wins. */
export const rulesOf = (
  filter: Readonly<Record<string, boolean>> = {},
  disabled: ReadonlyArray<string> = []
): Rules => new Map([...disabled.map((name) => [name, false] as const), ...Object.entries(filter)])

export const isLetThrough = (rules: Rules): (name: string) => boolean => {
  const isAllowList = Array.from(rules.values()).includes(true)
  return (name) => isAllowList ? rules.get(name) === true : rules.get(name) !== false
}
