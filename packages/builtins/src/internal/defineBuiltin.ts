/** A builtin is a tool as users define theirs, but for where it comes from. */
import { defineTool, type Tool } from "@effect-toolnexus/core"

export type BuiltinDefinition<A, Out> = Required<
  Pick<Tool.DecodedDefinition<A, never, Out>, "name" | "description" | "input" | "annotations" | "handler">
>

/** The one entry of the source, under which each builtin is listed. */
export const ENTRY = "builtin"

export const defineBuiltin = <A, Out>(definition: BuiltinDefinition<A, Out>): Tool.Tool<Tool.HandlerServices<Out>> => ({
  ...defineTool({ ...definition, source: "builtin" }),
  origin: { kind: "builtin", entry: ENTRY, name: definition.name }
})
