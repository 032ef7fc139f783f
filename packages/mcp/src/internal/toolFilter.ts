/** Which of a server's tools are wanted, by original name. */

/** `only` absent: all but `except`. */
export interface ToolFilter {
  readonly only?: ReadonlySet<string>
  readonly except: ReadonlySet<string>
}

export const all: ToolFilter = { except: new Set() }

/**
 * A map reads like the skills filter: with at least one `true` only those, else all but the `false` ones; empty means
 * all. A list holds the names that are wanted, `*` among them all.
 */
export const fromConfig = (tools: ReadonlyArray<string> | Readonly<Record<string, boolean>>): ToolFilter => {
  if (isList(tools)) return tools.includes("*") ? all : { only: new Set(tools), except: new Set() }
  const wanted = Object.keys(tools).filter((name) => tools[name] === true)
  return wanted.length > 0 ? { only: new Set(wanted), except: new Set() } : { except: new Set(Object.keys(tools)) }
}

const isList = (tools: ReadonlyArray<string> | Readonly<Record<string, boolean>>): tools is ReadonlyArray<string> =>
  Array.isArray(tools)

export const accepts = (filter: ToolFilter, name: string): boolean =>
  filter.only === undefined ? !filter.except.has(name) : filter.only.has(name)

/** The names a filter mentions that the server doesn't have. */
export const unmatched = (filter: ToolFilter, names: ReadonlySet<string>): ReadonlyArray<string> =>
  [...(filter.only ?? filter.except)].filter((name) => !names.has(name))
