/** The skills options of the one call, all the way to what an agent sees. */
import { Toolkit, type ToolkitService } from "@effect-toolnexus/core"
import { SkillRoot } from "@effect-toolnexus/skills"
import { ToolkitLive, type ToolkitOptions } from "@effect-toolnexus/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "skills-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const writeSkill = (root: string, name: string, description = `About ${name}`, body = "Do it.") => {
  mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, name, "SKILL.md"), `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`)
}

const use = <A, E>(
  options: ToolkitOptions.ToolkitOptions,
  body: (toolkit: ToolkitService) => Effect.Effect<A, E>
) => Effect.provide(Effect.flatMap(Toolkit, body), ToolkitLive({ builtins: false, ...options }))

/** Waits until a change of the toolkit shows these skills. */
const until = ({ changes }: ToolkitService, ...lines: ReadonlyArray<string>) =>
  changes.pipe(
    Stream.filter(({ snapshot }) =>
      snapshot.skills.map(({ description = "", name }) => `${name}: ${description}`).join() === lines.join()
    ),
    Stream.runHead,
    Effect.timeout("20 seconds")
  )

describe("skills of a toolkit", () => {
  it.live("with watch, what changes on disk reaches the toolkit without a rebuild", () =>
    Effect.gen(function*() {
      const root = yield* folder
      yield* use({ skills: join(root, "skills"), watch: true }, (toolkit) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* toolkit.toolNames, [])
          writeSkill(join(root, "skills"), "a")
          yield* until(toolkit, "a: About a")
          assert.deepStrictEqual(yield* toolkit.toolNames, ["skill"])
          assert.include((yield* toolkit.call("skill", { name: "a" })).output, "Do it.")
          writeSkill(join(root, "skills"), "a", "Another", "Do that.")
          yield* until(toolkit, "a: Another")
          assert.include(yield* toolkit.skillsPrompt, "- **a**: Another")
          assert.include((yield* toolkit.call("skill", { name: "a" })).output, "Do that.")
          rmSync(join(root, "skills"), { recursive: true })
          yield* until(toolkit)
          assert.deepStrictEqual(yield* toolkit.toolNames, [])
        }))
    }).pipe(Effect.scoped), 60_000)

  it.live("with watch, a mechanism of the host's own", () =>
    Effect.gen(function*() {
      const root = yield* folder
      writeSkill(root, "a")
      const looking = Layer.succeed(FileSystem.WatchBackend, {
        register: (path, _, options) =>
          Option.some(
            Stream.fromEffect(Effect.sync(() => options?.onReady?.())).pipe(
              Stream.drain,
              Stream.concat(Stream.tick("100 millis")),
              Stream.map(() => ({ _tag: "Update" as const, path: `${path}/SKILL.md` }))
            )
          )
      })
      const toolkit = ToolkitLive({ skills: root, watch: true, builtins: false }).pipe(Layer.provide(looking))
      yield* Effect.gen(function*() {
        writeSkill(root, "b")
        yield* until(yield* Toolkit, "a: About a", "b: About b")
      }).pipe(Effect.provide(toolkit))
    }).pipe(Effect.scoped), 60_000)

  it.live("the prompt keeps its budget, and what isn't in it can be loaded", () =>
    Effect.gen(function*() {
      const skillDefs = Array.from({ length: 40 }, (_, index) => ({
        name: `s${String(index).padStart(2, "0")}`,
        description: `About ${index}: ${"words ".repeat(50)}`,
        content: "Do it."
      }))
      for (const promptBudget of [4000, 600]) {
        yield* use({ skillDefs, promptBudget }, (toolkit) =>
          Effect.gen(function*() {
            assert.isAtMost((yield* toolkit.skillsPrompt).length, promptBudget)
            assert.include((yield* toolkit.call("skill", { name: "s39" })).output, "Do it.")
            assert.include((yield* toolkit.diagnostics).map(({ code }) => code), "prompt-budget")
          }))
      }
    }))

  it.live("whatever stands among the skills costs only itself", () =>
    Effect.gen(function*() {
      const explode = (): never => {
        throw new Error("boom")
      }
      const good = { name: "good", description: "Good", content: "Do it." }
      const skills = [
        new Proxy(good, { get: explode, has: explode }),
        Object.defineProperty({ path: "x" }, "path", { get: explode, enumerable: true }),
        JSON.parse(`{"path": 1}`),
        good
      ]
      yield* use({ skills }, (toolkit) =>
        Effect.gen(function*() {
          assert.deepStrictEqual((yield* toolkit.skills).map(({ name }) => name), ["good"])
          assert.lengthOf(yield* toolkit.diagnostics, 3)
        }))
    }))

  it.live("hosts' folders: the project's first, and no failure where there are none", () =>
    Effect.gen(function*() {
      const [project, home] = [yield* folder, yield* folder]
      const skills = SkillRoot.ofHosts({ project, home })
      yield* use({ skills }, (toolkit) =>
        Effect.gen(function*() {
          assert.deepStrictEqual([yield* toolkit.statuses, yield* toolkit.errors], [{
            builtin: "disabled",
            "<skills>": "connected"
          }, {}])
        }))
      writeSkill(join(home, ".agents/skills"), "x", "home agents")
      writeSkill(join(home, ".claude/skills"), "y", "home claude")
      writeSkill(join(project, ".opencode/skills"), "x", "project opencode")
      writeSkill(join(project, ".claude/skills"), "y", "project claude")
      yield* use({ skills }, (toolkit) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(
            (yield* toolkit.skills).map(({ description }) => description),
            ["project claude", "project opencode"]
          )
          const told = (yield* toolkit.diagnostics).map(({ code, path }) => `${code} ${path}`)
          assert.sameMembers(told, [
            `duplicate-name ${home}/.agents/skills/x/SKILL.md`,
            `duplicate-name ${home}/.claude/skills/y/SKILL.md`
          ])
        }))
    }).pipe(Effect.scoped))
})
