/** The skills of all connected agents as tools, or each agent as one, each with a name of its own. */
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import * as Text from "@effect-toolnexus/core/Text"
import type * as Tool from "@effect-toolnexus/core/Tool"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import * as Effect from "effect/Effect"
import { type AgentCard, type AgentSkill, nameOf } from "../AgentCard.ts"
import { type ConnectedAgent, handler, suspension } from "./agentCall.ts"
import { inputSchema } from "./agentInput.ts"
import type { Connection, Outcome } from "./outcome.ts"

/** The entries in the order of their outcomes. */
export const toEntries = Effect.fnUntraced(function*(
  outcomes: ReadonlyArray<Outcome>
): Effect.fn.Return<ReadonlyArray<SourceEntry.SourceEntry>> {
  const connections = outcomes.flatMap((outcome) => outcome._tag === "Connected" ? [outcome.connection] : [])
  const offered = new Map(connections.map((connection) => [connection, offersOf(connection)]))
  const names = yield* nameOffers([...offered.values()].flat())
  return outcomes.map((outcome) =>
    outcome._tag === "Settled"
      ? outcome.entry
      : toEntry(outcome.connection, offered.get(outcome.connection) ?? [], names)
  )
})

/** What becomes a tool: a skill, or the agent as a whole. */
interface Offer {
  readonly candidate: ToolName.Candidate
  readonly description: string
  readonly skill: string | undefined
}

type Names = ReadonlyMap<Offer, string>

const nameOffers = Effect.fnUntraced(function*(offers: ReadonlyArray<Offer>) {
  const names = yield* ToolName.assign(offers.map(({ candidate }) => candidate))
  return new Map(offers.map((offer, index) => [offer, names[index] ?? ""]))
})

const offersOf = ({ agent, as, card }: Connection): ReadonlyArray<Offer> => {
  if (as === "agent") {
    const candidate = { parts: [agent.name], entry: agent.entry, original: agent.name }
    return [{ candidate, description: agent.redact(describeAgent(card)), skill: undefined }]
  }
  return card.skills.map((skill) => {
    const original = agent.redact(nameOf(skill))
    return {
      candidate: { parts: [agent.name, original], entry: agent.entry, original },
      description: agent.redact(describe(skill, card)),
      // to the agent itself a skill is called what it calls it
      skill: nameOf(skill)
    }
  })
}

const toEntry = (
  { agent, card, diagnostics, flags }: Connection,
  offers: ReadonlyArray<Offer>,
  names: Names
): SourceEntry.SourceEntry =>
  SourceEntry.loaded(agent.entry, {
    tools: offers.map((offer) => toTool(agent, card, offer, names.get(offer) ?? "")),
    diagnostics: [...card.diagnostics, ...diagnostics].map((diagnostic) => ({
      ...diagnostic,
      message: agent.redact(diagnostic.message),
      entry: agent.entry
    })),
    ...flags
  })

const toTool = (
  agent: ConnectedAgent,
  card: AgentCard,
  { candidate, description, skill }: Offer,
  name: string
): Tool.Tool => ({
  name,
  description,
  inputSchema: inputSchema(agent.conversation !== undefined),
  source: "a2a",
  origin: { kind: "a2a", entry: agent.entry, name: candidate.original, location: agent.redact(card.location) },
  handler: handler(agent, skill),
  suspension: suspension(agent)
})

const describe = ({ description, name }: AgentSkill, card: AgentCard): string =>
  [description, card.description, name].find((text) => text.trim() !== "") ?? ""

/** Of an agent with many skills a model reads the first ones, and of each a line. */
const MAX_LISTED = 50
const MAX_LINE = 200

const describeAgent = ({ description, name, skills }: AgentCard): string => {
  const lines = skills.slice(0, MAX_LISTED).map((skill) => {
    const about = Text.cut(skill.description.replaceAll(/\s+/g, " ").trim(), MAX_LINE, "...")
    return `- ${Text.cut(skill.name.trim(), MAX_LINE, "...")}${about === "" ? "" : `: ${about}`}`
  })
  const more = skills.length > MAX_LISTED ? [`- and ${skills.length - MAX_LISTED} more`] : []
  const about = description.trim() === "" ? name : description
  return skills.length === 0 ? about : [about, "", "Skills:", ...lines, ...more].join("\n")
}
