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
  skills: [],
  agent: [],
  disableTool: [],
  noBuiltins: false,
  root: Option.none(),
  precedence: Option.none()
}

const options = Effect.fnUntraced(function*(flags: Partial<SourceFlags.SourceFlags>) {
  const all = { ...noFlags, ...flags }
  const files = yield* SourceFlags.configFiles(all)
  return yield* SourceFlags.toOptions(all, files, yield* ToolkitConfig.load(files))
})

layer(Layer.merge(NodeFileSystem.layer, NodePath.layer))("SourceFlags", (it) => {
  it.effect("read no file and change nothing where none is given", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* options({}), { skills: [], agents: [], disableTools: [] })
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
        "off.json": JSON.stringify({ builtins: false })
      })
      const confined = { root: Option.some(root) }
      const some = yield* options({ ...confined, config: [join(root, "some.json")] })
      assert.deepStrictEqual(some.config, [join(root, "some.json"), { builtins: { tools: { bash: false }, root } }])
      const off = yield* options({ ...confined, config: [join(root, "off.json")] })
      assert.deepStrictEqual(off.config, [join(root, "off.json")])
      assert.deepStrictEqual((yield* options(confined)).config, [{ builtins: { root } }])
    }))

  it.effect("waits for what is switched on", () =>
    Effect.gen(function*() {
      const config = yield* ToolkitConfig.load({
        mcpServers: {
          on: { command: "a" },
          off: { command: "b", disabled: true },
          out: { command: "c", enabled: false }
        },
        agents: { far: { card: "https://example.com" } }
      })
      const flags = {
        ...noFlags,
        server: [["npx", "some-server"] as const],
        agent: ["https://user:secret@example.org/card?key=secret"]
      }
      assert.deepStrictEqual(SourceFlags.awaitedEntries(flags, config), [
        "on",
        "far",
        "some-server",
        "example.org"
      ])
    }))
})
