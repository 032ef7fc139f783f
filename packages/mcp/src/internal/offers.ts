/** What can be asked of a server beside its tools, where it says that it offers it. */
import * as Defect from "@effect-toolnexus/core/Defect"
import type { JsonObject } from "@effect-toolnexus/core/Json"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { EnabledServer } from "../McpConfig.ts"
import { type McpCallError, McpNotOffered, McpRejected, type McpRequestError, McpTimedOut } from "../McpError.ts"
import type { Listing, McpOffers, RequestOptions } from "../McpSession.ts"
import type { Channel } from "./channel.ts"
import type { Greeting } from "./handshake.ts"
import type { Fields } from "./jsonRpc.ts"
import { PROMPTS, RESOURCES, TEMPLATES } from "./listings.ts"
import type { Notices } from "./notices.ts"
import { type ListKind, readAllPages } from "./pages.ts"
import type { Peer } from "./peer.ts"
import { type Answer, readCompletion, readContents, readPrompt } from "./readAnswers.ts"
import { Subscriptions } from "./subscriptions.ts"

interface Parts {
  readonly server: EnabledServer
  readonly channel: Pick<Channel, "redact">
  readonly peer: Peer
  readonly greeting: Pick<Greeting, "capabilities" | "revision">
  readonly notices: Notices
}

export const makeOffers = (parts: Parts): McpOffers => {
  const { greeting: { capabilities }, notices, peer, server } = parts
  const { name, timeout } = server
  const subscriptions = new Subscriptions(peer, notices)
  const list = <A>(capability: string, kind: ListKind<A>): Effect.Effect<Listing<A>, McpCallError> =>
    offers(capabilities, capability) ? readList(parts, kind) : Effect.succeed({ items: [], diagnostics: [] })
  return {
    listResources: list("resources", RESOURCES),
    listResourceTemplates: list("resources", TEMPLATES),
    listPrompts: list("prompts", PROMPTS),
    readResource: (uri, options) =>
      ask(parts, "resources", "resources/read", { uri }, options, (answer) => readContents(name, uri, answer)),
    getPrompt: (prompt, args = {}, options) =>
      ask(
        parts,
        "prompts",
        "prompts/get",
        { name: prompt, arguments: args },
        options,
        (answer) => readPrompt(name, prompt, answer)
      ),
    complete: (question, options) =>
      ask(parts, "completions", "completion/complete", { ...question }, options, readCompletion),
    subscribe: (uri) =>
      offers(capabilities, "resources", "subscribe")
        ? subscriptions.updates(uri, timeout)
        : Stream.fail(new McpNotOffered({ server: name, capability: "resources.subscribe" }))
  }
}

/** Whether a server says that it does; what isn't `false` says so. */
export const offers = (capabilities: JsonObject, capability: string, part?: string): boolean => {
  const offered = Object.hasOwn(capabilities, capability) ? capabilities[capability] : undefined
  if (part === undefined) return !Predicate.isNullish(offered) && offered !== false
  return Predicate.hasProperty(offered, part) && offered[part] === true
}

/** Servers of older revisions complete, or don't, without a word about it. */
const COMPLETIONS_SINCE = "2025-03-26"

const ask = <A>(
  { channel, greeting, peer, server: { name, timeout } }: Parts,
  capability: string,
  method: string,
  params: Fields,
  { limits = timeout, ...options }: RequestOptions = {},
  read: (answer: Fields) => Answer<A>
): Effect.Effect<A, McpRequestError> => {
  const isOffered = offers(greeting.capabilities, capability)
    || capability === "completions" && greeting.revision < COMPLETIONS_SINCE
  if (!isOffered) return Effect.fail(new McpNotOffered({ server: name, capability }))
  const answer = peer.request(method, params, { ...options, limits })
  const wrong = (place: string) =>
    new McpRejected({ server: name, detail: `its answer is not what the protocol asks for at ${place}` })
  return Effect.flatMap(answer, (fields) => Effect.fromResult(Result.mapError(read(fields), wrong))).pipe(
    unbroken(name, channel)
  )
}

/** The pages of a list keep its limit together. */
const readList = <A>(
  { channel, peer, server: { name, timeout: { list: limit } } }: Parts,
  kind: ListKind<A>
): Effect.Effect<Listing<A>, McpCallError> =>
  readAllPages(kind, name, channel.redact, peer).pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => Effect.fail(new McpTimedOut({ server: name, phase: "total", limit }))
    }),
    unbroken(name, channel)
  )

/** What a server in this process answers may break whoever reads it. */
const unbroken = (server: string, { redact }: Parts["channel"]) => <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.catchDefect(effect, (defect): Effect.Effect<A, E | McpRejected> =>
    Effect.flatMap(
      Defect.log(`mcp server "${server}"`, defect, redact),
      (id) => Effect.fail(new McpRejected({ server, detail: `its answer breaks whoever reads it (${id})` }))
    ))
