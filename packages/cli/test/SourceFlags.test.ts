import { OpenApiTools } from "@effect-toolnexus/extra"
import * as Precedence from "@effect-toolnexus/toolkit/Precedence"
import * as ToolkitConfig from "@effect-toolnexus/toolkit/ToolkitConfig"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { join, resolve } from "node:path"
import * as SourceFlags from "../src/SourceFlags.ts"
import { folder } from "./command.ts"

const noFlags: SourceFlags.SourceFlags = {
  config: [],
  server: [],
  url: [],
  header: [],
  skills: [],
  agent: [],
  openapi: [],
  disableTool: [],
  noBuiltins: false,
  root: Option.none(),
  precedence: Option.none()
}

const options = Effect.fnUntraced(function*(flags: Partial<SourceFlags.SourceFlags>) {
  const all = { ...noFlags, ...flags }
  const files = yield* SourceFlags.configFiles(all)
  const { config, ...rest } = yield* SourceFlags.toOptions(all, yield* ToolkitConfig.load(files))
  return { ...rest, ...(config === undefined ? {} : { config: yield* contentOf(config) }) }
})

const contentOf = Effect.fnUntraced(function*(config: ToolkitConfig.ConfigInput) {
  const { builtins, error, servers } = yield* ToolkitConfig.load(config)
  return { builtins: builtins?.config, servers, error }
})

layer(Layer.merge(NodeFileSystem.layer, NodePath.layer))("SourceFlags", (it) => {
  it.effect("read no file and change nothing where none is given", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* options({}), { skills: [], agents: [], disableTools: [], startup: "background" })
    }))

  it.effect("mean the options of the same name", () =>
    Effect.gen(function*() {
      const given = yield* options({
        skills: ["a", "b"],
        agent: ["https://example.com/card"],
        disableTool: ["bash"],
        noBuiltins: true,
        precedence: Option.some("layered")
      })
      assert.deepStrictEqual(given, {
        skills: ["a", "b"],
        agents: [{ card: "https://example.com/card" }],
        disableTools: ["bash"],
        builtins: false,
        startup: "background",
        precedence: Precedence.layered
      })
    }))

  it.effect("a folder stands for its JSON files by code points; what isn't there stays in the list", () =>
    Effect.gen(function*() {
      const root = yield* folder({
        "b.json": "{}",
        "a.jsonc": "{}",
        "\u{1F600}.json": "{}",
        "\uFF5E.json": "{}",
        "x.txt": ""
      })
      const files = yield* SourceFlags.configFiles({ ...noFlags, config: [root, "{missing}.json"] })
      assert.deepStrictEqual(files, [
        ...["a.jsonc", "b.json", "\uFF5E.json", "\u{1F600}.json"].map((name) => join(root, name)),
        resolve("{missing}.json")
      ])
    }))

  it.effect("--root confines the builtins of the file, and turns none on that are off", () =>
    Effect.gen(function*() {
      const root = yield* folder({
        "some.json": JSON.stringify({ builtins: { tools: { bash: false }, root: "elsewhere" } }),
        "off.json": JSON.stringify({ builtins: false }),
        "wrong.json": JSON.stringify({ builtins: "off" })
      })
      const confined = { root: Option.some(root) }
      const builtins = (flags: Partial<SourceFlags.SourceFlags>) =>
        Effect.map(options({ ...confined, ...flags }), ({ config }) => config?.builtins)
      assert.deepStrictEqual(yield* builtins({ config: [join(root, "some.json")] }), { tools: { bash: false }, root })
      assert.strictEqual(yield* builtins({ config: [join(root, "off.json")] }), false)
      assert.strictEqual(yield* builtins({ config: [join(root, "wrong.json")] }), "off")
      assert.deepStrictEqual(yield* builtins({}), { root })
    }))

  it.effect("a call's result is kept whole, and the builtins are else as the file has them", () =>
    Effect.gen(function*() {
      const root = yield* folder({
        "some.json": JSON.stringify({ builtins: { readOnly: true, root: "inner", limits: { output: 10, file: 20 } } }),
        "off.json": JSON.stringify({ builtins: false }),
        "wrong.json": JSON.stringify({ builtins: { limits: "few" } })
      })
      const called = Effect.fnUntraced(function*(flags: Partial<SourceFlags.SourceFlags>) {
        const all = { ...noFlags, ...flags }
        const files = yield* ToolkitConfig.load(yield* SourceFlags.configFiles(all))
        const { config = [], maxOutput } = yield* SourceFlags.toCallOptions(all, files)
        return [maxOutput, (yield* contentOf(config)).builtins]
      })
      const kept = (builtins: unknown) => [Number.MAX_SAFE_INTEGER, builtins]
      assert.deepStrictEqual(yield* called({}), kept({ limits: { output: 50_000_000 } }))
      assert.deepStrictEqual(
        yield* called({ config: [join(root, "some.json")] }),
        kept({ readOnly: true, root: join(root, "inner"), limits: { output: 50_000_000, file: 20 } })
      )
      assert.deepStrictEqual(yield* called({ config: [join(root, "off.json")] }), kept(false))
      assert.deepStrictEqual(yield* called({ config: [join(root, "wrong.json")] }), kept({ limits: "few" }))
    }))

  it.effect("documents of the command line are tools, and get the headers", () =>
    Effect.gen(function*() {
      const given = yield* options({ openapi: ["api.yaml", "https://h.example/x.json"], header: [["X-Key", "${KEY}"]] })
      const tools = given.tools?.filter(OpenApiTools.isOpenApiTools) ?? []
      assert.deepStrictEqual(tools.map(({ definition, entry }) => [entry, definition]), [
        ["api.yaml", { document: "api.yaml", headers: { "X-Key": "${KEY}" } }],
        ["https://h.example/x.json", { document: "https://h.example/x.json", headers: { "X-Key": "${KEY}" } }]
      ])
    }))

  it.effect("a server of the command line gets the whole environment, as a shell would give it", () =>
    Effect.gen(function*() {
      const { config } = yield* options({ server: [["npx", "some-server"]] })
      assert.deepStrictEqual(config?.servers.get("some-server")?.config, {
        command: "npx",
        args: ["some-server"],
        inheritEnv: true
      })
    }))

  it.effect("the servers behind URLs are named by their hosts, and get the headers", () =>
    Effect.gen(function*() {
      const { config } = yield* options({
        url: [{ url: "https://h.example/mcp", host: "h.example" }, { url: "https://h.example/2", host: "h.example" }],
        header: [["Authorization", "Bearer ${TOKEN}"]]
      })
      const headers = { Authorization: "Bearer ${TOKEN}" }
      assert.deepStrictEqual([...config?.servers ?? []].map(([name, entry]) => [name, entry.config]), [
        ["h.example", { url: "https://h.example/mcp", headers }],
        ["h.example-2", { url: "https://h.example/2", headers }]
      ])
    }))
})
