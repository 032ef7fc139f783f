import { Environment } from "@effect-toolnexus/core"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { ToolkitConfig } from "../src/index.ts"

const names = (map: ReadonlyMap<string, unknown>) => [...map.keys()]

layer(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer))("ToolkitConfig", (it) => {
  const temporary = Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    return { folder, write: (name: string, text: string) => fs.writeFileString(`${folder}/${name}`, text) }
  })

  it.effect("finds the servers in every wrapper in use", () =>
    Effect.gen(function*() {
      const server = { command: "node" }
      const cases = [
        [{ mcpServers: { a: server } }, "mcpServers.a"],
        [{ servers: { a: server }, inputs: [] }, "servers.a"],
        [{ mcp: { servers: { a: server } } }, "mcp.servers.a"],
        [{ mcp: { a: server } }, "mcp.a"],
        [{ a: server, skills: "x", $schema: "s" }, "a"]
      ] as const
      for (const [config, path] of cases) {
        const { diagnostics, servers } = yield* ToolkitConfig.load(config)
        assert.deepStrictEqual([names(servers), servers.get("a")?.path, diagnostics], [["a"], path, []])
      }
    }))

  it.effect("takes an empty wrapper as no servers, and a wrapper of other things as none", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(names((yield* ToolkitConfig.load({ mcpServers: {}, servers: { a: {} } })).servers), [])
      const gemini = yield* ToolkitConfig.load({ mcp: { allowed: ["x"] }, mcpServers: { a: {} } })
      assert.deepStrictEqual(names(gemini.servers), ["a"])
    }))

  it.effect("says what isn't a server, and which key was meant", () =>
    Effect.gen(function*() {
      const config = yield* ToolkitConfig.load({
        mcpServers: { a: {}, b: 1 },
        disabledTools: [],
        theme: "dark",
        a2a: {}
      })
      assert.deepStrictEqual(names(config.servers), ["a"])
      assert.sameDeepMembers(config.diagnostics.map(({ code, level, path }) => [level, code, path]), [
        ["warning", "invalid-value", "mcpServers.b"],
        ["warning", "unknown-key", "disabledTools"],
        ["info", "unknown-key", "theme"],
        ["info", "not-supported-yet", "a2a"]
      ])
      assert.include(config.diagnostics.find(({ path }) => path === "disabledTools")?.message, `"disableTools"`)
    }))

  it.effect("says of several files in which one something is wrong, and where that is", () =>
    Effect.gen(function*() {
      const { folder, write } = yield* temporary
      const [one, two] = [`${folder}/one.json`, `${folder}/two.json`]
      yield* write("one.json", `{"mcpServers": {"a": {"command": "x"}, "b": 1}, "builtins": {}}`)
      yield* write("two.json", `{"mcpServers": {}, "skils": "x"}`)
      const { builtins, diagnostics, servers } = yield* ToolkitConfig.load([one, two, {
        mcpServers: {},
        theme: "dark"
      }])
      assert.strictEqual(servers.get("a")?.path, `${one}: mcpServers.a`)
      assert.strictEqual(builtins?.path, `${one}: builtins`)
      assert.deepStrictEqual(diagnostics.map(({ message, path }) => [path, message]), [
        ["mcpServers.b", `${one}: mcpServers.b must be an object and was left out`],
        ["skils", `${two}: "skils" is unknown; did you mean "skills"?`],
        ["theme", `"theme" is unknown and was ignored`]
      ])
      const alone = yield* ToolkitConfig.load([one, { mcpServers: {} }])
      assert.strictEqual(alone.servers.get("a")?.path, "mcpServers.a")
    }))

  it.effect("reads JSON with comments, trailing commas and a byte order mark, from a file or as text", () =>
    Effect.gen(function*() {
      const { folder, write } = yield* temporary
      const text = `\uFEFF // servers\n/* all */ {"mcpServers": {"a": {}, /* the last */},}`
      yield* write("mcp.json", text)
      const fromFile = yield* ToolkitConfig.load(`${folder}/mcp.json`)
      assert.deepStrictEqual([names(fromFile.servers), fromFile.servers.get("a")?.folder], [["a"], folder])
      assert.deepStrictEqual(names((yield* ToolkitConfig.load(text)).servers), ["a"])
    }))

  it.effect("keeps a server called __proto__", () =>
    Effect.gen(function*() {
      const { servers } = yield* ToolkitConfig.load(`{"mcpServers": {"__proto__": {"command": "x"}}}`)
      assert.deepStrictEqual(names(servers), ["__proto__"])
    }))

  it.effect("joins several: later entries win by name, lists are joined, paths belong to their file", () =>
    Effect.gen(function*() {
      const { folder, write } = yield* temporary
      yield* write("a.json", `{"mcpServers": {"x": {"command": "1"}, "y": {}}, "skills": "s", "disableTools": ["one"]}`)
      const config = yield* ToolkitConfig.load([
        `${folder}/a.json`,
        { mcpServers: { x: { command: "2" } }, skills: ["/abs"], disableTools: "two", builtins: false }
      ])
      assert.deepStrictEqual(config.servers.get("x")?.config, { command: "2" })
      assert.deepStrictEqual(names(config.servers), ["x", "y"])
      assert.deepStrictEqual(config.skills, [`${folder}/s`, "/abs"])
      assert.deepStrictEqual(config.disableTools, ["one", "two"])
      assert.strictEqual(config.builtins?.config, false)
      // whole, and with the folder of the file it stands in
      yield* write("b.json", `{"builtins": {"root": "here"}}`)
      const later = yield* ToolkitConfig.load([{ builtins: { tools: { bash: false } } }, `${folder}/b.json`, "{}"])
      assert.deepInclude(later.builtins, { config: { root: "here" }, folder })
    }))

  it.effect("says file, line and column of a mistake, and keeps the other files", () =>
    Effect.gen(function*() {
      const { folder, write } = yield* temporary
      yield* write("bad.json", `{\n  "mcpServers": {\n    "a" {}\n  }\n}`)
      yield* write("good.json", `{"mcpServers": {"b": {}}}`)
      const config = yield* ToolkitConfig.load([
        `${folder}/bad.json`,
        `${folder}/good.json`,
        `${folder}/gone.json`,
        folder
      ])
      assert.deepStrictEqual(names(config.servers), ["b"])
      assert.include(config.error?.message, `${folder}/bad.json:3:9: colon expected`)
      assert.include(config.error?.message, "gone.json can't be read: there is no such file")
      assert.include(config.error?.message, "it is no file but a directory")
    }))

  it.effect("takes what it has loaded before, so that a host can look at it first", () =>
    Effect.gen(function*() {
      const loaded = yield* ToolkitConfig.load([{ mcpServers: { a: { command: "1" } }, skills: "s" }, "gone.json"])
      const again = yield* ToolkitConfig.load([loaded, { mcpServers: { b: {} } }])
      assert.deepStrictEqual([names(again.servers), again.skills, again.error], [
        ["a", "b"],
        loaded.skills,
        loaded.error
      ])
    }))

  it.effect("says when servers were put where they don't count", () =>
    Effect.gen(function*() {
      const server = { a: { command: "x" } }
      const said = Effect.fnUntraced(function*(config: ToolkitConfig.ConfigObject) {
        const { diagnostics } = yield* ToolkitConfig.load(config)
        return diagnostics.map(({ code, message, path }) => `${code} ${path} ${message.includes("mcpServers")}`)
      })
      assert.deepStrictEqual(yield* said({ mcpServers: {}, servers: server }), ["misplaced-key servers true"])
      assert.deepStrictEqual(yield* said({ mcpservers: server }), ["unknown-key mcpservers true"])
      assert.deepStrictEqual(yield* said({ mcpServer: server }), ["unknown-key mcpServer true"])
    }))

  it.effect("can be shown, with everything masked that may be a secret", () =>
    Effect.gen(function*() {
      const config = yield* ToolkitConfig.load({
        mcpServers: {
          a: { command: "node", args: ["${HOME}/x"], env: { TOKEN: "s3cret", OTHER: "${OTHER}", MIXED: "x-${OTHER}" } },
          b: {
            url: "https://me:pw@h.example/mcp?key=s3cret",
            headers: { Authorization: "Bearer ${TOKEN}", "X-Key": "s3cret" }
          },
          c: { transport: { env: { DEEP: ["s3cret"] } }, connect: () => "s3cret" }
        },
        builtins: { root: "." },
        agents: { helper: { card: "https://h.example/?token=s3cret" } },
        theme: 1
      })
      const shown = ToolkitConfig.describe(config)
      assert.notInclude(JSON.stringify(shown), "s3cret")
      assert.notInclude(JSON.stringify(shown), "pw")
      assert.deepStrictEqual(shown["servers"], {
        a: {
          command: "node",
          args: ["${HOME}/x"],
          env: { TOKEN: "<redacted>", OTHER: "${OTHER}", MIXED: "<redacted>" }
        },
        b: {
          url: "https://<redacted>@h.example/mcp?<redacted>",
          headers: { Authorization: "Bearer ${TOKEN}", "X-Key": "<redacted>" }
        },
        c: { transport: { env: { DEEP: ["<redacted>"] } }, connect: "<function>" }
      })
      assert.deepStrictEqual(Object.keys(shown), [
        "servers",
        "agents",
        "openapi",
        "skills",
        "builtins",
        "disableTools",
        "diagnostics"
      ])
    }))

  it.effect("shows what each server would be started with, and no value of a variable, however short", () =>
    Effect.gen(function*() {
      const { folder, write } = yield* temporary
      yield* write("key", "k3y\n")
      yield* write("dotenv", "FROM_FILE=s3cret")
      yield* write(
        "mcp.json",
        JSON.stringify({
          mcpServers: {
            files: {
              command: "${userHome}/bin/files",
              args: ["${workspaceFolder}", "--pin=${PIN}", "--level=${LEVEL:-low}", "{file:key}", "--token", "t0ken"],
              env: { A: "${PIN}" },
              envFile: "dotenv",
              cwd: "${workspaceFolder}"
            },
            remote: {
              url: "https://me:${PIN}@h.example/mcp?k=${PIN}",
              headers: { Authorization: "Bearer ${PIN}", "X-Level": "${LEVEL:-low}" }
            },
            lost: { command: "x", args: ["${NOWHERE}"] },
            off: { command: "${NOWHERE}", disabled: true },
            broken: { comand: "x" }
          }
        })
      )
      const resolved = yield* ToolkitConfig.resolve(
        yield* ToolkitConfig.load([`${folder}/mcp.json`, { inside: { connect: () => "s3cret" } }])
      ).pipe(
        Effect.provideService(Environment, { PIN: "12", HOME: "/home/me", PATH: "/bin", OTHER: "hidden" })
      )
      assert.deepStrictEqual(resolved["servers"], {
        files: {
          status: "enabled",
          config: {
            command: "/home/me/bin/files",
            args: [folder, "--pin=${PIN}", "--level=low", "{file:key}", "--token", "<redacted>"],
            cwd: folder
          },
          variables: ["A", "FROM_FILE", "HOME", "PATH"]
        },
        remote: {
          status: "enabled",
          config: {
            url: "https://<redacted>@h.example/mcp?<redacted>",
            headers: { Authorization: "Bearer ${PIN}", "X-Level": "<redacted>" }
          }
        },
        lost: {
          status: "failed",
          error: "mcp server \"lost\" failed at config: args[0]: NOWHERE is not set, and there is no default"
        },
        off: { status: "disabled" },
        broken: {
          status: "failed",
          error: "mcp server \"broken\" failed at config: mcpServers.broken needs a command or a url"
        },
        inside: { status: "enabled", config: { connect: "<function>" } }
      })
    }))

  it.effect("masks credentials wherever a person puts them", () =>
    Effect.gen(function*() {
      const shown = Effect.fnUntraced(function*(server: object) {
        return ToolkitConfig.describe(yield* ToolkitConfig.load({ mcpServers: { s: server } }))["servers"]
      })
      const cases: ReadonlyArray<readonly [object, object]> = [
        [{ args: ["--url=https://u:p4ss@h/"] }, { args: ["--url=https://<redacted>@h/"] }],
        [{ args: ["--api-key", "sk-123", "--verbose", "x"] }, { args: ["--api-key", "<redacted>", "--verbose", "x"] }],
        [{ args: ["--token=abc", "--token=${T}"] }, { args: ["--token=<redacted>", "--token=${T}"] }],
        [{ args: ["postgres://me:pw@h/db?x=1"] }, { args: ["postgres://<redacted>@h/db?<redacted>"] }],
        [{ args: ["@scope/package", "mcp-remote@latest", "npm:foo@1", "https://h/@scope/x"] }, {
          args: ["@scope/package", "mcp-remote@latest", "npm:foo@1", "https://h/@scope/x"]
        }],
        [{ args: ["--header", "Authorization: Bearer sk", "-e", "TOKEN=sk", "-e", "T=${T}"] }, {
          args: ["--header", "Authorization: <redacted>", "-e", "TOKEN=<redacted>", "-e", "T=${T}"]
        }],
        [{ command: "TOKEN=sk node x --password=y" }, { command: "TOKEN=<redacted> node x --password=<redacted>" }],
        [{ url: "${BASE}/mcp?api_key=sk" }, { url: "${BASE}/mcp?<redacted>" }],
        [{ url: "https://${HOST}/x" }, { url: "https://${HOST}/x" }],
        [{ url: "h.com/mcp?key=sk" }, { url: "h.com/mcp?<redacted>" }],
        [{ requestHeaders: { a: "sk" }, ENV: { a: "sk" } }, {
          requestHeaders: { a: "<redacted>" },
          ENV: { a: "<redacted>" }
        }],
        [{ args: ["a:".repeat(4000)] }, { args: ["<redacted>"] }],
        [{ url: "https://h/#tok=abc" }, { url: "https://h/#<redacted>" }],
        [{ url: "https://ghp_abc@h/x" }, { url: "https://<redacted>@h/x" }],
        [{ url: " u:pw@h" }, { url: " <redacted>@h" }],
        [{ key: "-----BEGIN KEY-----\nabc" }, { key: "<redacted>" }],
        [{ apiKey: "abc", oauth: { clientSecret: "x" } }, {
          apiKey: "<redacted>",
          oauth: { clientSecret: "<redacted>" }
        }]
      ]
      for (const [server, expected] of cases) assert.deepStrictEqual<unknown>(yield* shown(server), { s: expected })
    }))

  it.effect("a wrapper that holds no server is no server itself", () =>
    Effect.gen(function*() {
      const { diagnostics, servers } = yield* ToolkitConfig.load({ mcpServers: { a: 1 } })
      assert.deepStrictEqual([names(servers), diagnostics.map(({ path }) => path)], [[], ["mcpServers.a"]])
    }))

  it.effect("reserves keys of later versions, and reads what stands beside bare servers for what it is", () =>
    Effect.gen(function*() {
      const config = yield* ToolkitConfig.load({ a: { command: "x" }, b: 1, a2a: {}, mcpServer: {} })
      assert.deepStrictEqual(names(config.servers), ["a"])
      assert.sameMembers(config.diagnostics.map(({ level, path }) => `${level} ${path}`), [
        "warning b",
        "info a2a",
        "info mcpServer"
      ])
    }))

  it.effect("takes the working directory for the folder of text and objects", () =>
    Effect.gen(function*() {
      for (const config of [{ mcpServers: { a: {} }, skills: "s" }, `{"mcpServers": {"a": {}}, "skills": "s"}`]) {
        const { servers, skills } = yield* ToolkitConfig.load(config)
        assert.deepStrictEqual([servers.get("a")?.folder, skills], [process.cwd(), [`${process.cwd()}/s`]])
      }
    }))

  it.effect("never dies of what it is given", () =>
    Effect.gen(function*() {
      const throwing = {
        get mcpServers(): never {
          throw new Error("boo")
        }
      }
      const hostile: ReadonlyArray<unknown> = [
        null,
        42,
        [null],
        [42, []],
        true,
        throwing,
        new Proxy({}, {
          ownKeys: () => {
            throw new Error("boo")
          }
        })
      ]
      for (const config of hostile) {
        // @ts-expect-error: from code anything may come
        const { error } = yield* ToolkitConfig.load(config)
        assert.include(error?.message, "configuration failed at config")
      }
      const deep = `{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`
      assert.include((yield* ToolkitConfig.load(deep)).error?.message, "1:206: more than 200 levels")
      const comments = yield* ToolkitConfig.load(`${"/**/".repeat(50_000)}[]`)
      assert.include(comments.error?.message, "can't be read")
    }))

  it.effect("takes what is no object for a mistake", () =>
    Effect.gen(function*() {
      const { folder, write } = yield* temporary
      yield* write("list.json", "[]")
      assert.include((yield* ToolkitConfig.load(`${folder}/list.json`)).error?.message, "must hold an object")
      yield* write("empty.json", "")
      assert.include(
        (yield* ToolkitConfig.load(`${folder}/empty.json`)).error?.message,
        "empty.json:1:1: value expected"
      )
    }))
})
