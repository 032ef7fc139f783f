/**
 * How a request to a server fails. Each error names the server, and says what happened in words.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { withStderr } from "./internal/entryError.ts"

/**
 * The connection is gone: the server's process ended, or we closed it. `reason` says which, e.g. `exited with code 3`;
 * `stderr` is the end of what a process wrote there.
 *
 * @category errors
 * @since 0.1.0
 */
export class McpClosed extends Schema.TaggedError<McpClosed>("@effect-toolnexus/mcp/McpError/McpClosed")(
  "McpClosed",
  {
    server: Schema.String,
    reason: Schema.String,
    stderr: Schema.String,
    /** The server has forgotten the session, and is well otherwise. */
    isExpired: Schema.optionalKey(Schema.Boolean)
  }
) {
  override get message(): string {
    return withStderr(`mcp server "${this.server}" ${this.reason}`, this.stderr)
  }
}

/**
 * The server refused a request, or answered it with something that is no answer. `code` is JSON-RPC's, where it gave
 * one; `detail` is the server's own message.
 *
 * @category errors
 * @since 0.1.0
 */
export class McpRejected extends Schema.TaggedError<McpRejected>("@effect-toolnexus/mcp/McpError/McpRejected")(
  "McpRejected",
  { server: Schema.String, code: Schema.optionalKey(Schema.Finite), detail: Schema.String }
) {
  override get message(): string {
    return this.detail
  }
}

/**
 * The request was lost on its way, and the connection with it or not. `wasSent` is false where it is certain that the
 * server has done nothing about it, so that it may be sent again.
 *
 * @category errors
 * @since 0.1.0
 */
export class McpLost extends Schema.TaggedError<McpLost>("@effect-toolnexus/mcp/McpError/McpLost")(
  "McpLost",
  { server: Schema.String, reason: Schema.String, wasSent: Schema.Boolean }
) {
  override get message(): string {
    return `mcp server "${this.server}" ${this.reason}`
  }
}

/**
 * A request took longer than the caller's limits: `call` without news, or `total` in all. `limit` is in milliseconds.
 *
 * @category errors
 * @since 0.1.0
 */
export class McpTimedOut extends Schema.TaggedError<McpTimedOut>("@effect-toolnexus/mcp/McpError/McpTimedOut")(
  "McpTimedOut",
  { server: Schema.String, phase: Schema.Literals(["call", "total"]), limit: Schema.Finite }
) {
  override get message(): string {
    const what = this.phase === "call" ? "was silent for" : "took longer than"
    return `mcp server "${this.server}" ${what} ${this.limit} ms`
  }
}

/**
 * The server doesn't offer what was asked for, by its own word in `initialize`, and so wasn't asked. `capability` is
 * what it would have to offer, as the protocol calls it, e.g. `resources.subscribe`.
 *
 * @category errors
 * @since 0.1.0
 */
export class McpNotOffered extends Schema.TaggedError<McpNotOffered>("@effect-toolnexus/mcp/McpError/McpNotOffered")(
  "McpNotOffered",
  { server: Schema.String, capability: Schema.String }
) {
  override get message(): string {
    return `mcp server "${this.server}" does not offer ${this.capability}`
  }
}

/**
 * There is no connection to ask: the server is switched off, or has failed, or was not connected within the limits of a
 * call. `reason` is a whole sentence about it.
 *
 * @category errors
 * @since 0.1.0
 */
export class McpUnavailable extends Schema.TaggedError<McpUnavailable>("@effect-toolnexus/mcp/McpError/McpUnavailable")(
  "McpUnavailable",
  { server: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return this.reason
  }
}

/**
 * There is no server of that name; `suggestions` are those with a similar one.
 *
 * @category errors
 * @since 0.1.0
 */
export class McpUnknownServer extends Schema.TaggedError<McpUnknownServer>(
  "@effect-toolnexus/mcp/McpError/McpUnknownServer"
)("McpUnknownServer", { server: Schema.String, suggestions: Schema.Array(Schema.String) }) {
  override get message(): string {
    const similar = this.suggestions.map((name) => `"${name}"`).join(", ")
    return `there is no mcp server "${this.server}"${similar === "" ? "" : `; similar names: ${similar}`}`
  }
}

/**
 * Every way a request to a connected server can fail.
 *
 * @category errors
 * @since 0.1.0
 */
export type McpCallError = McpClosed | McpLost | McpRejected | McpTimedOut

/**
 * Every way a request for what not every server offers can fail.
 *
 * @category errors
 * @since 0.1.0
 */
export type McpRequestError = McpCallError | McpNotOffered

/**
 * Every way a request to a server by its name can fail.
 *
 * @category errors
 * @since 0.1.0
 */
export type McpServerError = McpRequestError | McpUnavailable | McpUnknownServer
