/**
 * A diagnostic is something a person should know that is not a failure: an unknown configuration key, a malformed tool
 * that was left out, a list that was cut (CONTRACT 1).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The schema of a diagnostic; the same shape everywhere.
 *
 * **Details**
 *
 * - `code`: stable and machine-readable, `kebab-case`, e.g. `unknown-key`
 * - `entry`: the server, agent, skill root or document it concerns
 * - `path`: where in a file or value, e.g. `mcpServers.a.headers.Authorization`; an entry's begins with the file where
 *   several were read
 *
 * @category models
 * @since 0.1.0
 */
export const Diagnostic = Schema.Struct({
  level: Schema.Literals(["error", "warning", "info"]),
  code: Schema.String,
  entry: Schema.optionalKey(Schema.String),
  path: Schema.optionalKey(Schema.String),
  message: Schema.String
})

/**
 * @category models
 * @since 0.1.0
 */
export interface Diagnostic extends Schema.Schema.Type<typeof Diagnostic> {}

/**
 * A diagnostic as one text: where, and what. A path says which entry it is of, and most messages say themselves where.
 *
 * **Example**
 *
 * ```ts
 * Diagnostic.describe({ level: "warning", code: "unknown-key", entry: "files", path: "mcpServers.files.tols", message: "is unknown" })
 * // => "mcpServers.files.tols: is unknown"
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const describe = ({ entry = "", message, path = "" }: Diagnostic): string => {
  const isNamed = `.${path}.`.includes(`.${entry}.`)
  return [isNamed ? "" : entry, message.includes(path) ? "" : path, message].filter((part) => part !== "").join(": ")
}
