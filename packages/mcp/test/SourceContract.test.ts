import { McpSource } from "@effect-toolnexus/mcp"
import { sourceContract } from "@effect-toolnexus/testing/SourceContract"
import * as Layer from "effect/Layer"
import { define, platform, scripted, type Servers } from "./support.ts"

const source = (servers: Servers) => McpSource.layer({ servers: Object.entries(servers) }).pipe(Layer.provide(platform))

const good = scripted({ tools: [{ name: "echo" }, { name: "never" }] })

sourceContract("McpSource", {
  kind: "mcp",
  toolKind: "mcp",
  good: source({ good }),
  tools: ["good_echo", "good_never"],
  call: { tool: "good_echo", args: { text: "hello" }, output: "hello" },
  hang: { tool: "good_never", args: {} },
  bad: { layer: source({ good, bad: define({ command: "no-such-command-here" }) }), entry: "bad" },
  slow: source({ slow: scripted({ hang: true, ignoreEof: true, ignoreTerm: true }) })
})
