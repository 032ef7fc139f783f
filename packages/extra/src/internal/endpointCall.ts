/** One call: arguments to a request, the request to the server, its answer to a result; within its time and its turn. */
import { type HttpFailure, type NetworkPolicy, RandomId, type Tool, ToolError } from "@effect-toolnexus/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Semaphore from "effect/Semaphore"
import type { Endpoint } from "./endpoint.ts"
import { type ResultMode, toResult } from "./endpointResult.ts"
import { type PlannedRequest, type RequestPlan, toRequest } from "./requestPlan.ts"
import * as Security from "./security.ts"

/** Milliseconds over a whole call, attempts and redirects included. */
export const DEFAULT_TIMEOUT = 30_000

/** More than any model reads; a host that wants files downloads them by other means. */
const RESPONSE_LIMIT = 4 * 1024 * 1024

export interface CallSettings {
  readonly endpoint: Endpoint
  /** Who can reach the place where its address was named. */
  readonly namedFrom: NetworkPolicy.Reach
  readonly timeout: number
  readonly mode: ResultMode
  /** Bounds the calls that run at once, where there is a bound. */
  readonly permits: Semaphore.Semaphore | undefined
  /** Done when the source is closed. */
  readonly closed: Deferred.Deferred<void>
}

export const handler = (
  plan: RequestPlan,
  settings: CallSettings,
  credentials: Security.Credentials = Security.NONE
): Tool.Handler =>
(args, { context, toolName }) => {
  const { closed, endpoint, mode, namedFrom, permits, timeout } = settings
  const work = Effect.gen(function*() {
    const boundary = plan.body?.plan.encoding === "multipart" ? `toolnexus-${yield* RandomId.make}` : ""
    const request = Result.mapError(
      toRequest(plan, args, boundary),
      (issue) => new ToolError.InvalidArguments({ toolName, issues: [issue] })
    )
    const planned = withCredentials(yield* Effect.fromResult(request), credentials)
    const answer = yield* Effect.mapError(
      endpoint.send({ ...planned, context, limit: RESPONSE_LIMIT, namedFrom }),
      (failure) => unavailable(toolName, endpoint.redact(reasonOf(failure)))
    )
    return toResult(answer, mode)
  })
  // waiting for a turn is part of the whole
  const timed = Effect.timeoutOrElse(permits === undefined ? work : permits.withPermit(work), {
    duration: timeout,
    orElse: () => Effect.fail(new ToolError.ToolTimeout({ toolName, limit: timeout, phase: "call" }))
  })
  return Effect.raceFirst(
    Effect.andThen(Deferred.await(closed), Effect.fail(unavailable(toolName, "its source is closed"))),
    timed
  )
}

/** Those of the headers go where the host's go, and no further. */
const withCredentials = (request: PlannedRequest, { cookies, headers, query }: Security.Credentials) => {
  if (query.length === 0 && cookies.length === 0) return { ...request, credentials: headers }
  const url = new URL(request.url)
  url.search = [...(url.search === "" ? [] : [url.search.slice(1)]), ...query].join("&")
  const cookie = cookies.join("; ")
  return { ...request, url, credentials: cookie === "" ? headers : { ...headers, cookie } }
}

const unavailable = (toolName: string, reason: string) => new ToolError.ToolUnavailable({ toolName, reason })

const reasonOf = ({ code, detail, wasSent }: HttpFailure): string =>
  wasSent && code !== "ERR_REDIRECT" ? `${detail}; what was asked for may have been done all the same` : detail
