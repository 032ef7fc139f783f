/** One way to reach a server, and what is heard on it. */
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import type { Challenge } from "@effect-toolnexus/core/TokenProvider"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Noise } from "../McpSession.ts"
import type { IsPending, Message } from "./jsonRpc.ts"

/** Who listens to a channel. */
export interface Receiver {
  /** Takes whatever came; false where it is no message. `related`: the request in whose answer it came, where that is known. */
  readonly receive: (value: unknown, related?: number) => boolean
  /** The request gets no answer, or none that can be kept. */
  readonly fail: (id: number, reason: string) => void
  /** The request was lost on its way. */
  readonly lose: (id: number, reason: string, wasSent: boolean) => void
  readonly isPending: IsPending
  /** No more comes: the other side is gone, as `reason` says, or we left. */
  readonly end: (reason: string | undefined, losses?: Losses) => void
}

/** What else is known of the end of a channel. */
export interface Losses {
  /** Requests that the server has certainly done nothing about. */
  readonly unsent: ReadonlySet<number>
  /** The server has forgotten the session, and is well otherwise. */
  readonly isExpired?: boolean
}

/** What kept a server from answering as one, in words. `challenge`: it wants to know who we are. */
export interface Refusal {
  readonly phase: "connect" | "initialize"
  readonly detail: string
  readonly challenge?: Challenge
  /** It answers as servers do that speak HTTP+SSE only. */
  readonly isOlder?: boolean
}

/** An open channel. What it opened is closed by the scope it was opened in. */
export interface Channel {
  /** Nothing is heard before. Fails with what is wrong, in words. */
  readonly listen: (receiver: Receiver) => Effect.Effect<void, string>
  /** Never waits, and never throws; what can't be sent is a request that fails. `context`: of the call it belongs to. */
  readonly send: (message: Message, context?: unknown) => void
  /** Takes back a request that wasn't sent yet; says whether it could. */
  readonly withdraw: (id: number) => boolean
  /** The revision of the protocol that both sides speak from now on. */
  readonly negotiated: (revision: string) => void
  /** Why the server can't be spoken to, where the channel knows better than whoever asked. */
  readonly refusal: () => Refusal | undefined
  /** Leaves: what is heard after it counts no more. */
  readonly leave: Effect.Effect<void>
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

/** What there is of a server that is no process of ours. */
export const noProcess: Pick<Channel, "ended" | "noise" | "stderr" | "withheld"> = {
  ended: () => undefined,
  stderr: () => "",
  noise: () => ({ lines: 0, samples: [] }),
  withheld: []
}

export type OpenChannel<R = never> = Effect.Effect<Channel, EntryError, Scope.Scope | R>
