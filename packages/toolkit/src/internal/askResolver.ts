/** Asks the host's resolver, whatever it is: one that breaks, answers nonsense or comes too late says no. */
import type { Answer, Request, Resolver } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { answerIssues } from "./checkedAnswer.ts"
import { millisLeft } from "./expiry.ts"

/**
 * In a fiber of its own, which ends with the caller: so the question is withdrawn when nobody wants the answer any more,
 * and a resolver that interrupts itself has cancelled, and hasn't interrupted the call.
 */
export const askResolver = (
  resolver: Resolver,
  request: Request.Request,
  context: unknown
): Effect.Effect<Answer.Answer> =>
  Effect.flatMap(millisLeft(request), (left) => {
    if (left !== undefined && left <= 0) return Effect.succeed(no(request, "expired"))
    const asked = Effect.flatMap(Effect.forkChild(Effect.suspend(() => resolver(request, context))), (fiber) =>
      Effect.onInterrupt(Fiber.await(fiber), () => Fiber.interrupt(fiber)))
    const answer = Effect.flatMap(asked, (exit) =>
      toAnswer(exit, request))
    return left === undefined
      ? answer
      : Effect.timeoutOrElse(answer, { duration: left, orElse: () => Effect.succeed(no(request, "expired")) })
  })

const no = ({ id }: Request.Request, reason: "cancelled" | "expired"): Answer.Answer => ({ id, ok: false, reason })

const toAnswer = (exit: Exit.Exit<Answer.Answer>, request: Request.Request): Effect.Effect<Answer.Answer> => {
  if (Exit.isFailure(exit)) {
    return Effect.as(
      Effect.logWarning("The resolver failed, which counts as cancelled", exit.cause),
      no(request, "cancelled")
    )
  }
  // hosts in plain JavaScript answer what they like
  const issues = answerIssues(exit.value)
  if (issues.length === 0) return Effect.succeed(exit.value)
  const why = issues.map(({ message, path }) => `${path}: ${message}`).join("; ")
  return Effect.as(
    Effect.logWarning(`The resolver gave no answer, which counts as cancelled (${why})`),
    no(request, "cancelled")
  )
}
