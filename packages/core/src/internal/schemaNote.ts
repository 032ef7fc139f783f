/** What a schema loses, or how it changes, on its way to a provider. */
import * as Text from "../Text.ts"

/**
 * - `dropped`: no longer said anywhere
 * - `widened`: allows more than the tool does
 * - `narrowed`: allows less
 * - `renamed`: a property or tool goes by another name
 * - `encoded`: the value is written in another form
 * - `moved`: said in the description instead
 * - `limit`: more than the provider takes
 * - `not-strict`: sent without the strict mode that was asked for
 */
export type NoteKind = "dropped" | "widened" | "narrowed" | "renamed" | "encoded" | "moved" | "limit" | "not-strict"

export interface SchemaNote {
  /** Where in the arguments: `filters[].name`; empty for the whole. */
  readonly path: string
  readonly kind: NoteKind
  readonly text: string
}

/** Of one schema; who makes more of it than that reads no notes. */
export const MAX_NOTES = 500

const MAX_SEGMENTS = 20
const MAX_SEGMENT = 60

/** As one would write it in code; `$defs.x` for a definition. The way to a part that is far down is cut. */
export const spellPath = (path: ReadonlyArray<string>): string =>
  path.slice(0, MAX_SEGMENTS).map((segment) => Text.cut(segment, MAX_SEGMENT, "…")).reduce(
    (before, segment) => before === "" || segment.startsWith("[") ? before + segment : `${before}.${segment}`,
    ""
  )
