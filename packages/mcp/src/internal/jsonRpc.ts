/** JSON-RPC 2.0: what of the things a server sends is a message, also where it is only nearly one. */
import { isWithin } from "@effect-toolnexus/core/Json"
import * as Predicate from "effect/Predicate"

export interface Fields {
  readonly [key: string]: unknown
}

/** A request has a method and an id, a notice a method alone; an answer has the id of what it answers. */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Fields
  readonly result?: Fields
  readonly error?: { readonly code: number; readonly message: string }
}

export const serialize = (message: Message): string => JSON.stringify({ jsonrpc: "2.0", ...message })

export const isRequest = ({ id, method }: Message): boolean => id !== undefined && method !== undefined

export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

/** What came from a server. `Stray` is an answer that nobody waits for any more. */
export type Incoming =
  | { readonly _tag: "Request"; readonly id: string | number; readonly method: string; readonly params: Fields }
  | { readonly _tag: "Notice"; readonly method: string; readonly params: Fields }
  | { readonly _tag: "Result"; readonly id: number; readonly result: Fields }
  | { readonly _tag: "Refusal"; readonly id: number; readonly message: string; readonly code?: number }
  | { readonly _tag: "Stray" }

/** Whether an id is that of a request of ours that has no answer yet. */
export type IsPending = (id: number) => boolean

/**
 * The message that a value is, if it is one. An answer of the wrong shape to a request that is still open is a refusal:
 * as noise it would leave the request waiting for its whole limit.
 */
export const readMessage = (value: unknown, isPending: IsPending): Incoming | undefined => {
  if (!Predicate.isObject(value)) return undefined
  if (!Predicate.isNullish(value["method"])) return readCall(value)
  const id = pendingId(value["id"], isPending)
  return id === undefined ? readStray(value) : readAnswer(value, id)
}

const readCall = ({ id, jsonrpc, method, params: given }: Fields): Incoming | undefined => {
  const params = given ?? {}
  if (jsonrpc !== "2.0" || typeof method !== "string" || !isFields(params)) return undefined
  if (id === undefined) return { _tag: "Notice", method, params }
  return isId(id) ? { _tag: "Request", id, method, params } : undefined
}

const readStray = ({ error, id, jsonrpc, result }: Fields): Incoming | undefined => {
  const isOne = jsonrpc === "2.0" && (isFields(result) && isId(id) || isError(error) && (id === undefined || isId(id)))
  return isOne ? { _tag: "Stray" } : undefined
}

/** What can be understood of an answer, or what is wrong with it. */
const readAnswer = (value: Fields, id: number): Incoming | undefined => {
  const { error, jsonrpc, result } = value
  // servers of JSON-RPC 1.0 send both, one of them null
  if (jsonrpc === "2.0" && Predicate.isNullish(error) && isFields(result)) return { _tag: "Result", id, result }
  if (jsonrpc === "2.0" && Predicate.isNullish(result) && isError(error)) {
    return { _tag: "Refusal", id, message: error.message, code: error.code }
  }
  // a line of a log may have an id, too; without a version it is an answer only where it is nothing else
  if (jsonrpc !== "2.0" && !Object.keys(value).every((key) => ANSWER_KEYS.has(key))) return undefined
  return { _tag: "Refusal", id, message: `it answered wrongly: ${problemOf(value)}` }
}

const ANSWER_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "result", "error"])

/** Longer ones are no ids: they are sent back with each answer. */
const MAX_ID = 200

const isId = (value: unknown): value is string | number =>
  typeof value === "string" ? value.length <= MAX_ID : Number.isSafeInteger(value)

const isFields: (value: unknown) => value is Fields = Predicate.isObject

const isError = (value: unknown): value is { readonly code: number; readonly message: string } =>
  Predicate.isObject(value) && Number.isSafeInteger(value["code"]) && typeof value["message"] === "string"

/** Ours are numbers; some servers send them back as text. */
export const idOf = (id: unknown): number | undefined => {
  if (typeof id === "number") return id
  return typeof id === "string" && /^\d{1,16}$/.test(id) ? Number(id) : undefined
}

const pendingId = (id: unknown, isPending: IsPending): number | undefined => {
  const number = idOf(id)
  return number !== undefined && isPending(number) ? number : undefined
}

const problemOf = ({ error, result }: Fields): string => {
  if (!Predicate.isNullish(error)) {
    return Predicate.isNullish(result) ? wordsOf(error) : `both a result and an error: ${wordsOf(error)}`
  }
  if (result === undefined) return "neither a result nor an error"
  return isFields(result) ? "its answer is not of version 2.0 of JSON-RPC" : `its result is no object: ${show(result)}`
}

/** The server's own words, wherever it put them; whole, for they are cut only when its secrets are out of them. */
const wordsOf = (error: unknown): string => {
  if (typeof error === "string") return error
  return Predicate.isObject(error) && typeof error["message"] === "string" ? error["message"] : show(error)
}

const show = (value: unknown): string => isWithin(value, SHOWN) ? JSON.stringify(value) : "too much to show"

const SHOWN = { levels: 20, values: 1000 }
