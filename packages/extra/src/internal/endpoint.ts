/**
 * Requests to the server of one endpoint or document, over what all sources share (`RemoteRequests`): bodies read within a
 * limit, and what is sent again.
 */
import { Environment, type HttpAddress, HttpFailure, type NetworkPolicy, type Redaction } from "@effect-toolnexus/core"
import * as RemoteRequests from "@effect-toolnexus/core/RemoteRequests"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isSafe, pauseBefore } from "./repeating.ts"
import type { PlannedRequest } from "./requestPlan.ts"

/** Whether a request is sent again when the server was too busy for it, or didn't answer. */
export type Retry = "never" | "safe" | "always"

/** `addresses`: those of the configuration, whose user info goes to their own origin and to no other. */
export interface EndpointOptions extends Pick<RemoteRequests.Remote, "headers" | "named" | "secrets"> {
  readonly addresses: ReadonlyArray<HttpAddress.HttpAddress>
  /** Whose requests they are, for whoever makes headers and tokens. */
  readonly entry: string
  readonly retry: Retry
}

export interface EndpointRequest extends PlannedRequest, Pick<RemoteRequests.RemoteRequest, "namedFrom"> {
  /** What the caller attached to its call. */
  readonly context: unknown
  /** The most bytes of the body that are read. */
  readonly limit: number
  /** Headers for this request alone that are as secret as the host's own, which go before them. */
  readonly credentials?: Readonly<Record<string, string>>
  /** The host's own headers stay away: they are meant for another server. */
  readonly isForeign?: boolean
}

export interface EndpointAnswer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly bytes: Uint8Array
  readonly isWhole: boolean
  /** Where it came from in the end. */
  readonly url: URL
  /** Who can reach the places on the way there. */
  readonly reach: NetworkPolicy.Reach
  /** Takes out what is secret in this request: the configuration's, and what the host made for it. */
  readonly redact: Redaction.Redaction
}

export class Endpoint {
  readonly #requests: RemoteRequests.RemoteRequests
  readonly #retry: Retry
  readonly #addresses: ReadonlyArray<HttpAddress.HttpAddress>

  constructor(
    requests: RemoteRequests.RemoteRequests,
    retry: Retry,
    addresses: ReadonlyArray<HttpAddress.HttpAddress>
  ) {
    this.#requests = requests
    this.#retry = retry
    this.#addresses = addresses
  }

  /** The scope closes its connections. */
  static readonly make = Effect.fnUntraced(function*({ addresses, entry, retry, secrets, ...remote }: EndpointOptions) {
    const requests = yield* RemoteRequests.RemoteRequests.make({
      ...remote,
      kind: "extra",
      name: entry,
      secrets: [
        ...secrets,
        ...addresses.flatMap((address) => address.secrets),
        ...Object.values(remote.headers)
      ],
      tls: {},
      proxy: RemoteRequests.proxyVariables(yield* Environment),
      mayLeave: ({ method }) => method === "GET" || method === "HEAD",
      followsSeeOther: true
    })
    return new Endpoint(requests, retry, addresses)
  })

  /** Blots out what is secret in the configuration, and what the host has made for requests. */
  get redact(): Redaction.Redaction {
    return this.#requests.redact
  }

  /** Once more where the method is safe, or the host says that it may, after a while. */
  send(request: EndpointRequest): Effect.Effect<EndpointAnswer, HttpFailure> {
    const mayRepeat = this.#retry === "always" || (this.#retry === "safe" && isSafe(request.method))
    const attempt = (number: number): Effect.Effect<EndpointAnswer, HttpFailure> =>
      Effect.flatMap(Effect.result(this.#sendOnce(request)), (result) => {
        const pause = mayRepeat ? pauseBefore(number, result) : undefined
        return pause === undefined
          ? Effect.fromResult(result)
          : Effect.andThen(Effect.sleep(Duration.millis(pause)), Effect.suspend(() => attempt(number + 1)))
      })
    return Effect.suspend(() => attempt(1))
  }

  #userInfoFor({ origin }: URL): HttpAddress.HttpAddress["headers"] {
    const isOwn = ({ headers, url }: HttpAddress.HttpAddress) =>
      url.origin === origin && headers.authorization !== undefined
    return this.#addresses.findLast(isOwn)?.headers ?? {}
  }

  #sendOnce(request: EndpointRequest): Effect.Effect<EndpointAnswer, HttpFailure> {
    const remote = toRemote(request, this.#userInfoFor(request.url))
    return Effect.flatMap(this.#requests.send(remote), (answer) => {
      if (RemoteRequests.isRedirected(answer)) return Effect.fail(lost(answer.reason))
      const { header, status } = answer
      return Effect.map(
        // whoever is interrupted before the body is read must not leave a connection behind
        Effect.onExit(
          answer.bytes(request.limit),
          (exit) => Exit.isSuccess(exit) ? Effect.void : Effect.sync(answer.discard)
        ),
        (body) => ({
          ...body,
          status,
          header,
          url: answer.movedTo ?? request.url,
          reach: this.#requests.reachOf(remote, answer),
          redact: this.#requests.redactionOf(answer)
        })
      )
    })
  }
}

/** What a model or an author wants of a header counts less than what the host says. */
const toRemote = (
  { body, context, credentials = {}, headers, isForeign = false, method, namedFrom = "machine", url }: EndpointRequest,
  userInfo: HttpAddress.HttpAddress["headers"]
): RemoteRequests.RemoteRequest => {
  const cookies = [credentials["cookie"], headers["cookie"]].filter((cookie) => cookie !== undefined)
  return {
    method,
    url,
    headers: {},
    defaults: {
      ...ACCEPT,
      ...headers,
      ...userInfo,
      ...credentials,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") })
    },
    context,
    isAnonymous: isForeign,
    namedFrom,
    ...(body === undefined ? {} : { body })
  }
}

const ACCEPT = { accept: "application/json, */*;q=0.8" }

const lost = (detail: string): HttpFailure => new HttpFailure({ code: "ERR_REDIRECT", detail, wasSent: true })
