/**
 * The card on which a remote agent says what it is called, what it can do and where it listens. Cards of both protocol
 * versions, and cards that are both at once, become one shape.
 *
 * **Details**
 *
 * Only the JSON-RPC binding is spoken; a card without it is of no use here. What a card claims about the version is
 * where to begin, not a fact: {@link AgentCard.alternative} is how to go on when the claim was wrong.
 *
 * @since 0.1.0
 */
import type * as Diagnostic from "@effect-toolnexus/core/Diagnostic"
import * as HttpAddress from "@effect-toolnexus/core/HttpAddress"
import type { Reach } from "@effect-toolnexus/core/NetworkPolicy"
import * as Text from "@effect-toolnexus/core/Text"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type CardSecurity, readSecurity } from "./internal/cardSecurity.ts"
import { field } from "./internal/wireField.ts"

/**
 * The two dialects of A2A in use.
 *
 * @category models
 * @since 0.1.0
 */
export type Dialect = "0.3" | "1.0"

/**
 * Where an agent listens, and which dialect to speak there. `namedFrom`: who can reach the place that the card came from; no
 * request goes nearer to this machine than that.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentInterface {
  readonly url: string
  readonly dialect: Dialect
  /** Sent along with every request of 1.0 where the card names one. */
  readonly tenant?: string
  readonly namedFrom: Reach
}

/**
 * One skill of a card.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentSkill {
  readonly id?: string
  readonly name: string
  readonly description: string
}

/**
 * A card of either version. `location` is where it was asked for, without user info, query and fragment.
 *
 * @category models
 * @since 0.1.0
 */
export interface AgentCard {
  readonly name: string
  readonly description: string
  readonly location: string
  readonly endpoint: AgentInterface
  /** The other dialect: another interface of the card, else the same address. */
  readonly alternative: AgentInterface
  readonly skills: ReadonlyArray<AgentSkill>
  /** Whether it says that it streams. */
  readonly isStreaming: boolean
  /** Whether it has more to show to those it knows. */
  readonly isExtendable: boolean
  /** Media types of what it gives, as it names them. */
  readonly outputModes: ReadonlyArray<string>
  readonly security: CardSecurity
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

const WireCard = Schema.Struct({
  name: Schema.NonEmptyString,
  description: field(Schema.String),
  url: field(Schema.String),
  preferredTransport: field(Schema.String),
  protocolVersion: field(Schema.String),
  supportedInterfaces: field(Schema.Array(Schema.Unknown)),
  additionalInterfaces: field(Schema.Array(Schema.Unknown)),
  skills: field(Schema.Array(Schema.Unknown)),
  capabilities: field(Schema.Unknown),
  supportsAuthenticatedExtendedCard: field(Schema.Unknown),
  defaultOutputModes: field(Schema.Unknown),
  securitySchemes: field(Schema.Unknown),
  security: field(Schema.Unknown),
  securityRequirements: field(Schema.Unknown)
})

const WireCapabilities = Schema.Struct({
  streaming: field(Schema.Unknown),
  extendedAgentCard: field(Schema.Unknown)
})

const WireInterface = Schema.Struct({
  url: Schema.NonEmptyString,
  protocolBinding: field(Schema.String),
  transport: field(Schema.String),
  protocolVersion: field(Schema.String),
  tenant: field(Schema.String)
})

const WireSkill = Schema.Struct({
  id: field(Schema.String),
  name: field(Schema.String),
  description: field(Schema.Unknown)
})

const decodeCard = Schema.decodeUnknownOption(WireCard)
const decodeInterface = Schema.decodeUnknownOption(WireInterface)
const decodeCapabilities = Schema.decodeUnknownOption(WireCapabilities)
const decodeList = Schema.decodeUnknownOption(Schema.Array(Schema.Unknown))
const decodeSkill = Schema.decodeUnknownOption(WireSkill)

/**
 * Whether a JSON document could be a card at all, so that an agent's front page isn't taken for one.
 *
 * @category guards
 * @since 0.1.0
 */
export const isCardLike = (document: unknown): boolean => Option.isSome(decodeCard(document))

/**
 * Reads a card. A failure says what is missing. `location` is where it was asked for; addresses in it are relative to
 * `base`, where it came from in the end, and `namedFrom` is who can reach that.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (
  document: unknown,
  location: URL,
  base: URL = location,
  namedFrom: Reach = "public"
): Result.Result<AgentCard, string> => {
  const card = decodeCard(document)
  if (Option.isNone(card)) return Result.fail("this is not an agent card (an object with a `name`)")
  const interfaces = interfacesOf(card.value, { base, namedFrom })
  const endpoint = interfaces.find(({ dialect }) => dialect === "1.0") ?? interfaces[0]
  if (endpoint === undefined) {
    return Result.fail(
      "the card offers no JSON-RPC interface with an http or https address; REST and gRPC are not spoken here"
    )
  }
  const { name, security, securityRequirements, securitySchemes, supportsAuthenticatedExtendedCard } = card.value
  const capabilities = Option.getOrUndefined(decodeCapabilities(card.value.capabilities))
  return Result.succeed({
    name: Text.cut(name, MAX_NAME, "..."),
    description: clip(card.value.description ?? ""),
    location: HttpAddress.bareHref(location),
    endpoint,
    alternative: interfaces.find(({ dialect }) => dialect !== endpoint.dialect) ??
      { ...endpoint, dialect: endpoint.dialect === "1.0" ? "0.3" : "1.0" },
    isStreaming: capabilities?.streaming === true,
    isExtendable: capabilities?.extendedAgentCard === true || supportsAuthenticatedExtendedCard === true,
    outputModes: listOf(card.value.defaultOutputModes).filter(isMediaType).slice(0, MAX_MODES),
    security: readSecurity(securitySchemes, listOf(security ?? securityRequirements)),
    ...skillsOf(card.value)
  })
}

/** Tools are called after them, in characters. */
const MAX_NAME = 1000

const listOf = (raw: unknown): ReadonlyArray<unknown> => Option.getOrElse(decodeList(raw), () => [])

const MAX_MODES = 50

const isMediaType = (mode: unknown): mode is string => typeof mode === "string" && /^[\w.+*-]+\/[\w.+*-]+$/.test(mode)

/** What a model is to read of each tool. */
const MAX_DESCRIPTION = 10_000

const clip = (text: string): string => Text.cut(text, MAX_DESCRIPTION, "...")

/** The place that a card came from. */
interface From {
  readonly base: URL
  readonly namedFrom: Reach
}

/** The interfaces of 1.0 first, then what the same card says in the words of 0.3. */
const interfacesOf = (card: typeof WireCard.Type, from: From): ReadonlyArray<AgentInterface> => {
  const claimed = dialectOf(card.protocolVersion) ?? "0.3"
  const legacy = [{ url: card.url, transport: card.preferredTransport ?? null }, ...card.additionalInterfaces ?? []]
  return [
    // a version that isn't said is unknown; the shape is that of 1.0, so that is what to begin with
    ...(card.supportedInterfaces ?? []).flatMap((raw) => Option.toArray(readInterface(raw, "1.0", from))),
    ...legacy.flatMap((raw) => Option.toArray(readInterface(raw, claimed, from)))
  ]
}

const readInterface = (raw: unknown, assumed: Dialect, { base, namedFrom }: From): Option.Option<AgentInterface> =>
  Option.flatMap(decodeInterface(raw), ({ protocolBinding, protocolVersion, tenant, transport, url }) => {
    const binding = protocolBinding ?? transport ?? "JSONRPC"
    const address = HttpAddress.parse(url, base)
    if (!/^json-?rpc$/i.test(binding) || address === undefined) return Option.none()
    return Option.some({
      url: address.url.href,
      dialect: dialectOf(protocolVersion) ?? assumed,
      namedFrom,
      ...(typeof tenant === "string" && tenant !== "" ? { tenant } : {})
    })
  })

const dialectOf = (version: string | null | undefined): Dialect | undefined => {
  if (version?.startsWith("1") === true) return "1.0"
  return version?.startsWith("0") === true ? "0.3" : undefined
}

interface Skills {
  readonly skills: ReadonlyArray<AgentSkill>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** No model could choose among more. */
const MAX_SKILLS = 1000

const UNNAMED = `A skill with neither id nor name of at most ${MAX_NAME} characters`

/** A skill without a name, and a second one of the same id, cost only themselves. */
const skillsOf = (card: typeof WireCard.Type): Skills => {
  const skills = new Map<string, AgentSkill>()
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  for (const [index, raw] of (card.skills ?? []).entries()) {
    if (index === MAX_SKILLS) {
      const message = `More than ${MAX_SKILLS} skills; the others are left out`
      diagnostics.push({ level: "warning", code: "too-many-skills", path: "skills", message })
      break
    }
    const skill = Option.flatMap(decodeSkill(raw), toSkill)
    const path = `skills.${index}`
    if (Option.isNone(skill)) {
      diagnostics.push({ level: "warning", code: "unnamed-skill", path, message: UNNAMED })
    } else if (skills.has(nameOf(skill.value))) {
      const message = `A second skill called "${nameOf(skill.value)}"; the first one is used`
      diagnostics.push({ level: "warning", code: "duplicate-skill", path, message })
    } else {
      skills.set(nameOf(skill.value), skill.value)
    }
  }
  return { skills: [...skills.values()], diagnostics }
}

const isName = (text: unknown): text is string =>
  typeof text === "string" && text.length <= MAX_NAME && text.trim() !== ""

const toSkill = ({ description, id, name }: typeof WireSkill.Type): Option.Option<AgentSkill> => {
  const known = [id, name].filter(isName)
  const [first] = known
  if (first === undefined) return Option.none()
  return Option.some({
    ...(id === first ? { id: first } : {}),
    name: known.at(-1) ?? first,
    description: clip(typeof description === "string" ? description : "")
  })
}

/**
 * What a skill is called: its id, else its name.
 *
 * @category getters
 * @since 0.1.0
 */
export const nameOf = (skill: AgentSkill): string => skill.id ?? skill.name
