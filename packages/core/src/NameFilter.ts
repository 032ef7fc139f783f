/**
 * Which names a host lets through: a server's tools, the skills of a catalog. One rule for all of them (CONTRACT 3
 * and 6).
 *
 * @since 0.1.0
 */

/**
 * What is said of each name, and what that means for the others.
 *
 * @category models
 * @since 0.1.0
 */
export interface NameFilter {
  readonly rules: ReadonlyMap<string, boolean>
  /** Only names whose rule is `true` pass; else all pass but those whose rule is `false`. */
  readonly isAllowList: boolean
}

/**
 * Lets everything through.
 *
 * @category constructors
 * @since 0.1.0
 */
export const all: NameFilter = { rules: new Map(), isAllowList: false }

/**
 * A filter of single rules; of two for one name the later counts.
 *
 * **Details**
 *
 * Without rules everything passes; with at least one `true` only those names; with only `false` all but those.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromRules = (rules: Iterable<readonly [name: string, isWanted: boolean]>): NameFilter => {
  const byName = new Map(rules)
  return { rules: byName, isAllowList: Array.from(byName.values()).includes(true) }
}

/**
 * A filter of the names that are wanted, and no others; `*` among them means all.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromNames = (names: ReadonlyArray<string>): NameFilter =>
  names.includes("*") ? all : { rules: new Map(names.map((name) => [name, true])), isAllowList: true }

/**
 * A filter as a configuration has it: an object of names to booleans, or a list of names.
 *
 * **Example**
 *
 * ```ts
 * NameFilter.accepts(NameFilter.fromConfig({ delete: false }), "read") // => true
 * NameFilter.accepts(NameFilter.fromConfig(["read"]), "delete") // => false
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromConfig = (config: ReadonlyArray<string> | Readonly<Record<string, boolean>>): NameFilter =>
  isList(config) ? fromNames(config) : fromRules(Object.entries(config))

const isList = (config: ReadonlyArray<string> | Readonly<Record<string, boolean>>): config is ReadonlyArray<string> =>
  Array.isArray(config)

/**
 * Whether a name passes.
 *
 * @category getters
 * @since 0.1.0
 */
export const accepts = ({ isAllowList, rules }: NameFilter, name: string): boolean =>
  isAllowList ? rules.get(name) === true : rules.get(name) !== false

/**
 * The names that a filter speaks of and that don't exist: most are mistyped.
 *
 * @category getters
 * @since 0.1.0
 */
export const unmatched = (
  { rules }: NameFilter,
  existing: { readonly has: (name: string) => boolean }
): ReadonlyArray<string> => Array.from(rules.keys()).filter((name) => !existing.has(name))
