/** The SDK's client, as we use it: bare requests with lax schemas, and no time limit of its own. */
import type { Progress } from "@effect-toolnexus/core/ToolCall"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import type { ProgressCallback, RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js"
import { McpError } from "@modelcontextprotocol/sdk/types.js"
import * as z from "zod"
import { cutText } from "./cutText.ts"

/**
 * Effect's limits decide. The SDK's own would be 60 s, and anything above this number overflows its timer and fires at
 * once.
 */
const NO_TIMEOUT = 2 ** 31 - 1

export const makeClient = (): Client =>
  new Client({ name: "effect-toolnexus", version: "0.1.0" }, {
    capabilities: {},
    // only `callTool` and `listTools` ask for a validator, and we use neither; the default loads Ajv's whole machine
    jsonSchemaValidator: {
      getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "not validated here" })
    }
  })

/** The SDK's own schema rejects the whole page for one bad tool, and a `null` cursor. */
export const ListPage = z.looseObject({ tools: z.array(z.unknown()).nullish(), nextCursor: z.unknown().optional() })

/** The SDK's own schema rejects a whole result for one part of an unknown type. */
export const CallResult = z.looseObject({
  content: z.unknown().optional(),
  structuredContent: z.unknown().optional(),
  isError: z.unknown().optional()
})

export const requestOptions = (signal?: AbortSignal, onprogress?: ProgressCallback): RequestOptions => ({
  timeout: NO_TIMEOUT,
  ...(signal === undefined ? {} : { signal }),
  ...(onprogress === undefined ? {} : { onprogress })
})

/** The SDK's type says `undefined` where ours has nothing. */
export const toProgressCallback =
  (onProgress: (progress: Progress) => void): ProgressCallback => ({ message, progress, total }) =>
    onProgress({
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message })
    })

export interface Refusal {
  readonly code?: number
  readonly detail: string
}

/** JSON-RPC's code for a method the server doesn't know. */
export const METHOD_NOT_FOUND = -32601

/** An error of many lines is shown whole, a page of HTML isn't. */
const MAX_DETAIL = 10_000

/** What the SDK rejected with, in the server's own words, less the secrets it was given. */
export const toRefusal = (cause: unknown, redact: (text: string) => string): Refusal => {
  const refusal = readRefusal(cause)
  return { ...refusal, detail: cutText(redact(refusal.detail), MAX_DETAIL, "...") }
}

const readRefusal = (cause: unknown): Refusal => {
  if (cause instanceof McpError) {
    return { code: cause.code, detail: cause.message.replace(`MCP error ${cause.code}: `, "") }
  }
  if (cause instanceof z.core.$ZodError) {
    const [issue] = cause.issues
    const place = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`
    return { detail: `its answer is not what the protocol asks for${place}` }
  }
  return { detail: cause instanceof Error && cause.message !== "" ? cause.message : "it didn't answer" }
}
