/**
 * The host's resolver for sources that ask in the middle of a call, e.g. an MCP server's elicitation: whatever it answers
 * is an answer, and a yes has the data that was asked for.
 */
import type { Answer, Resolver } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import { askResolver } from "./askResolver.ts"
import { checkAnswer, isYes } from "./checkedAnswer.ts"
import type { Validation } from "./validation.ts"

export const makeCheckedResolver = (resolver: Resolver, check: Validation["check"]): Resolver => (request, context) =>
  Effect.flatMap(askResolver(resolver, request, context), (answer) =>
    isYes(answer)
      ? Effect.catch(checkAnswer(check, request.kind, request, answer), ({ issues }) => {
        const places = issues.map(({ path }) => path).join(", ")
        const no: Answer.Answer = { id: request.id, ok: false, reason: "cancelled" }
        return Effect.as(
          Effect.logWarning(`An answer isn't what was asked for (${places}), which counts as cancelled`),
          no
        )
      })
      : Effect.succeed(answer))
