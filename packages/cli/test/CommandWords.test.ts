import * as Expansion from "@effect-toolnexus/core/Expansion"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { distinctName, literal, serverName, split, type Words } from "../src/internal/commandWords.ts"

const words = (line: string): Words => Result.getOrThrow(split(line))

describe("split", () => {
  it("splits words and quotes as a shell does", () => {
    const lines = [
      "node server.mjs",
      "  node\t server.mjs  ",
      `node 'a b' "c d" e\\ f`,
      `node 'it'\\''s' a"b"'c'd`,
      String.raw`node "a\"b\\c\d" 'x\y'`,
      `node '' "" end`,
      `node 'back\\slash'`,
      `node "line\\\nbreak"`
    ]
    for (const line of lines) {
      // the shell's own idea of the line, one word between brackets each
      const shell = execFileSync("sh", ["-c", `printf '[%s]' ${line}`], { encoding: "utf8" })
      assert.strictEqual(words(line).map((word) => `[${word}]`).join(""), shell, line)
    }
  })

  it("expands nothing", () => {
    assert.deepStrictEqual(words("node $HOME ~ *.js a;b 'c' | d"), ["node", "$HOME", "~", "*.js", "a;b", "c", "|", "d"])
  })

  it("refuses what isn't closed, and what isn't there", () => {
    for (const line of ["", "  ", "''", "node 'a", `node "a`, "node \\", `node "a\\"`]) {
      assert.isTrue(Result.isFailure(split(line)), line)
    }
  })

  it.prop("gives back words that were quoted", [Schema.Array(Schema.String)], ([args]) => {
    const quoted = ["node", ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ")
    assert.deepStrictEqual([...words(quoted)], ["node", ...args])
  })
})

describe("serverName", () => {
  it("is what a person would call the server", () => {
    const names = {
      "server-everything": "npx -y @modelcontextprotocol/server-everything stdio",
      "server-files": "npx @scope/server-files@1.2.3 /tmp",
      "some-server": "pnpm dlx some-server",
      "mcp-server-git": "uvx mcp-server-git==2.0",
      "mcp_server_time": "python -m mcp_server_time",
      server: "node ./dist/server.mjs",
      "my-server": "/opt/my-server/bin/my-server --port 1",
      tool: "C:\\\\programs\\\\tool.exe",
      wrapped: "env KEY=value wrapped",
      node: "node -e 'setInterval(() => {}, 1000)'",
      npx: "npx"
    }
    for (const [name, line] of Object.entries(names)) assert.strictEqual(serverName(words(line)), name, line)
  })

  it("is made distinct", () => {
    assert.strictEqual(distinctName("a", new Set()), "a")
    assert.strictEqual(distinctName("a", new Set(["a", "a-2"])), "a-3")
  })
})

describe("literal", () => {
  it.effect.prop(
    "comes out of a configuration's expansion as it went in",
    [Schema.String, Schema.Literals(["${HOME}", "$${", "{env:HOME}", "{file:x}", "${NONE:-x}", "$", "{", "}"])],
    ([text, special]) =>
      Effect.gen(function*() {
        const all = `${text}${special}${text}`
        assert.deepStrictEqual(yield* Expansion.expand(literal(all), { folder: "/" }), {
          text: all,
          shown: all,
          secrets: []
        })
      }).pipe(Effect.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)))
  )

  it("takes the meaning from what a configuration would expand", () => {
    assert.strictEqual(literal("${A} $B"), "$${A} $B")
    assert.strictEqual(literal("{env:A} {other:A}"), "{${TOOLNEXUS_LITERAL:-}env:A} {other:A}")
  })
})
