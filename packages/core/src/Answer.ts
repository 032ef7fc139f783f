/**
 * What a person, or a host on their behalf, answers to a {@link Request} (CONTRACT 11).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Request } from "./Request.ts"

/**
 * The schema of an answer. `ok: false` with no `reason` counts as cancelled.
 *
 * @category models
 * @since 0.1.0
 */
export const Answer = Schema.Struct({
  id: Schema.String,
  ok: Schema.Boolean,
  data: Schema.optionalKey(Schema.Json),
  reason: Schema.optionalKey(Schema.Literals(["declined", "cancelled", "expired"]))
})

/**
 * @category models
 * @since 0.1.0
 */
export interface Answer extends Schema.Schema.Type<typeof Answer> {}

/**
 * The answer to a request.
 *
 * **Example**
 *
 * ```ts
 * Answer.make(request, true, { answers: ["blue"] })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (request: Pick<Request, "id">, ok: boolean, data?: Schema.Json): Answer => ({
  id: request.id,
  ok,
  ...(data === undefined ? {} : { data })
})
