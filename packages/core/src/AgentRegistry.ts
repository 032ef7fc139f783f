/**
 * What a source provides that takes remote agents while it lives: `Toolkit.addAgent` hands them to it, so that they share
 * one list of names with the agents that were there before.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SourceEntry } from "./SourceEntry.ts"

/**
 * A remote agent, added while the toolkit lives; see the agents package for the fields.
 *
 * @category models
 * @since 0.1.0
 */
export interface RemoteAgent {
  readonly card: string
  readonly headers?: Readonly<Record<string, string>>
  /** Other origins that get the headers, too. */
  readonly allowOrigins?: ReadonlyArray<string>
  /** One tool for each skill, or one for the agent. Default: `skills`. */
  readonly as?: "skills" | "agent"
  /** New tasks go on with the conversation of those before. Default: false. */
  readonly keepContext?: boolean
  /** Milliseconds over a whole call. Default: 300000. */
  readonly timeout?: number
  /** Milliseconds. Default: 1000. */
  readonly pollEvery?: number
}

/**
 * @category services
 * @since 0.1.0
 */
export class AgentRegistry extends Context.Service<AgentRegistry, {
  /**
   * Connects an agent and gives its entry once that has settled. One that has the name already is replaced. Default for
   * `name`: the card's URL. Doesn't end where the source is closed meanwhile.
   */
  readonly add: (agent: RemoteAgent, name?: string) => Effect.Effect<SourceEntry>
}>()("@effect-toolnexus/core/AgentRegistry") {}
