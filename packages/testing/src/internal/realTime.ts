/** Waiting in real time, whatever clock the test around it has: what is waited for here lives outside of Effect. */
import * as Effect from "effect/Effect"
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers"

export const sleep = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Goes on outside of any timer's callback, in which Node still counts that timer as active. */
export const nextTurn: Effect.Effect<void> = Effect.callback((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})
