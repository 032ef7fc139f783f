/** The skills of all connected agents as tools, each with a name of its own. */
import { SourceEntry, type Tool, ToolName } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import { type AgentCard, type AgentSkill, nameOf } from "../AgentCard.ts"
import { type ConnectedAgent, handler, suspension } from "./agentCall.ts"

export interface Connection {
  readonly agent: ConnectedAgent
  readonly card: AgentCard
  readonly flags: Pick<SourceEntry.EntryFields, "required" | "trusted">
}

/** What became of an entry before names are given: those depend on all of them. */
export type Outcome =
  | { readonly _tag: "Connected"; readonly connection: Connection }
  | { readonly _tag: "Settled"; readonly entry: SourceEntry.SourceEntry }

/** The entries in the order of their outcomes. */
export const toEntries = Effect.fnUntraced(function*(
  outcomes: ReadonlyArray<Outcome>
): Effect.fn.Return<ReadonlyArray<SourceEntry.SourceEntry>> {
  const names = yield* nameSkills(
    outcomes.flatMap((outcome) => outcome._tag === "Connected" ? [outcome.connection] : [])
  )
  return outcomes.map((outcome) => outcome._tag === "Settled" ? outcome.entry : toEntry(outcome.connection, names))
})

type Names = ReadonlyMap<AgentSkill, string>

const nameSkills = Effect.fnUntraced(function*(connections: ReadonlyArray<Connection>) {
  const named = connections.flatMap(({ agent, card }) =>
    card.skills.map((skill) => {
      const original = agent.redact(nameOf(skill))
      const candidate: ToolName.Candidate = { parts: [agent.name, original], entry: agent.entry, original }
      return { skill, candidate }
    })
  )
  const names = yield* ToolName.assign(named.map(({ candidate }) => candidate))
  return new Map(named.map(({ skill }, index) => [skill, names[index] ?? ""]))
})

const toEntry = ({ agent, card, flags }: Connection, names: Names): SourceEntry.SourceEntry =>
  SourceEntry.loaded(agent.entry, {
    tools: card.skills.map((skill) => toTool(agent, card, skill, names.get(skill) ?? "")),
    diagnostics: card.diagnostics.map((diagnostic) => ({
      ...diagnostic,
      message: agent.redact(diagnostic.message),
      entry: agent.entry
    })),
    ...flags
  })

const toTool = (agent: ConnectedAgent, card: AgentCard, skill: AgentSkill, name: string): Tool.Tool => ({
  name,
  description: agent.redact(describe(skill, card)),
  inputSchema: INPUT_SCHEMA,
  source: "a2a",
  origin: { kind: "a2a", entry: agent.entry, name: agent.redact(nameOf(skill)), location: agent.redact(card.location) },
  // to the agent itself a skill is called what it calls it
  handler: handler(agent, nameOf(skill)),
  suspension: suspension(agent)
})

const describe = ({ description, name }: AgentSkill, card: AgentCard): string =>
  [description, card.description, name].find((text) => text.trim() !== "") ?? ""

const INPUT_SCHEMA: Tool.ObjectSchema = {
  type: "object",
  properties: {
    task: {
      type: "string",
      description: "What the remote agent is to do, in plain words. It knows nothing of this conversation."
    }
  },
  required: ["task"],
  additionalProperties: false
}
