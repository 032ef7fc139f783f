/** JSON-RPC on a line: what is a message, and the answer that stands in for one that was too long. */
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Frame } from "./lineFraming.ts"

/** The messages of a line; none where the line is noise. Revision 2025-03-26 allowed several at once, as a list. */
export const parseLine = (line: string): ReadonlyArray<JSONRPCMessage> => {
  const parsed = Result.try((): unknown => JSON.parse(line))
  if (Result.isFailure(parsed)) return []
  return Array.isArray(parsed.success) ? parsed.success.filter(isMessage) : [parsed.success].filter(isMessage)
}

/** Only the envelope: the SDK checks each message again, and twice would cost more than the parsing. */
const isMessage = (value: unknown): value is JSONRPCMessage =>
  Predicate.hasProperty(value, "jsonrpc") && value.jsonrpc === "2.0"

export const isNotification = (message: JSONRPCMessage): boolean => "method" in message

/** Fails only the request whose answer was too long. Servers write the id first or last. */
export const tooLongAnswer = (
  frame: Extract<Frame, { readonly _tag: "TooLong" }>,
  limit: number
): JSONRPCMessage | undefined => {
  const id = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)\s*,/.exec(frame.head)?.[1]
    ?? /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(frame.tail)?.[1]
  if (id === undefined) return undefined
  return {
    jsonrpc: "2.0",
    id: Number(id),
    error: { code: -32603, message: `the answer is longer than the limit of ${limit} bytes` }
  }
}
