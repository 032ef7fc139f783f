/**
 * How an exchange with a remote agent goes wrong, before it is known whose concern that is: an entry that can't be
 * loaded, or a call that fails.
 *
 * @since 0.1.0
 */
import * as Match from "effect/Match"
import * as Schema from "effect/Schema"

/**
 * What went wrong.
 *
 * **Details**
 *
 * - `Unreachable`: no HTTP answer at all
 * - `Cut`: the answer began and didn't end
 * - `Silent`: a stream that ended before it said anything
 * - `BadStatus`: an HTTP status that isn't a success, without a JSON-RPC error in the body; `retryAfter` in milliseconds,
 *   where the agent says when to come again
 * - `Unauthorized`: it asks who we are; `challenge` is its `WWW-Authenticate`, `wanted` what its card asks for
 * - `Malformed`: an answer that isn't what the protocol says
 * - `TooLarge`: an answer over the limit, in bytes
 * - `Refused`: a JSON-RPC error, and the HTTP status it came with
 *
 * @category models
 * @since 0.1.0
 */
export const Reason = Schema.Union([
  Schema.TaggedStruct("Unreachable", { detail: Schema.String }),
  Schema.TaggedStruct("Cut", {}),
  Schema.TaggedStruct("Silent", {}),
  Schema.TaggedStruct("BadStatus", { status: Schema.Finite, retryAfter: Schema.optionalKey(Schema.Finite) }),
  Schema.TaggedStruct("Unauthorized", { status: Schema.Finite, challenge: Schema.String, wanted: Schema.String }),
  Schema.TaggedStruct("Malformed", { detail: Schema.String }),
  Schema.TaggedStruct("TooLarge", { limit: Schema.Finite }),
  Schema.TaggedStruct("Refused", { code: Schema.Finite, detail: Schema.String, status: Schema.Finite })
])

/**
 * @category models
 * @since 0.1.0
 */
export type Reason = Schema.Schema.Type<typeof Reason>

/**
 * An exchange that failed. `url` is without user info, query and fragment; texts of the agent are cut and free of the
 * configured credentials.
 *
 * @category errors
 * @since 0.1.0
 */
export class A2aError extends Schema.TaggedError<A2aError>("@effect-toolnexus/agents/A2aError/A2aError")("A2aError", {
  url: Schema.String,
  reason: Reason
}) {
  override get message(): string {
    return describe(this.url, this.reason)
  }
}

const describe = (url: string, reason: Reason): string =>
  Match.valueTags(reason, {
    Unreachable: ({ detail }) =>
      `${url} gave no HTTP answer (${detail}); is the agent running, and is this its address?`,
    Cut: () => `${url} ended the connection in the middle of its answer`,
    Silent: () => `${url} ended its answer before it said anything`,
    BadStatus: ({ status }) => `${url} answered HTTP ${status}`,
    Unauthorized: ({ challenge, status, wanted }) =>
      `${url} answered HTTP ${status}${challenge === "" ? "" : ` (${challenge})`}; check the configured headers`
      + (wanted === "" ? "" : `: the card asks for ${wanted}`),
    Malformed: ({ detail }) => `${url} answered wrongly: ${detail}`,
    TooLarge: ({ limit }) => `${url} answered with more than ${limit} bytes`,
    Refused: ({ code, detail }) => `${url} refused with error ${code}: ${detail}`
  })

/**
 * Whether the same question may well be answered a little later. Only for what is safe to repeat.
 *
 * @category guards
 * @since 0.1.0
 */
export const isTransient = ({ reason }: A2aError): boolean => {
  switch (reason._tag) {
    case "Unreachable":
    case "Cut":
    case "Silent":
      return true
    case "BadStatus":
      return reason.status === 408 || reason.status === 429 || reason.status >= 500
    default:
      return false
  }
}

/** `MethodNotFound` of JSON-RPC, and `VersionNotSupported` of A2A. */
const VERSION_CODES: ReadonlySet<number> = new Set([-32601, -32009])

/**
 * Whether the agent doesn't understand the dialect it was spoken to: the method is unknown, the version isn't
 * supported, or the whole request was a bad one (HTTP 400).
 *
 * @category guards
 * @since 0.1.0
 */
export const isVersionError = ({ reason }: A2aError): boolean => {
  if (reason._tag === "BadStatus") return reason.status === 400
  return reason._tag === "Refused" && (reason.status === 400 || VERSION_CODES.has(reason.code))
}

/**
 * Whether an agent refuses the request as none at all, which older servers say of a method they don't know. Of a message
 * that goes on with a task it may as well mean that the task is over.
 *
 * @category guards
 * @since 0.1.0
 */
export const isInvalidRequest = ({ reason }: A2aError): boolean => reason._tag === "Refused" && reason.code === -32600

/**
 * Whether the agent doesn't stream, whatever its card says.
 *
 * @category guards
 * @since 0.1.0
 */
export const isUnsupported = ({ reason }: A2aError): boolean => reason._tag === "Refused" && reason.code === -32004

/**
 * Whether the agent knows no such task (any more).
 *
 * @category guards
 * @since 0.1.0
 */
export const isUnknownTask = ({ reason }: A2aError): boolean => reason._tag === "Refused" && reason.code === -32001
