import { FakeA2aAgent, ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { dirname, join } from "node:path"
import * as Process from "./command.ts"
import { configFile, folder } from "./command.ts"
import { toolnexus } from "./program.ts"

const greeter = ScriptedMcpServer.command({
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

const skill = "---\nname: lunch\ndescription: Orders\n  lunch\n---\nCall the kitchen.\n"

const parse = (text: string): unknown => JSON.parse(text)

describe("tools", () => {
  it.live("prints one document, and nothing else on stdout", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: { good: greeter, bad: { command: "/nonexistent/server" }, off: { command: "x", disabled: true } }
      })
      const { code, stdout } = yield* Process.toolnexus(["tools", "--config", config, "--json"])
      assert.strictEqual(code, 0)
      const document = parse(stdout)
      assert.isTrue(typeof document === "object" && document !== null)
      assert.deepStrictEqual(Object.keys(document ?? {}), ["tools", "statuses", "errors", "shadowed", "diagnostics"])
      assert.deepNestedInclude(document, {
        "tools[0]": {
          name: "good_greet",
          description: "Says hello",
          source: "mcp",
          origin: { kind: "mcp", entry: "good", name: "greet" },
          inputSchema: { type: "object" }
        },
        "statuses.good": "connected",
        "statuses.bad": "failed",
        "statuses.off": "disabled",
        "statuses.builtin": "connected"
      })
      assert.match(stdout, /mcp server \\"bad\\" failed at spawn/)
    }))

  it.live("exits 0 with a broken configuration, and says what is wrong with it", () =>
    Effect.gen(function*() {
      const root = yield* folder({ "broken.json": "{ \"mcpServers\": { " })
      const { code, stdout } = yield* toolnexus(["tools", "--config", join(root, "broken.json"), "--json"])
      assert.strictEqual(code, 0)
      assert.deepNestedInclude(parse(stdout), { "statuses.<config>": "failed", "statuses.builtin": "connected" })
      assert.match(stdout, /broken\.json:1:\d+/)
    }))

  it.live("exits 0 with one that isn't there, which every command says alike", () =>
    Effect.gen(function*() {
      const file = join(yield* folder({}), "mcp.json")
      const problem = `configuration failed at config: ${file} can't be read: there is no such file`
      const listed = yield* toolnexus(["tools", "--config", file, "--json"])
      assert.deepStrictEqual([listed.code, listed.stderr], [0, ""])
      assert.deepNestedInclude(parse(listed.stdout), { errors: { "<config>": problem } })
      const commands = [["call", "question", `{"questions": []}`], ["schema", "--provider", "openai"], ["servers"], [
        "prompt"
      ]]
      for (const command of commands) {
        const { code, stderr } = yield* toolnexus([...command, "--config", file])
        assert.deepStrictEqual([code, stderr], [command[0] === "call" ? 1 : 0, `warning: ${problem}\n`], command[0])
      }
      const { code, stdout } = yield* toolnexus(["skills", "--config", file])
      assert.deepStrictEqual([code, stdout], [
        0,
        `No skills; --skills and --config add some.\n\nDiagnostics:\n  error: <config>: ${file} can't be read: there is no such file\n`
      ])
    }))

  it.live("reads the files of a folder by name, and the later ones win", () =>
    Effect.gen(function*() {
      const root = yield* folder({
        "b.json": JSON.stringify({ mcpServers: { one: greeter }, builtins: false }),
        "a.jsonc": "// comment\n" + JSON.stringify({ mcpServers: { one: { command: "/nonexistent" } } }),
        "c.txt": "not a configuration"
      })
      const { stdout } = yield* toolnexus(["tools", "--config", root, "--json"])
      assert.deepNestedInclude(parse(stdout), { "statuses.one": "connected", "statuses.builtin": "disabled" })
    }))

  it.live("takes servers from the command line, under names that aren't taken", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { scriptedServer: greeter } })
      const script = [process.execPath, ...greeter.args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
      const more = ["--server", "/nonexistent/other", "--disable-tool", "scriptedServer_greet", "--no-builtins"]
      const { stdout } = yield* toolnexus([
        "tools",
        "--json",
        "--config",
        config,
        "--server",
        script.join(" "),
        ...more
      ])
      assert.deepNestedInclude(parse(stdout), {
        "statuses.scriptedServer": "connected",
        "statuses.scriptedServer-2": "connected",
        "statuses.other": "failed",
        "statuses.builtin": "disabled"
      })
      assert.notInclude(stdout, `"scriptedServer_greet"`)
      assert.include(stdout, `"scriptedServer-2_greet"`)
    }))

  it.live("without --json shows text that controls nothing", () =>
    Effect.gen(function*() {
      const config = yield* configFile({ mcpServers: { good: greeter, bad: { command: "/nonexistent/server" } } })
      const { code, stdout } = yield* toolnexus(["tools", "--config", config])
      assert.strictEqual(code, 0)
      assert.match(stdout, /^NAME +SOURCE +DESCRIPTION\ngood_greet +mcp +Says hello\n/)
      assert.match(stdout, /\nbad +mcp +failed +0\n/)
      assert.match(stdout, /\nErrors:\n {2}mcp server "bad" failed at spawn/)
      assert.notMatch(stdout, /[^\P{Cc}\n]/u)
    }))

  it.live("shows each place once, and of the configuration only what is wrong with it", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: { a: { ...greeter, timout: 1, tools: ["gret"] } },
        skils: ".",
        builtins: false
      })
      const root = yield* folder({ "lunch/SKILL.md": skill })
      const { stdout } = yield* toolnexus(["tools", "--config", config, "--skills", root])
      assert.match(stdout, /\n<skills> +skill +connected +1\nbuiltin +builtin +disabled +0\n\n/)
      const warnings = stdout.split("\n").filter((line) => line.startsWith("  warning:") && !line.includes("noise"))
      assert.deepStrictEqual(warnings, [
        `  warning: "mcpServers.a.timout" is unknown; did you mean "timeout"?`,
        `  warning: mcpServers.a.tools: it has no tool "gret"`,
        `  warning: <config>: "skils" is unknown; did you mean "skills"?`
      ])
    }))

  it.live("says how a configuration is given", () =>
    Effect.gen(function*() {
      for (const args of [["tools", "mcp.json"], ["mcp.json"], ["skills", "mcp.json"]]) {
        const { code, stderr } = yield* toolnexus(args)
        assert.strictEqual(code, 2)
        assert.include(stderr, "\n  Did you mean --config mcp.json?\n")
      }
    }))

  it.live("refuses addresses that are none", () =>
    Effect.gen(function*() {
      for (const flag of ["--url", "--agent"]) {
        const { code, stderr } = yield* toolnexus(["tools", flag, "nowhere"])
        assert.strictEqual(code, 2)
        assert.match(stderr, new RegExp(`^error: Invalid value for flag ${flag}: "nowhere". Expected: a URL`))
      }
    }))
})

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

describe("what is said on standard error", () => {
  it.live("is a line each, whatever a server calls its tools; what belongs to one is indented", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: {
          bad: ScriptedMcpServer.command({ exit: { code: 3, stderr: "first\nerror: second" } }),
          s: ScriptedMcpServer.command({ malformedTools: [{ name: "a\nerror: b", inputSchema: { type: "string" } }] })
        }
      })
      const { stderr } = yield* toolnexus(["call", "glob", `{"pattern": "*.none"}`, "--config", config])
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

describe("schema", () => {
  it.live("prints what goes into each provider's tools", () =>
    Effect.gen(function*() {
      const providers = ["openai", "openai-responses", "anthropic", "gemini", "bedrock"]
      const outputs = yield* Effect.forEach(
        providers,
        (provider) => toolnexus(["schema", "--provider", provider, "--json"])
      )
      const [chat, responses, anthropic, gemini, bedrock] = outputs.map(({ stdout }) => parse(stdout))
      assert.deepNestedInclude({ chat, responses, anthropic, gemini, bedrock }, {
        "chat[0].type": "function",
        "chat[0].function.name": "bash",
        "responses[0].name": "bash",
        "responses[0].strict": false,
        "anthropic[0].name": "bash",
        "anthropic[0].input_schema.type": "object",
        "gemini[0].functionDeclarations[0].name": "bash",
        "bedrock[0].toolSpec.name": "bash"
      })
    }))

  it.live("is strict where it is asked to be, and can be", () =>
    Effect.gen(function*() {
      const { stdout } = yield* toolnexus(["schema", "--provider", "openai", "--strict"])
      assert.deepNestedInclude({ tools: parse(stdout) }, {
        "tools[0].function.strict": true,
        "tools[0].function.parameters.additionalProperties": false
      })
    }))
})

describe("--header", () => {
  it.live("says so where nothing takes it", () =>
    Effect.gen(function*() {
      const header = ["tools", "--no-builtins", "--header", "X-Key: s3cret"]
      const without = yield* toolnexus(header)
      assert.deepStrictEqual(
        [without.code, without.stderr],
        [0, "warning: --header goes to --url and --openapi, and neither is given\n"]
      )
      const taken = yield* toolnexus([...header, "--url", "http://127.0.0.1:1/mcp"])
      assert.notInclude(taken.stderr, "--header")
    }))
})

describe("check", () => {
  it.live("doesn't praise what isn't there", () =>
    Effect.gen(function*() {
      const { code, stdout } = yield* toolnexus(["check", "--provider", "openai", "--no-builtins"])
      assert.deepStrictEqual([code, stdout], [0, "No tools.\n"])
    }))
})

describe("servers", () => {
  it.live("lists what each offers under its own names, unfiltered, and why one has nothing", () =>
    Effect.gen(function*() {
      const config = yield* configFile({
        mcpServers: {
          good: { ...ScriptedMcpServer.command({ tools: [{ name: "my.tool" }, { name: "other" }] }), tools: ["other"] },
          bad: { command: "no-such-command-here" },
          off: { command: "x", disabled: true }
        }
      })
      const json = yield* toolnexus(["servers", "--json", "--config", config])
      assert.strictEqual(json.code, 0)
      const document = parse(json.stdout)
      assert.deepNestedInclude(document, {
        "good.status": "connected",
        "good.tools[0].name": "my.tool",
        "good.tools[1].name": "other",
        "bad.status": "failed",
        "bad.tools": [],
        "off.status": "disabled"
      })
      assert.match(String(Object(Object(document)["bad"])["error"]), /^mcp server "bad" failed at spawn/)
      const text = yield* toolnexus(["servers", "--config", config])
      assert.match(text.stdout, /^SERVER +STATUS +TOOL +DESCRIPTION\nbad +failed\n?.*\ngood +connected +my\.tool/)
      assert.match(text.stdout, /\n\nErrors:\n  mcp server "bad" failed at spawn/)
      const none = yield* toolnexus(["servers"])
      assert.deepStrictEqual([none.code, none.stdout], [0, "No servers; --server, --url and --config add some.\n"])
    }))
})

describe("skills and prompt", () => {
  it.live("list what there is and what was skipped, and start no server", () =>
    Effect.gen(function*() {
      const root = yield* folder({
        "skills/lunch/SKILL.md": skill,
        "skills/other/SKILL.md": "no front matter",
        "mcp.json": JSON.stringify({
          skills: "./skills",
          mcpServers: { silent: ScriptedMcpServer.command({ methods: { initialize: "hang" } }) }
        })
      })
      const flags = ["--config", join(root, "mcp.json")]
      const json = yield* toolnexus(["skills", "--json", ...flags])
      assert.strictEqual(json.code, 0)
      const document = parse(json.stdout)
      assert.deepNestedInclude(document, {
        skills: [{ name: "lunch", description: "Orders lunch", location: join(root, "skills/lunch/SKILL.md") }],
        "skipped[0].location": join(root, "skills/other/SKILL.md"),
        "skipped[0].reason": "missing-name"
      })
      assert.deepStrictEqual(Object.keys(document ?? {}), ["skills", "skipped", "diagnostics"])

      const text = yield* toolnexus(["skills", ...flags])
      assert.match(text.stdout, /^NAME +LOCATION +DESCRIPTION\nlunch +\S+ +Orders lunch\n\nSkipped:\n/)

      const prompt = yield* toolnexus(["prompt", "--json", ...flags])
      assert.match(prompt.stdout, /^## Available Skills\n- \*\*lunch\*\*: Orders lunch\n\n.+\n$/)
    }))

  it.live("skills check tells authors what to change, and exits 1 where a skill can't be used", () =>
    Effect.gen(function*() {
      const root = yield* folder({
        "lunch/SKILL.md": skill,
        "Odd/SKILL.md": "---\nname: Odd\ndescription: d\n---\nDo it.\n",
        "bad/SKILL.md": "---\nname: a: b\n---\nDo it.\n"
      })
      const json = yield* toolnexus(["skills", "check", root, "--json"])
      assert.strictEqual(json.code, 1)
      assert.deepNestedInclude({ findings: JSON.parse(json.stdout) }, {
        "findings[0].location": join(root, "Odd/SKILL.md"),
        "findings[0].level": "warning",
        "findings[1].location": join(root, "bad/SKILL.md"),
        "findings[1].level": "error",
        "findings[1].code": "malformed-frontmatter"
      })
      assert.deepStrictEqual(Object.keys(JSON.parse(json.stdout)[0]), ["location", "level", "code", "message"])
      const text = yield* toolnexus(["skills", "check", root])
      assert.deepStrictEqual(
        text.stdout.split("\n").map((line) => line.replace(`${root}/`, "").slice(0, 24)),
        ["Odd/SKILL.md:2: warning:", "bad/SKILL.md:2: error: T", ""]
      )
      const good = yield* toolnexus(["skills", "check", join(root, "lunch")])
      assert.deepStrictEqual([good.code, good.stdout], [0, "Nothing to change.\n"])
      const warned = yield* toolnexus(["skills", "check", join(root, "Odd"), "--json"])
      assert.deepStrictEqual([warned.code, JSON.parse(warned.stdout).length], [0, 1])
      assert.strictEqual((yield* toolnexus(["skills", "check"])).code, 2)
    }))

  it.live("report a root that can't be read as skipped", () =>
    Effect.gen(function*() {
      const root = yield* folder({ file: "no folder" })
      const { code, stdout } = yield* toolnexus(["skills", "--json", "--skills", join(root, "file")])
      assert.strictEqual(code, 0)
      assert.deepNestedInclude(parse(stdout), {
        "skipped[0].location": join(root, "file"),
        "skipped[0].reason": "unreadable"
      })
      const none = yield* toolnexus(["prompt"])
      assert.deepStrictEqual([none.code, none.stdout], [0, ""])
    }))
})

describe("usage", () => {
  it.live("exits 2, and leaves stdout alone", () =>
    Effect.gen(function*() {
      const wrong = [
        [],
        ["--json"],
        ["frobnicate"],
        ["tools", "--nope"],
        ["call"],
        ["call", "read", "{}", "more"],
        ["call", "read", "--timeout", "soon"],
        ["call", "read", "--timeout", "0"],
        ["call", "read", "--answer", "yes"],
        ["call", "read", "--answer", "{\"data\": 1}"],
        ["schema"],
        ["schema", "--provider", "nobody"],
        ["schema", "--provider", "gemini", "--strict"],
        ["check"],
        ["tools", "--precedence", "mine"],
        ["tools", "--server", "node 'unclosed"],
        ["tools", "--config"]
      ]
      for (const args of wrong) {
        const { code, stderr, stdout } = yield* toolnexus(args)
        assert.deepStrictEqual([code, stdout], [2, ""], args.join(" "))
        assert.match(stderr, /usage/i, args.join(" "))
      }
    }))

  it.live("so it does as a process, with a command and without", () =>
    Effect.gen(function*() {
      for (const args of [[], ["tools", "--nope"]]) {
        const { code, stderr, stdout } = yield* Process.toolnexus(args)
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(stderr, /usage/i)
      }
    }))

  it.live("says what was expected, and what was perhaps meant", () =>
    Effect.gen(function*() {
      const hints = {
        "call read --timeout 5s": "a whole number of milliseconds, at least 1, e.g. 5000",
        "call read --timeout 0": "a whole number of milliseconds, at least 1, e.g. 5000",
        "call read --answer {}": "JSON like {\"ok\": true, \"data\": ...}",
        "check --provider gemini --strict":
          "error: --strict goes with --provider openai and openai-responses, not with gemini",
        "tools --confg x": "Did you mean this?\n    --config",
        "call read --log-levl none": "Did you mean this?\n    --log-level",
        "call read --timout 5": "Did you mean this?\n    --timeout"
      }
      for (const [line, hint] of Object.entries(hints)) {
        const { code, stderr } = yield* toolnexus(line.split(" "))
        assert.strictEqual(code, 2, line)
        assert.include(stderr, hint, line)
      }
    }))

  it.live("helps on stdout", () =>
    Effect.gen(function*() {
      const help = yield* toolnexus(["call", "--help"])
      assert.strictEqual(help.code, 0)
      for (const part of ["USAGE", "--config FILE", "--timeout MS", "--answer JSON", "EXAMPLES"]) {
        assert.include(help.stdout, part)
      }
      assert.notMatch(help.stdout, /[^\P{Cc}\n]/u)
      const version = yield* Process.toolnexus(["--version"])
      assert.match(version.stdout, /^toolnexus v\d+\.\d+\.\d+\n$/)
    }))
})
