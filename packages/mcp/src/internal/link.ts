/** One way to reach a server: the SDK's transport, and what we want to know beside it. */
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Noise } from "../McpSession.ts"

/** An open link. It is closed by the scope it was opened in. */
export interface Link {
  readonly transport: Transport
  readonly pid?: number
  /** How the other side went away, e.g. `exited with code 3`; undefined while it is there, or if we left first. */
  readonly ended: () => string | undefined
  readonly stderr: () => string
  /** Blots out the secrets the server was given, should it say them. */
  readonly redact: Redaction
  /** Lines on stdout that were no messages. */
  readonly noise: () => Noise
  /** Names of variables about the network that we have and a process was not given. */
  readonly withheld: ReadonlyArray<string>
}

export const silence: Noise = { lines: 0, samples: [] }

export type OpenLink<R = never> = Effect.Effect<Link, EntryError, Scope.Scope | R>
