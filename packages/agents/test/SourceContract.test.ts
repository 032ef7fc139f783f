import { AgentSource } from "@effect-toolnexus/agents"
import { A2aReply, FakeA2aAgent } from "@effect-toolnexus/testing"
import { sourceContract } from "@effect-toolnexus/testing/SourceContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { platform } from "./fixtures/support.ts"

const agent = FakeA2aAgent.make({
  name: "helper",
  reply: (text) => text === "hang" ? A2aReply.endless : A2aReply.completed(`You said ${text}`, { polls: 1 })
})

/** The source of the good agent and of others, with its agent started and stopped with it. */
const source = (others: ReadonlyArray<readonly [string, AgentSource.AgentDefinition]> = []) =>
  Layer.unwrap(
    Effect.map(agent, ({ cardUrl }) =>
      AgentSource.layer({ agents: [["good", { card: cardUrl, pollEvery: 10, folder: "/" }], ...others] }))
  ).pipe(Layer.provide(platform))

const slow = Layer.unwrap(
  Effect.map(
    FakeA2aAgent.make({ delay: 60_000 }),
    ({ cardUrl }) => AgentSource.layer({ agents: [["slow", { card: cardUrl, folder: "/" }]] })
  )
).pipe(Layer.provide(platform))

sourceContract("AgentSource", {
  kind: "agent",
  toolKind: "a2a",
  good: source(),
  tools: ["helper_answer"],
  call: { tool: "helper_answer", args: { task: "hello" }, output: "You said hello" },
  hang: { tool: "helper_answer", args: { task: "hang" } },
  bad: { layer: source([["broken", { card: "http://127.0.0.1:1/", folder: "/" }]]), entry: "broken" },
  slow
})
