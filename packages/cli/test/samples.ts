/** What the commands are tried on: a server that is loud, and a skill. */
import { ScriptedMcpServer } from "@effect-toolnexus/testing"

export const greeter = ScriptedMcpServer.command({
  tools: [
    { name: "greet", description: "Says hello", does: [{ text: "hello" }] },
    { name: "fail", does: [{ error: "it broke" }] },
    { name: "slow", does: [{ delay: 60_000 }, { text: "late" }] },
    { name: "echo" },
    { name: "nasty", description: "a\u001B[2Jb", does: [{ text: "red \u001B[31malert\u001B[0m\rgone" }] }
  ],
  stderr: ["noise on stderr"],
  stdout: ["noise on stdout"]
})

export const skill = "---\nname: lunch\ndescription: Orders\n  lunch\n---\nCall the kitchen.\n"
