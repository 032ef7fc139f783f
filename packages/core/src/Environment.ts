/**
 * The environment variables of the host, as a reference that tests and embedders replace. What a configuration expands
 * and what a child process inherits both come from here; nothing else reads the process environment.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"

/**
 * Variables by name.
 *
 * @category models
 * @since 0.1.0
 */
export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Defaults to the variables of this process; empty where the platform has none.
 *
 * **Example**
 *
 * ```ts
 * program.pipe(Effect.provideService(Environment, { PATH: "/usr/bin", TOKEN: "t" }))
 * ```
 *
 * @category references
 * @since 0.1.0
 */
export const Environment: Context.Reference<Variables> = Context.Reference<Variables>(
  "@effect-toolnexus/core/Environment",
  { defaultValue: () => processVariables() }
)

/** Core is typed without a platform; where there is a `process`, its variables are copied once. */
const processVariables = (): Variables => {
  const host: unknown = globalThis
  if (!Predicate.hasProperty(host, "process") || !Predicate.hasProperty(host.process, "env")) return {}
  const { env } = host.process
  if (!Predicate.isObject(env)) return {}
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => typeof pair[1] === "string"))
}

/** What a child process gets whatever it is, so that it doesn't see secrets that aren't its own (CONTRACT 3). */
const BASE: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "LANG",
  "TZ",
  "TMPDIR"
])

/**
 * The variables a child process inherits: the base list (`PATH`, `HOME`, the locale and the like), and those named.
 *
 * @category getters
 * @since 0.1.0
 */
export const inheritable = (variables: Variables, named: ReadonlyArray<string> = []): Record<string, string> => {
  const isInherited = (name: string) => BASE.has(name) || name.startsWith("LC_") || named.includes(name)
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value !== undefined && isInherited(name) ? [[name, value]] : []
    )
  )
}
