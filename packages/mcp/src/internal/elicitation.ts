/**
 * A server that needs something of a person (MCP 2025-11-25, Elicitation), as a request to the host's resolver: a form is an
 * `input`, an address an `authorization`.
 */
import type { Answer } from "@effect-toolnexus/core/Answer"
import type { Resolver } from "@effect-toolnexus/core/HostResolver"
import { isJsonObject, isWithin, type JsonObject } from "@effect-toolnexus/core/Json"
import * as RandomId from "@effect-toolnexus/core/RandomId"
import type { Request } from "@effect-toolnexus/core/Request"
import * as Suspension from "@effect-toolnexus/core/Suspension"
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import { type Fields, INVALID_PARAMS } from "./jsonRpc.ts"
import type { Refused } from "./serverRequests.ts"

/** More than a person reads before they answer. */
const MAX_MESSAGE = 10_000

/** Forms are flat. */
const BOUNDS = { levels: 20, values: 10_000 }

/** The answer as the protocol has it. A question that can't be asked is refused; what goes wrong with the answer cancels. */
export const elicit = (
  server: string,
  resolver: Resolver,
  params: Fields,
  context: unknown
): Effect.Effect<Fields, Refused> =>
  Effect.flatMap(RandomId.make, (id) => {
    const request = toRequest(id, server, params)
    if (typeof request === "string") return Effect.fail({ code: INVALID_PARAMS, message: request })
    if (request.url !== undefined && !Suspension.isSafeUrl(request.url)) {
      const warning = Effect.logWarning(
        `mcp server "${server}" wants to send a person where it isn't safe, which is refused`
      )
      return Effect.as(warning, CANCEL)
    }
    return Effect.map(
      Effect.catchDefect(
        Effect.suspend(() => resolver(request, context)),
        (defect) => Effect.as(Effect.logWarning("The resolver failed, which counts as cancelled", defect), undefined)
      ),
      (answer) => toResult(request, answer)
    )
  })

/** The request, or why there can be none. */
const toRequest = (id: string, server: string, params: Fields): Request | string => {
  const { message, mode = "form", requestedSchema, url } = params
  if (typeof message !== "string") return "it says no message"
  const prompt = Text.cut(message.toWellFormed(), MAX_MESSAGE, "...")
  if (mode === "url") {
    return typeof url === "string"
      ? { id, kind: "authorization", prompt, url, data: { server } }
      : "it says no url"
  }
  if (mode !== "form") return `there is no mode ${JSON.stringify(Text.cut(String(mode), 40, "..."))}`
  return isWithin(requestedSchema, BOUNDS) && isJsonObject(requestedSchema)
    ? { id, kind: "input", prompt, data: { server, schema: requestedSchema } }
    : "its schema is no JSON object, or too large for a form"
}

const CANCEL: JsonObject = { action: "cancel" }

const toResult = ({ kind }: Request, answer: Answer | undefined): JsonObject => {
  if (answer?.reason === "declined") return { action: "decline" }
  if (answer === undefined || !answer.ok || answer.reason !== undefined) return CANCEL
  if (kind === "authorization") return { action: "accept" }
  // a form that was sent with nothing filled in is one all the same
  const content = answer.data ?? {}
  return isJsonObject(content) ? { action: "accept", content } : CANCEL
}
