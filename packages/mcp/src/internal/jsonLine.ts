/** Messages as lines of JSON. */
import * as Result from "effect/Result"
import type { IsPending } from "./jsonRpc.ts"
import type { Frame } from "./lineFraming.ts"

/** The values of a line; none where it is noise. Revision 2025-03-26 allowed several messages at once, as a list. */
export const parseLine = (line: string): ReadonlyArray<unknown> => {
  // a flood of noise must cost little, and a parser that fails costs much
  if (!OPENING.test(line)) return []
  const parsed = Result.try((): unknown => JSON.parse(line))
  if (Result.isFailure(parsed)) return []
  return Array.isArray(parsed.success) ? parsed.success : [parsed.success]
}

const OPENING = /^\s*[[{]/

/** Only an answer: a request of the server's has ids of its own, and its number says nothing about ours. */
const HEAD = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,|\s*"id"\s*:\s*(\d+)\s*,)*\s*"(?:result|error)"\s*:/
const TAIL = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

/** The request whose answer was too long, so that it alone fails. Servers write the id first or last. */
export const answeredBy = (
  { head, tail }: Extract<Frame, { readonly _tag: "TooLong" }>,
  isPending: IsPending
): number | undefined => {
  const start = HEAD.exec(head)
  if (start === null) return undefined
  const id = Number(start[1] ?? TAIL.exec(tail)?.[1])
  return isPending(id) ? id : undefined
}
