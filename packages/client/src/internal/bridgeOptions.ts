/** How the options of all bridges are read. */
import type { ProviderSchema, ToolCall } from "@effect-toolnexus/core"
import { takes } from "./richContent.ts"

interface BridgeOptions {
  readonly target?: ProviderSchema.Target
  readonly acceptsMedia?: (mediaType: string) => boolean
}

/** With whose rules are followed, `usual` where nobody says, and which files that provider takes. */
export const withTarget = <A extends BridgeOptions>(options: A, usual: ProviderSchema.Target) => {
  const target = options.target ?? usual
  return { ...options, target, acceptsMedia: options.acceptsMedia ?? takes(target) }
}

/** What the host says of one call, and the id that the runtime has for it, where it has one. */
export const withId = (given: ToolCall.CallOptions | undefined, id: string | undefined): ToolCall.CallOptions => ({
  ...given,
  ...(id === undefined || id === "" ? {} : { callId: id })
})
