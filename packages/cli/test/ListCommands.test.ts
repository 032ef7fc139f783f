import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as Process from "./command.ts"
import { configFile, folder } from "./command.ts"
import { parse, toolnexus } from "./program.ts"
import { greeter, skill } from "./samples.ts"

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

  it.live("says of which file of a folder a diagnostic is", () =>
    Effect.gen(function*() {
      const root = yield* folder({
        "a.json": JSON.stringify({ mcpServers: { one: { command: "/nonexistent", timout: 1 } } }),
        "b.json": JSON.stringify({ mcpServers: {}, skils: ".", builtins: { rot: "." } })
      })
      const { stdout } = yield* toolnexus(["tools", "--config", root])
      const places = stdout.split("\n").flatMap((line) => /^ {2}warning: (.+) is unknown/.exec(line)?.[1] ?? [])
      assert.deepStrictEqual(places, [
        `"${join(root, "a.json")}: mcpServers.one.timout"`,
        `<config>: ${join(root, "b.json")}: "skils"`,
        `<config>: ${join(root, "b.json")}: "builtins.rot"`
      ])
    }))

  it.live("counts the tools that are listed, not one that another has taken the name of", () =>
    Effect.gen(function*() {
      const twice = ScriptedMcpServer.command({ tools: [{ name: "a" }, { name: "b" }, { name: "a" }] })
      const config = yield* configFile({ mcpServers: { s: twice } })
      const { stdout } = yield* toolnexus(["tools", "--config", config, "--disable-tool", "bash"])
      assert.match(stdout, /\ns +mcp +connected +2\nbuiltin +builtin +connected +9\n/)
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

  it.live("says how skills are given", () =>
    Effect.gen(function*() {
      for (const command of ["skills", "prompt"]) {
        const { code, stderr } = yield* toolnexus([command, "sk"])
        assert.strictEqual(code, 2)
        assert.include(stderr, "\n  Did you mean --skills sk?\n")
      }
      // which is a slip of another kind
      assert.notInclude((yield* toolnexus(["skills", "chekc"])).stderr, "--skills")
      assert.notInclude((yield* toolnexus(["tools", "sk"])).stderr, "Did you mean")
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
