/** A toolkit whose skills on disk are plain, if it has any, doesn't pay for a YAML parser. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"

const loaded = (program: string): string =>
  execFileSync("node", ["--input-type=module", "-e", program], { cwd: import.meta.dirname, encoding: "utf8" })

describe("yaml", () => {
  it("is loaded when there is a head that takes it, and not before", () => {
    const program = `
      import { SkillDiscovery, SkillSource } from "@effect-toolnexus/skills"
      import { NodeFileSystem, NodePath } from "@effect/platform-node-shared"
      import { Effect, Layer } from "effect"
      import { registerHooks } from "node:module"
      const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)
      registerHooks({ resolve: (name, context, next) => { if (name === "yaml") console.log(name); return next(name, context) } })
      const search = (root) => Effect.runPromise(Effect.provide(SkillDiscovery.discover([root]), platform))
      await search("./nowhere")
      console.log(typeof SkillSource)
      console.log((await search("../../../fixtures/skills/01-plain")).found.length)
      console.log((await search("../../../fixtures/skills/09-colon-unquoted")).found.length)
    `
    assert.deepStrictEqual(loaded(program).trim().split("\n"), ["function", "1", "yaml", "1"])
  })
})
