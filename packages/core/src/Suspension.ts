/**
 * How a handler asks for a person: it ends its call in a {@link Request}, and finds the answer on the call when it is
 * resumed (CONTRACT 11).
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { Request } from "./Request.ts"
import type { ToolCall } from "./ToolCall.ts"
import { ToolSuspended } from "./ToolError.ts"

/**
 * What to ask. The id and the suspended call are filled in.
 *
 * @category models
 * @since 0.1.0
 */
export type Question = Omit<Request, "id" | "call">

/**
 * Suspends a call until somebody answers.
 *
 * **Details**
 *
 * Always fails with `ToolSuspended`. The pipeline adds the suspended call (its name and arguments); a host that has a
 * `HostResolver` answers inline, any other gets the request back. When the call is resumed, the handler runs again with
 * `call.resumed` filled.
 *
 * **Example**
 *
 * ```ts
 * handler: (_, call) => call.resumed === undefined
 *   ? Suspension.request(call, { kind: "question", prompt: "Which colour?" })
 *   : Effect.succeed(`painted it ${call.resumed.answer.data}`)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const request = (call: ToolCall, question: Question): Effect.Effect<never, ToolSuspended> =>
  Effect.fail(new ToolSuspended({ toolName: call.toolName, request: { ...question, id: call.id } }))

/**
 * Whether a request may send people there: `https`, or `http` on this machine, without user info. Anywhere else what they
 * type can be read on the way (CONTRACT 11).
 *
 * @category guards
 * @since 0.1.0
 */
export const isSafeUrl = (url: string): boolean => {
  const parsed = URL.parse(url)
  if (parsed === null || url !== url.trim()) return false
  // https://bank.example@evil.example reads as what it isn't
  if (parsed.username !== "" || parsed.password !== "") return false
  return parsed.protocol === "https:" || parsed.protocol === "http:" && LOOPBACK.test(parsed.hostname)
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
