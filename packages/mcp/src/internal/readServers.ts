/** Definitions of servers, each read once and for all: what one says the next time doesn't matter. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Result from "effect/Result"
import {
  type EnabledServer,
  type McpServerDefinition,
  normalize,
  type Normalized,
  type Unreadable
} from "../McpConfig.ts"
import { type Flags, readFlags } from "./readServer.ts"

export interface ReadServer {
  readonly name: string
  /** As it was given, for a host that switches it on or off. */
  readonly definition: McpServerDefinition
  readonly flags: Flags
  readonly normalized: Result.Result<Normalized, Unreadable>
}

/** Sorted by name; of two with one name the later wins. */
export const readServers = (
  servers: Iterable<readonly [name: string, definition: McpServerDefinition]>
): ReadonlyArray<ReadServer> =>
  [...new Map(servers)]
    .toSorted(([left], [right]) => ToolName.byCodePoints(left, right))
    .map(([name, definition]) => readDefinition(name, definition))

export const readDefinition = (name: string, definition: McpServerDefinition): ReadServer => ({
  name,
  definition,
  flags: readFlags(definition),
  normalized: normalize(name, definition)
})

/** What is to be said about how it was written. */
export const diagnosticsOf = ({ normalized }: ReadServer): ReadonlyArray<Diagnostic> =>
  Result.match(normalized, {
    onFailure: ({ diagnostics }) => diagnostics,
    onSuccess: ({ diagnostics }) => diagnostics
  })

/** What can't be read is on: it is a failure, and no choice of its owner's. */
export const isSwitchedOn = ({ normalized }: ReadServer): boolean =>
  Result.isFailure(normalized) || normalized.success.server._tag !== "Disabled"

/** What can be connected of it. */
export const enabledServer = ({ normalized }: ReadServer): EnabledServer | undefined => {
  if (Result.isFailure(normalized)) return undefined
  const { server } = normalized.success
  return server._tag === "Disabled" ? undefined : server
}

/** The same server, switched on or off by its host, whatever its definition says of that. */
export const switched = ({ definition, name }: ReadServer, enabled: boolean): ReadServer =>
  readDefinition(name, { ...definition, config: withSwitch(definition.config, enabled) })

/** What can't be copied can't be read either, and the reader says so. */
const withSwitch = (config: unknown, enabled: boolean): unknown =>
  typeof config === "object" && config !== null && !Array.isArray(config)
    ? Result.getOrElse(Result.try(() => ({ ...config, enabled, disabled: !enabled })), () => config)
    : config
