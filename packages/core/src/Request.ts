/**
 * A request is what a suspended call waits for: a question, an approval, a login. It is plain JSON, so a host can store
 * it, show it to a person, and resume days later in another process (CONTRACT 11).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The call that is suspended: its exposed tool name and its decoded arguments.
 *
 * @category models
 * @since 0.1.0
 */
export const SuspendedCall = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  arguments: Schema.JsonObject
})

/**
 * The schema of a request.
 *
 * **Details**
 *
 * - `kind`: `question`, `input`, `authorization` and `approval` are in use
 * - `url`: where to send the person, `https`, or `http` on loopback
 * - `data`: what the asker adds, e.g. `data.schema` for the answer
 * - `expiresAt`: RFC 3339
 * - `state`: what the source needs to go on; opaque to hosts; never a secret
 *
 * @category models
 * @since 0.1.0
 */
export const Request = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  prompt: Schema.String,
  url: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Schema.JsonObject),
  expiresAt: Schema.optionalKey(Schema.String),
  call: Schema.optionalKey(SuspendedCall),
  state: Schema.optionalKey(Schema.Json)
})

/**
 * @category models
 * @since 0.1.0
 */
export interface Request extends Schema.Schema.Type<typeof Request> {}
