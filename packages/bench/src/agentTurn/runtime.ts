/** What each runtime is asked to do. Nothing here imports one. */
import type { Command } from "../mcpClients/client.ts"

export interface Opened {
  /** One turn; gives what the model said last. */
  readonly turn: () => Promise<string>
  readonly close: () => Promise<unknown>
}

export interface Runtime {
  readonly open: (server: Command) => Promise<Opened>
}

export const PROMPT = "Say it, and add it up"
export const TEXT = "a short text"
export const NUMBERS = { a: 2, b: 3 }
export const SUM = "5"

export const sum = ({ a, b }: { readonly a: number; readonly b: number }): string => String(a + b)

/** What the model says last: what it has read, so that a turn that went wrong doesn't count. */
export const answer = (echoed: string, added: string): string => `${echoed} ${added}`
