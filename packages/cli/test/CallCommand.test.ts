import { defineTool, ToolResult } from "@effect-toolnexus/core"
import { FakeA2aAgent, ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dirname } from "node:path"
import * as Process from "./command.ts"
import { configFile, folder } from "./command.ts"
import { parse, run, toolnexus } from "./program.ts"
import { greeter, skill } from "./samples.ts"

describe("call", () => {
  it.live("prints the result", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { s: greeter } })
      const json = yield* toolnexus(["call", "s_greet", "--config", config, "--json"])
      assert.strictEqual(json.code, 0)
      assert.deepNestedInclude(parse(json.stdout), { output: "hello", isError: false, "metadata.server": "s" })
      const text = yield* toolnexus(["call", "s_nasty", "--config", config])
      assert.strictEqual(text.stdout, "red alertgone\n")
    }))

  it.live("reaches agents, skills and builtins as well", () =>
    Effect.gen(function*() {
      const agent = yield* FakeA2aAgent.make({ name: "helper" })
      const root = yield* folder({ "lunch/SKILL.md": skill, "note.txt": "noted" })
      const flags = ["--agent", agent.cardUrl, "--skills", root, "--root", root]
      const asked = yield* toolnexus(["call", "helper_answer", `{"task": "why"}`, ...flags])
      assert.deepStrictEqual([asked.code, asked.stdout], [0, "why\n"])
      const loaded = yield* toolnexus(["call", "skill", `{"name": "lunch"}`, ...flags])
      assert.include(loaded.stdout, "Call the kitchen.")
      const read = yield* toolnexus(["call", "read", `{"path": "note.txt"}`, ...flags])
      assert.deepStrictEqual([read.code, read.stdout], [0, "noted\n"])
      const outside = yield* toolnexus(["call", "read", `{"path": "/etc/hosts"}`, ...flags])
      assert.strictEqual(outside.code, 1)
    }))

  it.live("says how a call is answered that waits", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* toolnexus(["call", "question", `{"questions": [{"question": "Who?"}]}`])
      assert.deepStrictEqual([code, stdout], [1, "Who?\n"])
      assert.match(stderr, /^info: This waits for an answer: .*--answer '\{"ok": true/)
    }))

  it.live("takes arguments from the command line and from standard input", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { s: greeter } })
      const inline = yield* toolnexus(["call", "s_echo", `{"a": "ż"}`, "--config", config])
      assert.deepStrictEqual(parse(inline.stdout), { a: "ż" })
      const big = { text: "日".repeat(200_000) }
      const piped = yield* Process.toolnexus(["call", "s_echo", "-", "--config", config, "--json"], {
        stdin: `\uFEFF${JSON.stringify(big)}`
      })
      assert.strictEqual(piped.code, 0, piped.stderr)
      assert.include(piped.stdout, "日日日")
    }))

  it.live("exits 1 when the tool fails, is unknown, gets wrong arguments or takes too long", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { s: greeter, bad: { command: "/nonexistent/server" } } })
      const failed = yield* toolnexus(["call", "s_fail", "--config", config])
      assert.deepStrictEqual([failed.code, failed.stdout], [1, "it broke\n"])

      const unknown = yield* toolnexus(["call", "s_gret", "--config", config])
      assert.deepStrictEqual([unknown.code, unknown.stdout], [1, "Unknown tool: s_gret\n"])
      assert.include(unknown.stderr, "Did you mean s_greet")
      assert.include(unknown.stderr, `warning: mcp server "bad" failed at spawn`)
      const json = yield* Process.toolnexus(["call", "s_gret", "--config", config, "--json", "--log-level", "none"])
      assert.strictEqual(json.code, 1)
      assert.strictEqual(json.stderr, "")
      assert.deepNestedInclude(parse(json.stdout), { output: "Unknown tool: s_gret", "metadata.error": "ToolNotFound" })

      const invalid = yield* toolnexus(["call", "s_greet", "{oops", "--config", config, "--json"])
      assert.strictEqual(invalid.code, 1)
      assert.deepNestedInclude(parse(invalid.stdout), { "metadata.error": "InvalidArguments" })

      const late = yield* toolnexus(["call", "s_slow", "--timeout", "200", "--config", config, "--json"])
      assert.strictEqual(late.code, 1)
      assert.deepNestedInclude(parse(late.stdout), { isError: true, "metadata.error": "ToolTimeout" })
    }))
})

describe("a long result", () => {
  const parts: ReadonlyArray<ToolResult.ContentPart> = [{ type: "text", text: "y".repeat(90_000) }, {
    type: "image",
    data: "AAAA",
    mimeType: "image/png"
  }]
  const long = defineTool({
    name: "long",
    handler: () => ToolResult.success("y".repeat(90_000), { content: parts })
  })

  it.live("is printed whole, also of bash and where it fails, for which no file is made", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { s: greeter }, builtins: { limits: { output: 1000 } } })
      const stdin = JSON.stringify({ text: "x".repeat(200_000) })
      const echoed = yield* toolnexus(["call", "s_echo", "-", "--config", config, "--json"], { stdin })
      assert.deepNestedPropertyVal(parse(echoed.stdout), "output.length", stdin.length)
      assert.deepNestedPropertyVal(parse(echoed.stdout), "content[0].text.length", stdin.length)
      const numbers = Array.from({ length: 50_000 }, (_, index) => `${index + 1}\n`).join("")
      const ends = [["", 0, ""], ["; exit 3", 1, "[exit code 3]\n"]] as const
      for (const [end, code, note] of ends) {
        const command = JSON.stringify({ command: `seq 50000${end}` })
        const printed = yield* toolnexus(["call", "bash", command, "--config", config])
        assert.strictEqual(printed.code, code)
        assert.isTrue(printed.stdout === numbers + note, printed.stdout.slice(-100))
      }
    }))

  it.live("is cut by --max-output, in the parts as in the output", () =>
    Effect.gen(function*() {
      const all = yield* run(["call", "long", "--json"], [long])
      assert.deepNestedInclude(parse(all.output), { content: parts })
      const { output } = yield* run(["call", "long", "--json", "--max-output", "400"], [long])
      const half = "y".repeat(173)
      const cut = `${half}\n[... 89600 or more of 90000 characters left out ...]\n${half}`
      assert.deepNestedInclude(parse(output), { output: cut, content: [{ type: "text", text: cut }, parts[1]] })
      const short = yield* run(["call", "long", "--json", "--max-output", "90000"], [long])
      assert.strictEqual(short.output, all.output)
    }))
})

describe("a server that isn't there yet", () => {
  const hanging = ScriptedMcpServer.command({ methods: { initialize: "hang" } })

  it.live("keeps no call of another's tool waiting", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { s: greeter, hanging } })
      // an entry that hasn't started may have the tool of that name yet
      const calls = [["s_greet"], ["question", `{"questions": []}`, "--disable-tool", "hanging_x"]]
      for (const call of calls) {
        const { stderr } = yield* Effect.timeout(toolnexus(["call", ...call, "--config", config]), "10 seconds")
        assert.notInclude(stderr, "hanging")
      }
    }), 25_000)

  it.live("may still take the name of a tool that is there", () =>
    Effect.gen(function*() {
      const answering = (name: string, text: string) => ({ tools: [{ name, does: [{ text }] }] })
      const config = yield* configFile({
        mcpServers: {
          a: ScriptedMcpServer.command({ startupDelay: 1500, ...answering("b_c", "the slow one") }),
          a_b: ScriptedMcpServer.command(answering("c", "the quick one"))
        }
      })
      const { stdout } = yield* toolnexus(["call", "a_b_c", "--config", config])
      assert.strictEqual(stdout, "the slow one\n")
    }), 20_000)

  it.live("is waited for within --timeout, which is told with what was waited for", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { hanging } })
      const slow = toolnexus(["call", "hanging_x", "--timeout", "1000", "--config", config])
      const { code, stderr, stdout } = yield* Effect.timeout(slow, "10 seconds")
      assert.deepStrictEqual([code, stdout], [1, "hanging_x did not answer within its total limit of 1000 ms\n"])
      assert.strictEqual(stderr, "warning: hanging_x was waiting for hanging\n")
      const required = yield* configFile({ mcpServers: { hanging: { ...hanging, required: true } } })
      const build = toolnexus(["call", "read", "--timeout", "1000", "--config", required, "--json"])
      assert.deepNestedInclude(parse((yield* Effect.timeout(build, "10 seconds")).stdout), {
        "metadata.error": "ToolTimeout"
      })
    }), 25_000)

  it.live(
    "leaves the call what is left of --timeout, and is told on standard error meanwhile",
    () =>
      Effect.gen(function*() {
        const slow = ScriptedMcpServer.command({
          startupDelay: 5500,
          tools: [{ name: "hang", does: [{ delay: 60_000 }] }]
        })
        const config = yield* configFile({ mcpServers: { slow } })
        const call = toolnexus(["call", "slow_hang", "--timeout", "9000", "--config", config])
        const [took, { stderr, stdout }] = yield* Effect.timed(call)
        assert.strictEqual(stdout, "slow_hang did not answer within its total limit of 9000 ms\n")
        assert.strictEqual(stderr, "info: Connecting to slow\n")
        assert.isBelow(Duration.toMillis(took), 11_400)
      }),
    20_000
  )
})

describe("what is said on standard error", () => {
  it.live("is a line each, whatever a server calls its tools; what belongs to one is indented", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: {
          bad: ScriptedMcpServer.command({ exit: { code: 3, stderr: "first\nerror: second" } }),
          s: ScriptedMcpServer.command({ malformedTools: [{ name: "a\nerror: b", inputSchema: { type: "string" } }] })
        }
      })
      const { stderr } = yield* toolnexus(["call", "neither", "--config", config])
      assert.deepStrictEqual(stderr.split("\n"), [
        `warning: mcp server "bad" failed at initialize: it exited with code 3 before it was ready; its stderr ends with:`,
        "  first",
        "  error: second",
        `warning: s: the tool "a error: b" is left out: the type of its input schema is not "object"`,
        ""
      ])
    }))
})

describe("what can't be there", () => {
  it.live("an unknown tool of an entry that failed is told to be one", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: { bad: { command: "/nonexistent/server" }, s: greeter },
        agents: { "my.agent": { card: "ftp://nowhere" } }
      })
      const server = yield* toolnexus(["call", "bad_search", "--config", config])
      assert.deepStrictEqual([server.code, server.stdout], [1, "Unknown tool: bad_search\n"])
      assert.match(
        server.stderr,
        /mcp server "bad" failed at spawn[^]*warning: bad_search may be a tool of mcp server "bad"/
      )
      const agent = yield* toolnexus(["call", "my_agent_answer", "--config", config, "--json"])
      assert.deepNestedInclude(parse(agent.stdout), { output: "Unknown tool: my_agent_answer" })
      assert.include(agent.stderr, `my_agent_answer may be a tool of agent "my.agent", which failed (see above)`)
      const other = yield* toolnexus(["call", "s_search", "--config", config])
      assert.notInclude(other.stderr, "may be a tool")
    }))

  it.live("a required entry that fails is the whole answer, and exit code 1", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: { good: greeter, bad: { command: "/nonexistent/server", required: true } }
      })
      const json = yield* Process.toolnexus(["tools", "--config", config, "--json"])
      assert.strictEqual(json.code, 1)
      assert.deepNestedInclude(parse(json.stdout), {
        "error._tag": "RequiredEntriesFailed",
        "error.entries[0].entry": "bad",
        "error.entries[0].kind": "mcp",
        "error.entries[0].phase": "spawn"
      })
      assert.deepStrictEqual(Object.keys(parse(json.stdout) ?? {}), ["error"])
      assert.match(json.stderr, /^error: required, but failed: mcp server "bad" failed at spawn: .+\n$/)
      const text = yield* toolnexus(["call", "good_greet", "--config", config])
      assert.deepStrictEqual([text.code, text.stdout], [1, ""])
      assert.match(text.stderr, /^error: required, but failed: mcp server "bad" failed at spawn/)
    }))

  it.live("builtins that make no sense stay off, with --root too", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: {}, builtins: "off" })
      const { code, stdout } = yield* toolnexus(["tools", "--json", "--config", config, "--root", dirname(config)])
      assert.strictEqual(code, 0)
      assert.deepNestedInclude(parse(stdout), { tools: [], "statuses.builtin": "disabled" })
    }))
})
