/**
 * Ready-made choices of what the builtins may do, for the option `builtins` of a toolkit.
 *
 * @since 0.1.0
 */
import type { BuiltinSettings } from "./BuiltinOptions.ts"

/**
 * For a host that doesn't trust its model: no shell, files only within `root`, and of the network only what is public.
 *
 * **Details**
 *
 * `root` is relative to the working directory. Everything else is as always, limits too; a host narrows it further by
 * spreading it: `readOnly`, `limits`, single `tools`. docs/security.md says what it stops, and what it doesn't.
 *
 * **Example**
 *
 * ```ts
 * const layer = ToolkitLive({ builtins: { ...Builtins.sandboxed("/srv/project"), readOnly: true } })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const sandboxed = (root: string) =>
  ({ root, network: "public", tools: { bash: false } }) as const satisfies BuiltinSettings
