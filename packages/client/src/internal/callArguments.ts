/** What runtimes hand on as a model's arguments: parsed by them, and so of a type that says nothing. */
import { type CallArguments, Json } from "@effect-toolnexus/core"

/** The least that is no object: `InvalidArguments` says so. */
const NO_OBJECT = "?"

/** Deeper ones are refused by the call in any case; looking into them could end the stack. */
const BOUNDS: Json.Bounds = { levels: 500, values: 10_000_000 }

export const fromModel = (args: unknown): CallArguments => {
  if (args === undefined) return undefined
  return Json.isWithin(args, BOUNDS) && Json.isJson(args) ? args : NO_OBJECT
}
