/** Who answers what a server asks in the middle of a call: first `--answer`, then whoever is at the terminal. */
import type * as Answer from "@effect-toolnexus/core/Answer"
import type { Resolver } from "@effect-toolnexus/core/HostResolver"
import type * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import type * as Stdio from "effect/Stdio"
import type { GivenAnswer } from "./answerFlag.ts"
import { askPerson } from "./askPerson.ts"

export interface Attendance {
  readonly answer: GivenAnswer | undefined
  readonly isAttended: boolean
}

/** Nobody, where servers had better not ask. */
export const makeInlineResolver = Effect.fnUntraced(function*({ answer, isAttended }: Attendance) {
  if (answer === undefined && !isAttended) return undefined
  const context = yield* Effect.context<Stdio.Stdio | Prompt.Environment>()
  let given = answer
  const resolver: Resolver = (request) =>
    Effect.suspend((): Effect.Effect<Answer.Answer> => {
      if (given !== undefined) {
        const first = given
        given = undefined
        return Effect.succeed({ ...first, id: request.id })
      }
      return isAttended
        ? Effect.provideContext(askPerson(request), context)
        : Effect.succeed({ id: request.id, ok: false, reason: "cancelled" })
    })
  return resolver
})
