/** Finds an agent's card: at the address given, or under it at the well-known paths of either protocol version. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { A2aError } from "../A2aError.ts"
import * as AgentCard from "../AgentCard.ts"
import { type AgentRequests, failure } from "./agentRequests.ts"

/** Cards are a few kilobytes; those with hundreds of skills and examples stay well under this. */
const CARD_LIMIT = 1024 * 1024

const WELL_KNOWN = ["/.well-known/agent-card.json", "/.well-known/agent.json"]

/** `onAnswer` is run at the first HTTP answer of any kind. */
export const discover = (
  requests: AgentRequests,
  address: URL,
  onAnswer: Effect.Effect<void>
): Effect.Effect<AgentCard.AgentCard, A2aError> =>
  Effect.gen(function*() {
    const failures: Array<A2aError> = []
    for (const url of placesOf(address)) {
      const found = yield* Effect.result(readCard(requests, url, onAnswer))
      if (Result.isSuccess(found)) return found.success
      // nobody listens there: the other paths have the same address
      if (found.failure.reason._tag === "Unreachable") return yield* found.failure
      failures.push(found.failure)
    }
    return yield* mostTelling(failures) ?? failure(address, { _tag: "Malformed", detail: NOWHERE })
  })

const NOWHERE = `no agent card there, nor under it at ${WELL_KNOWN.join(" or ")}`

/** A file is used as it is given. */
const placesOf = (address: URL): ReadonlyArray<URL> =>
  address.pathname.endsWith(".json") ? [address] : [address, ...WELL_KNOWN.map((path) => under(address, path))]

const under = (address: URL, path: string): URL => {
  const url = new URL(address)
  url.pathname = address.pathname.replace(/\/+$/, "") + path
  return url
}

/** A card that is there but wrong says more than a path where there is nothing; where there is nothing at all, none. */
const mostTelling = (failures: ReadonlyArray<A2aError>): A2aError | undefined =>
  failures.length === 1
    ? failures[0]
    : failures.find(isWrongCard) ?? failures.slice(1).find(isAnswer) ?? failures.find(isRefusal)

const isWrongCard = ({ reason }: A2aError): boolean =>
  reason._tag === "Malformed" && reason.detail.startsWith(WRONG_CARD)

const isAnswer = ({ reason }: A2aError): boolean => reason._tag !== "BadStatus" || reason.status !== 404

/** An agent's own address answers 404 or 405 to a GET where all is well. */
const isRefusal = ({ reason }: A2aError): boolean =>
  reason._tag === "Unauthorized" || (reason._tag === "BadStatus" && reason.status !== 404 && reason.status !== 405)

const WRONG_CARD = "a card that can't be used: "

const readCard = Effect.fnUntraced(function*(requests: AgentRequests, url: URL, onAnswer: Effect.Effect<void>) {
  const found = yield* requests.get(url, CARD_LIMIT, onAnswer)
  const document = parseJson(found.text)
  if (Option.isNone(document)) return yield* failure(url, { _tag: "Malformed", detail: "not JSON, so not a card" })
  const card = AgentCard.decode(document.value, url, found.url, found.reach)
  if (Result.isSuccess(card)) return card.success
  const detail = AgentCard.isCardLike(document.value) ? `${WRONG_CARD}${card.failure}` : card.failure
  return yield* failure(url, { _tag: "Malformed", detail })
})

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
