/** The first exchange with a server: which revision of the protocol, and what each can do. */
import type { JsonObject } from "@effect-toolnexus/core/Json"
import { isJsonObject } from "@effect-toolnexus/core/Json"
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import { McpRejected } from "../McpError.ts"
import type { Channel } from "./channel.ts"
import type { Fields } from "./jsonRpc.ts"
import type { Peer } from "./peer.ts"

/** The newest first: it is what we offer. A server may answer with an older one that it speaks. */
const REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const

const CLIENT = { name: "effect-toolnexus", version: "0.1.0" }

export interface Greeting {
  readonly revision: string
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly capabilities: JsonObject
  readonly instructions?: string
}

/** Without cancellation: `initialize` may not be cancelled, the connection is closed instead. */
export const shakeHands = (
  server: string,
  channel: Pick<Channel, "negotiated" | "redact">,
  peer: Peer,
  capabilities: JsonObject
) => {
  const [protocolVersion] = REVISIONS
  return peer.request("initialize", { protocolVersion, capabilities, clientInfo: CLIENT }, { isCancellable: false })
    .pipe(
      Effect.flatMap((answer) => readGreeting(server, channel.redact, answer)),
      Effect.tap(({ revision }) =>
        Effect.sync(() => {
          channel.negotiated(revision)
          peer.notify("notifications/initialized")
        })
      )
    )
}

const readGreeting = (server: string, redact: Redaction, answer: Fields): Effect.Effect<Greeting, McpRejected> => {
  const { capabilities, instructions, protocolVersion, serverInfo } = answer
  const reject = (detail: string) => Effect.fail(new McpRejected({ server, detail }))
  if (typeof protocolVersion !== "string") {
    return reject("its answer is not what the protocol asks for at protocolVersion")
  }
  if (!REVISIONS.some((known) => known === protocolVersion)) {
    return reject(
      `it speaks revision ${JSON.stringify(Text.cut(redact(protocolVersion), 40, "..."))} of the protocol; known are ${
        REVISIONS.join(", ")
      }`
    )
  }
  return Effect.succeed({
    revision: protocolVersion,
    serverInfo: { name: textOf(serverInfo, "name"), version: textOf(serverInfo, "version") },
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    ...readInstructions(redact, instructions)
  })
}

/** What a server says of itself is nice to know, and nothing depends on it. */
const textOf = (value: unknown, key: "name" | "version"): string => {
  const text = isJsonObject(value) ? value[key] : undefined
  return typeof text === "string" ? text : ""
}

/** They stand in every request to a model, and nobody who writes them knows what else stands there. */
const MAX_INSTRUCTIONS = 10_000

const CUT = "\n[... the rest of these instructions is left out ...]"

/** Cut only when secrets are out of it: what is left of one that was cut would be recognised by nobody. */
const readInstructions = (redact: Redaction, instructions: unknown): Pick<Greeting, "instructions"> => {
  if (typeof instructions !== "string" || instructions.trim() === "") return {}
  return { instructions: Text.cut(redact(instructions.toWellFormed()), MAX_INSTRUCTIONS, CUT) }
}
