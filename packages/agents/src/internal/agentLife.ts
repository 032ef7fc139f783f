/**
 * The life of one entry: its card is read, and read again from time to time; what it says then is what the entry is. All that
 * it opened, and every call that is under way, ends with it.
 */
import * as Defect from "@effect-toolnexus/core/Defect"
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import * as EntryOptions from "@effect-toolnexus/core/EntryOptions"
import { bareHref } from "@effect-toolnexus/core/HttpAddress"
import type * as Redaction from "@effect-toolnexus/core/Redaction"
import { RequestHeaders } from "@effect-toolnexus/core/RequestHeaders"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import { TokenProvider } from "@effect-toolnexus/core/TokenProvider"
import * as Tracing from "@effect-toolnexus/core/Tracing"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { type A2aError, type Reason } from "../A2aError.ts"
import type { AgentCard } from "../AgentCard.ts"
import { type AgentDefinition, check } from "../AgentDefinition.ts"
import * as A2aClient from "./a2aClient.ts"
import { type AgentAddress, resolve } from "./agentAddress.ts"
import type { Conversation } from "./agentCall.ts"
import { type AgentRequests, open } from "./agentRequests.ts"
import { discover } from "./cardDiscovery.ts"
import { describeSecurity, isMetBy } from "./cardSecurity.ts"
import { extend } from "./extendedCard.ts"
import { type Outcome, settled } from "./outcome.ts"

/** What whoever watches the entry is told. */
type Report = (outcome: Outcome) => Effect.Effect<void>

/** Ends where the entry is switched off or fails; a connected one lives until it is interrupted. */
export const live = (entry: string, given: AgentDefinition, report: Report) =>
  Effect.suspend(() => Effect.fromResult(check(entry, given))).pipe(
    Effect.flatMap((definition) =>
      EntryOptions.isDisabled(definition)
        ? report(settled(SourceEntry.disabled(entry)))
        : Effect.scoped(liveEnabled(entry, definition, report))
    ),
    Effect.catchDefect((defect) => broken(entry, (text) => text, defect)),
    Effect.catch((error) => report(settled(toEntry(error, given))))
  )

const toEntry = (error: SourceEntry.EntryError, given: AgentDefinition): SourceEntry.SourceEntry =>
  error.challenge === undefined
    ? SourceEntry.failed(error, EntryOptions.flagsOf(given))
    : SourceEntry.needsAuth(error, EntryOptions.flagsOf(given))

const liveEnabled = Effect.fnUntraced(function*(entry: string, definition: AgentDefinition, report: Report) {
  const address = yield* resolve(entry, definition)
  const requests = yield* open(address)
  const life = yield* begin(entry, definition, address, requests)
  // a card that breaks us costs its own entry (CONTRACT 1)
  return yield* Effect.catchDefect(
    Effect.andThen(connect(life, report), refresh(life, report)),
    (defect) => broken(entry, requests.redact, defect)
  )
})

const broken = Effect.fnUntraced(function*(entry: string, redact: Redaction.Redaction, defect: unknown) {
  const id = yield* Defect.log(`agent "${entry}"`, defect, redact)
  return yield* fail(entry, "initialize", `it broke unexpectedly (${id})`)
})

const fail = (entry: string, phase: SourceEntry.Phase, detail: string) =>
  new SourceEntry.EntryError({ kind: "agent", entry, phase, detail })

/** What stays the same while the card changes. */
interface Life {
  readonly entry: string
  readonly definition: AgentDefinition
  readonly address: AgentAddress
  readonly requests: AgentRequests
  readonly calls: Scope.Scope
  readonly permits: Semaphore.Semaphore | undefined
  readonly conversation: Conversation | undefined
  /** Whether there is anything to show to an agent that asks who we are. */
  readonly isKnown: boolean
  /** In milliseconds. */
  readonly cardTimeout: number
  current: Known | undefined
}

/** What the entry is made of now. */
interface Known {
  readonly card: AgentCard
  readonly client: A2aClient.A2aClient
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** Milliseconds; agents work for minutes (CONTRACT 8). */
const DEFAULT_TIMEOUT = 300_000
const DEFAULT_POLL_EVERY = 1000

/** Milliseconds: a card is a small file, however long the agent works (CONTRACT 8). */
const CARD_TIMEOUT = 30_000

const begin = Effect.fnUntraced(
  function*(entry: string, definition: AgentDefinition, address: AgentAddress, requests: AgentRequests) {
    const { keepContext, maxConcurrent, timeout = DEFAULT_TIMEOUT } = definition
    const hasMaker = (yield* RequestHeaders) !== undefined || (yield* TokenProvider) !== undefined
    const life: Life = {
      entry,
      definition,
      address,
      requests,
      // calls end together, not one after the other, and before their connections do
      calls: yield* Scope.fork(yield* Effect.scope, "parallel"),
      permits: maxConcurrent === undefined ? undefined : yield* Semaphore.make(Math.max(1, maxConcurrent)),
      conversation: keepContext === true ? { contextId: undefined } : undefined,
      isKnown: hasMaker || Object.keys(address.remote.headers).length > 0,
      cardTimeout: Math.min(timeout, CARD_TIMEOUT),
      current: undefined
    }
    return life
  }
)

const connect = Effect.fnUntraced(function*(life: Life, report: Report) {
  const known = yield* Tracing.entrySpan(read(life), "source.connect", {
    "toolnexus.source": "a2a",
    "toolnexus.entry": life.entry
  })
  life.current = known
  yield* report(toOutcome(life, known))
})

/** In milliseconds. Cards change when agents are deployed. */
const REFRESH_EVERY = 300_000

const refresh = Effect.fnUntraced(function*(life: Life, report: Report): Effect.fn.Return<never> {
  while (true) {
    yield* Effect.sleep(REFRESH_EVERY)
    const { current } = life
    if (current === undefined) continue
    // what breaks in between breaks a reading, and not the agent
    const next = yield* Effect.catchDefect(read(life), (defect) => broken(life.entry, life.requests.redact, defect))
      .pipe(
        Effect.catch(({ detail }) => Effect.succeed(stale(current, detail)))
      )
    if (isSame(current, next)) continue
    life.current = next
    yield* report(toOutcome(life, next))
  }
})

/** An agent that can't be asked just now is what it was; its calls say by themselves what is wrong. */
const stale = (current: Known, detail: string): Known => ({
  ...current,
  diagnostics: [
    ...current.diagnostics.filter(({ code }) => code !== "card-not-refreshed"),
    { level: "warning", code: "card-not-refreshed", message: `Its card can't be read any more: ${detail}` }
  ]
})

const isSame = (one: Known, other: Known): boolean =>
  JSON.stringify([one.card, one.diagnostics]) === JSON.stringify([other.card, other.diagnostics])

const read = Effect.fnUntraced(function*(life: Life) {
  const { address, current, definition, entry, isKnown, requests } = life
  const shown = yield* fetchCard(life)
  requests.secure(shown.security)
  const isTrusted = address.remote.isTrusted(new URL(shown.endpoint.url))
  const { card, client, diagnostics } = yield* extend(
    shown,
    clientFor(shown, life),
    life.cardTimeout,
    isKnown && isTrusted
  )
  requests.secure(card.security)
  if (card.skills.length === 0 && definition.as !== "agent") {
    const advice = "\"as\": \"agent\" makes one tool of the agent as a whole"
    return yield* fail(entry, "initialize", `its card advertises no skill with a name; ${advice}`)
  }
  const known: Known = {
    card,
    // what was learned of how it speaks is kept
    client: current !== undefined && isSameAgent(current.card, card)
      ? current.client
      : isSameAgent(shown, card)
      ? client
      : A2aClient.make(card, requests),
    diagnostics: [...diagnostics, ...warn(life, card)]
  }
  return known
})

const clientFor = (card: AgentCard, { current, requests }: Life): A2aClient.A2aClient =>
  current !== undefined && isSameAgent(current.card, card) ? current.client : A2aClient.make(card, requests)

const isSameAgent = (one: AgentCard, other: AgentCard): boolean => speech(one) === speech(other)

const speech = ({ alternative, endpoint, isStreaming }: AgentCard): string =>
  JSON.stringify([endpoint, alternative, isStreaming])

const fetchCard = Effect.fnUntraced(function*({ address, cardTimeout, entry, requests }: Life) {
  const answered = yield* Ref.make(false)
  return yield* discover(requests, address.url, Ref.set(answered, true)).pipe(
    Effect.mapError((error) => toEntryError(entry, error, requests.redact)),
    Effect.timeoutOrElse({
      duration: cardTimeout,
      orElse: () =>
        Effect.flatMap(
          Ref.get(answered),
          (isAnswering) =>
            fail(entry, isAnswering ? "initialize" : "connect", `its card did not come within ${cardTimeout} ms`)
        )
    })
  )
})

const toEntryError = (entry: string, error: A2aError, redact: Redaction.Redaction) =>
  new SourceEntry.EntryError({
    kind: "agent",
    entry,
    phase: phaseOf(error.reason),
    detail: redact(error.message),
    ...(error.reason._tag === "Unauthorized" ? { challenge: error.reason.challenge } : {})
  })

const phaseOf = ({ _tag }: Reason): SourceEntry.Phase => _tag === "Unreachable" ? "connect" : "initialize"

/** What a person should know before the first call fails. */
const warn = ({ address: { remote, url }, isKnown }: Life, card: AgentCard): ReadonlyArray<Diagnostic> => {
  const endpoint = new URL(card.endpoint.url)
  const diagnostics: Array<Diagnostic> = []
  const say = (code: string, message: string) => {
    diagnostics.push({ level: "warning", code, message })
  }
  if (url.protocol === "https:" && endpoint.protocol === "http:") {
    say("insecure-endpoint", `It listens at ${bareHref(endpoint)}, where everybody on the way can read what it is told`)
  }
  if (isKnown && !remote.isTrusted(endpoint)) {
    say(
      "headers-withheld",
      `It listens at ${bareHref(endpoint)}, on another origin than its card, which gets no header and no token; `
        + `"allowOrigins": ["${endpoint.origin}"] allows it`
    )
  }
  if (!isKnown && !isMetBy(card.security, remote.headers)) {
    say("credentials-wanted", `Its card asks for ${describeSecurity(card.security)}; configure "headers"`)
  }
  return diagnostics
}

const toOutcome = (life: Life, { card, client, diagnostics }: Known): Outcome => {
  const { calls, conversation, definition, entry, permits, requests: { redact } } = life
  const { as = "skills", pollEvery = DEFAULT_POLL_EVERY, timeout = DEFAULT_TIMEOUT } = definition
  const agent = {
    entry,
    name: redact(card.name),
    client,
    url: redact(bareHref(new URL(card.endpoint.url))),
    outputModes: card.outputModes,
    timeout,
    pollEvery,
    permits,
    redact,
    scope: calls,
    conversation
  }
  return { _tag: "Connected", connection: { agent, as, card, diagnostics, flags: EntryOptions.flagsOf(definition) } }
}
