/** JSON-RPC on a line: what is a message, and the errors that stand in for answers that are none. */
import { isWithin } from "@effect-toolnexus/core/Json"
import type { JSONRPCErrorResponse, JSONRPCMessage, Result as JsonRpcResult } from "@modelcontextprotocol/sdk/types.js"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Frame } from "./lineFraming.ts"

/** Whether an id is that of a request of ours that has no answer yet. */
export type IsPending = (id: number) => boolean

/**
 * The messages of a line; none where the line is noise. Revision 2025-03-26 allowed several at once, as a list.
 *
 * An answer of the wrong shape becomes an error for the request it answers: as noise it would leave the request waiting
 * for its whole limit.
 */
export const parseLine = (line: string, isPending: IsPending): ReadonlyArray<JSONRPCMessage> => {
  // a flood of noise must cost little, and a parser that fails costs much
  if (!OPENING.test(line)) return []
  const parsed = Result.try((): unknown => JSON.parse(line))
  if (Result.isFailure(parsed)) return []
  const values: ReadonlyArray<unknown> = Array.isArray(parsed.success) ? parsed.success : [parsed.success]
  return values.flatMap((value) => {
    if (isMessage(value)) return [value]
    const answer = Predicate.isObject(value) ? readAnswer(value, isPending) : undefined
    return answer === undefined ? [] : [answer]
  })
}

const OPENING = /^\s*[[{]/

type Fields = Readonly<Record<PropertyKey, unknown>>

/** By hand: the SDK's own schema, which checks each message once more, costs more than the parsing. */
const isMessage = (value: unknown): value is JSONRPCMessage => {
  if (!Predicate.isObject(value) || value["jsonrpc"] !== "2.0") return false
  const { error, id, method, params, result } = value
  if (id !== undefined && !isId(id)) return false
  if (method !== undefined) return typeof method === "string" && (params === undefined || isBody(params))
  if (Object.keys(value).some((key) => !ANSWER_KEYS.has(key))) return false
  if (result === undefined) return isError(error)
  return id !== undefined && error === undefined && isBody(result)
}

/** The SDK takes an answer with any other key for no answer at all. */
const ANSWER_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "result", "error"])

const isId = (value: unknown): boolean => typeof value === "string" || Number.isSafeInteger(value)

const isError = (value: unknown): value is JSONRPCErrorResponse["error"] =>
  Predicate.isObject(value) && Number.isSafeInteger(value["code"]) && typeof value["message"] === "string"

/** Parameters or a result: any object, whose `_meta` says what it says in the form the protocol gives it. */
const isBody = (value: unknown): value is JsonRpcResult =>
  Predicate.isObject(value) && (value["_meta"] === undefined || isMeta(value["_meta"]))

const RELATED_TASK = "io.modelcontextprotocol/related-task"

const isMeta = (value: unknown): boolean => {
  if (!Predicate.isObject(value)) return false
  const token = value["progressToken"]
  const task = value[RELATED_TASK]
  return (token === undefined || isId(token))
    && (task === undefined || (Predicate.isObject(task) && typeof task["taskId"] === "string"))
}

/** An answer that isn't quite one, to a request that is still open: what can be understood of it, or what is wrong. */
const readAnswer = (value: Fields, isPending: IsPending): JSONRPCMessage | undefined => {
  const id = pendingId(value["id"], isPending)
  if (id === undefined || !isAnswer(value)) return undefined
  const { error, result } = value
  // servers of JSON-RPC 1.0 send both, one of them null
  if (value["jsonrpc"] === "2.0" && Predicate.isNullish(error) && isBody(result)) return { jsonrpc: "2.0", id, result }
  if (value["jsonrpc"] === "2.0" && Predicate.isNullish(result) && isError(error)) return { jsonrpc: "2.0", id, error }
  return failure(id, `it answered wrongly: ${problemOf(value)}`)
}

const pendingId = (id: unknown, isPending: IsPending): number | undefined => {
  const number = typeof id === "string" && id.trim() !== "" ? Number(id) : id
  return typeof number === "number" && isPending(number) ? number : undefined
}

/** A line of a log may have an id, too; without a version it is an answer only where it is nothing else. */
const isAnswer = (value: Fields): boolean =>
  value["method"] === undefined
  && (value["jsonrpc"] === "2.0" || Object.keys(value).every((key) => ANSWER_KEYS.has(key)))

const problemOf = ({ error, jsonrpc, result }: Fields): string => {
  if (!Predicate.isNullish(error)) {
    return Predicate.isNullish(result) ? wordsOf(error) : `both a result and an error: ${wordsOf(error)}`
  }
  if (result === undefined) return "neither a result nor an error"
  if (!Predicate.isObject(result)) return `its result is no object: ${show(result)}`
  return jsonrpc === "2.0" ? "the _meta of its result is malformed" : "its answer is not of version 2.0 of JSON-RPC"
}

/** The server's own words, wherever it put them; whole, for they are cut only when its secrets are out of them. */
const wordsOf = (error: unknown): string => {
  if (typeof error === "string") return error
  return Predicate.isObject(error) && typeof error["message"] === "string" ? error["message"] : show(error)
}

const show = (value: unknown): string => isWithin(value, SHOWN) ? JSON.stringify(value) : "too much to show"

const SHOWN = { levels: 20, values: 1000 }

const failure = (id: number, message: string): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32603, message }
})

export const isNotification = (message: JSONRPCMessage): boolean => "method" in message

/** The request that a message answers. */
export const answeredId = (message: JSONRPCMessage): number | undefined =>
  "method" in message || message.id === undefined ? undefined : Number(message.id)

/** Only an answer: a request of the server's has ids of its own, and its number says nothing about ours. */
const HEAD = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,|\s*"id"\s*:\s*(\d+)\s*,)*\s*"(?:result|error)"\s*:/
const TAIL = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/

/** Fails only the request whose answer was too long. Servers write the id first or last. */
export const tooLongAnswer = (
  { head, tail }: Extract<Frame, { readonly _tag: "TooLong" }>,
  limit: number,
  isPending: IsPending
): JSONRPCMessage | undefined => {
  const start = HEAD.exec(head)
  if (start === null) return undefined
  const id = pendingId(start[1] ?? TAIL.exec(tail)?.[1], isPending)
  return id === undefined ? undefined : failure(id, `the answer is longer than the limit of ${limit} bytes`)
}
