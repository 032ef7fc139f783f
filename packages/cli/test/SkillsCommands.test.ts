import { ScriptedMcpServer } from "@effect-toolnexus/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { folder } from "./command.ts"
import { parse, toolnexus } from "./program.ts"
import { skill } from "./samples.ts"

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
