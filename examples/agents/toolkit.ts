/** The same toolkit in every process. */
import { ToolkitLive } from "effect-toolnexus"

export const toolkit = ({ painter, weather }: { readonly painter: string; readonly weather?: string }) =>
  ToolkitLive({
    agents: {
      // its tasks are one conversation
      ...(weather === undefined ? {} : { weather: { card: weather, keepContext: true } }),
      // one tool for the agent, its skills in the description
      painter: { card: painter, as: "agent", pollEvery: 10 }
    },
    builtins: false
  })
