/** What a server may ask of its client, and who answers that: each only where the host provides somebody. */
import { HostResolver } from "@effect-toolnexus/core/HostResolver"
import { isJsonObject, type JsonObject } from "@effect-toolnexus/core/Json"
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import * as Effect from "effect/Effect"
import { ClientRoots } from "../ClientRoots.ts"
import { SamplingProvider, type SamplingProviderService } from "../SamplingProvider.ts"
import { broken } from "./broken.ts"
import { elicit } from "./elicitation.ts"
import { type Fields, INTERNAL_ERROR, INVALID_PARAMS } from "./jsonRpc.ts"

/** A request that the server is not granted, in JSON-RPC's terms. */
export interface Refused {
  readonly code: number
  readonly message: string
}

export interface ServerRequest {
  /** `context`: of the call in which it is asked, as far as that can be told. */
  readonly answer: (params: Fields, context: unknown) => Effect.Effect<Fields, Refused>
  /** Somebody has to think about it: the limits of the calls it holds up wait. */
  readonly holdsUp: boolean
}

export interface ServerRequests {
  /** What the server is told that we can do. */
  readonly capabilities: JsonObject
  readonly byMethod: ReadonlyMap<string, ServerRequest>
}

/** Of the services there are now; they stay the same for the life of a session. */
export const makeServerRequests = Effect.fnUntraced(function*(server: string, redact: Redaction) {
  const [resolver, roots, sampling] = [yield* HostResolver, yield* ClientRoots, yield* SamplingProvider]
  const byMethod = new Map<string, ServerRequest>([["ping", { answer: () => Effect.succeed({}), holdsUp: false }]])
  if (resolver !== undefined) {
    byMethod.set("elicitation/create", {
      answer: (params, context) => elicit(server, resolver, params, context),
      holdsUp: true
    })
  }
  if (roots !== undefined) byMethod.set("roots/list", { answer: () => Effect.succeed({ roots }), holdsUp: false })
  if (sampling !== undefined) {
    byMethod.set("sampling/createMessage", {
      answer: (params, context) => sample(server, sampling, params, context),
      holdsUp: true
    })
  }
  const requests: ServerRequests = {
    capabilities: {
      ...(resolver === undefined ? {} : { elicitation: { form: {}, url: {} } }),
      ...(roots === undefined ? {} : { roots: {} }),
      ...(sampling === undefined ? {} : { sampling: {} })
    },
    byMethod: new Map([...byMethod].map(([method, request]) => [method, guarded(server, redact, request)]))
  }
  return requests
})

/** Whoever answers may break, which is nothing to tell a server about. */
const guarded = (server: string, redact: Redaction, { answer, holdsUp }: ServerRequest): ServerRequest => ({
  holdsUp,
  answer: (params, context) =>
    Effect.catchDefect(Effect.suspend(() => answer(params, context)), (defect) =>
      Effect.mapError(
        broken(server, "connect", redact, defect),
        (): Refused => ({ code: INTERNAL_ERROR, message: "the client broke unexpectedly" })
      ))
})

const sample = (
  server: string,
  sampling: SamplingProviderService,
  params: Fields,
  context: unknown
): Effect.Effect<Fields, Refused> =>
  isJsonObject(params)
    ? Effect.mapError(
      sampling({ server, params, context }),
      // -1 is the protocol's code for a person who says no
      ({ reason }): Refused => ({ code: -1, message: reason })
    )
    : Effect.fail({ code: INVALID_PARAMS, message: "what is asked of the model is no JSON object" })
