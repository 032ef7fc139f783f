/** The card that an agent shows to those it knows, in the place of the one for everybody. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as AgentCard from "../AgentCard.ts"
import type { A2aClient } from "./a2aClient.ts"

interface Extended {
  readonly card: AgentCard.AgentCard
  readonly client: A2aClient
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** In milliseconds: the card for everybody is there already. */
const TIMEOUT = 10_000

/** What goes wrong leaves the card for everybody. `isKnown`: whether the agent can tell who asks. */
export const extend = (
  card: AgentCard.AgentCard,
  client: A2aClient,
  timeout: number,
  isKnown: boolean
): Effect.Effect<Extended> => {
  if (!card.isExtendable) return Effect.succeed({ card, client, diagnostics: [] })
  const without = (level: Diagnostic["level"], code: string, message: string): Extended => ({
    card,
    client,
    diagnostics: [{ level, code, message }]
  })
  if (!isKnown) {
    const message =
      "It has a further card for those it knows, which isn't asked for: no credentials go where it listens"
    return Effect.succeed(without("info", "extended-card-skipped", message))
  }
  const failed = (why: string) =>
    without("warning", "extended-card-failed", `Its further card, for those it knows, can't be used: ${why}`)
  return client.extendedCard.pipe(
    Effect.timeoutOption(Math.min(timeout, TIMEOUT)),
    Effect.map(Option.match({
      onNone: () => failed("it did not come in time"),
      onSome: ({ reach, value }) =>
        Result.match(AgentCard.decode(value, new URL(card.location), new URL(card.endpoint.url), reach), {
          onFailure: failed,
          onSuccess: (extended): Extended => ({ card: extended, client, diagnostics: [] })
        })
    })),
    Effect.catch((error) => Effect.succeed(failed(error.message)))
  )
}
