import { Source, SourceEntry, ToolCall } from "@effect-toolnexus/core"
import { type Skill, type SkillProvider, SkillSource, type SkillSourceOptions } from "@effect-toolnexus/skills"
import { sourceContract } from "@effect-toolnexus/testing/SourceContract"
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { fileURLToPath } from "node:url"
import { defined, makeTree, platform, skillText } from "./support.ts"

const build = Effect.fnUntraced(function*(options: SkillSourceOptions) {
  const context = yield* Layer.build(SkillSource.layer(options))
  const source = Context.get(context, Source)
  const entries = yield* Source.settled(source)
  const named = (name: string) => entries.find((entry) => entry.name === name)
  return {
    kind: source.kind,
    entries,
    skills: Context.get(context, SkillSource),
    statuses: entries.map((entry) => `${entry.name} ${SourceEntry.status(entry)}`),
    errorOf: (name: string) => {
      const entry = named(name)
      return entry !== undefined && "error" in entry ? entry.error : undefined
    },
    catalog: named("<catalog>")
  }
})

const provided: ReadonlyArray<Skill.SkillDefinition> = [{ name: "p", description: "Provided", content: "Do." }]

const plain = fileURLToPath(new URL("../../../fixtures/skills/01-plain", import.meta.url))

const live = (options: SkillSourceOptions) => SkillSource.layer(options).pipe(Layer.provide(platform))

sourceContract("SkillSource", {
  kind: "skill",
  toolKind: "skill",
  good: live({ roots: [plain], provider: provided }),
  tools: ["skill"],
  call: { tool: "skill", args: { name: "lunch-box" }, output: "# Skill: lunch-box" },
  bad: { layer: live({ roots: [plain, `${plain}/gone`] }), entry: "<skills>", mentions: "01-plain/gone" },
  slow: live({ provider: Effect.never }),
  // a file is opened and closed within a call
  isPure: true
})

layer(platform)("SkillSource", (it) => {
  describe("entries", () => {
    it.effect("nothing configured gives none", () =>
      Effect.gen(function*() {
        for (const options of [{}, { roots: [], definitions: [] }]) {
          const { entries, kind } = yield* build(options)
          assert.deepStrictEqual([kind, entries], ["skill", []])
        }
      }))

    it.effect("one for folders and definitions, and the catalog unlisted", () =>
      Effect.gen(function*() {
        const root = yield* makeTree({ "a/SKILL.md": skillText("a") })
        const { catalog, skills, statuses } = yield* build({ roots: [root], definitions: provided })
        assert.deepStrictEqual(statuses, ["<skills> connected", "<catalog> connected"])
        assert.deepStrictEqual(catalog?.tools.map(({ name, source }) => [name, source]), [["skill", "skill"]])
        assert.deepStrictEqual(catalog?.skills, [
          { name: "a", description: "About a", location: `${root}/a/SKILL.md` },
          { name: "p", description: "Provided", location: "skill://p/" }
        ])
        assert.isTrue(catalog?.unlisted)
        assert.strictEqual(catalog?.prompt, yield* skills.prompt)
      }))

    it.effect("without a skill there is no tool", () =>
      Effect.gen(function*() {
        const root = yield* makeTree({ "a/README.md": "" })
        assert.deepStrictEqual((yield* build({ roots: [root] })).statuses, ["<skills> connected"])
        const disabled = yield* build({ provider: provided, disabled: ["p"] })
        assert.deepStrictEqual(disabled.statuses, ["<skill-provider> connected"])
      }))

    it.effect("an unreadable root fails the entry and costs only itself", () =>
      Effect.gen(function*() {
        const root = yield* makeTree({ "file": "", "good/a/SKILL.md": skillText("a") })
        const { entries, errorOf, skills, statuses } = yield* build({
          roots: [`${root}/file`, `${root}/good`, `${root}/gone`]
        })
        assert.deepStrictEqual(statuses, ["<skills> failed", "<catalog> connected"])
        assert.strictEqual(
          errorOf("<skills>")?.message,
          `skills failed at list: The skills folder "${root}/file" can't be read: it is not a folder; `
            + `The skills folder "${root}/gone" can't be read: it does not exist`
        )
        assert.deepStrictEqual((yield* skills.skipped).map(({ location }) => location), [
          `${root}/file`,
          `${root}/gone`
        ])
        // the error says it, and once is enough
        assert.deepStrictEqual(entries.flatMap(({ diagnostics }) => diagnostics), [])
      }))

    it.effect("the first carries the diagnostics, of what was skipped as well", () =>
      Effect.gen(function*() {
        const root = yield* makeTree({ "a/SKILL.md": "none", "b/SKILL.md": skillText("other") })
        const { entries } = yield* build({ roots: [root], provider: provided, filter: { gone: false } })
        assert.deepStrictEqual(entries.map(({ diagnostics }) => diagnostics.map(({ code }) => code)), [
          ["name-folder-mismatch", "unknown-skill", "missing-name"],
          [],
          []
        ])
      }))
  })

  describe("what breaks unexpectedly", () => {
    /** What is logged meanwhile, and the error's message. */
    const logs = Effect.fnUntraced(function*(options: SkillSourceOptions) {
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Error") logged.push(JSON.stringify(message))
      })
      const { errorOf, skills, statuses } = yield* Effect.provide(build(options), Logger.layer([logger]))
      const message = errorOf("<skills>")?.message ?? ""
      const id = /^skills failed at list: reading them broke unexpectedly \(([0-9a-f]{8})\)$/.exec(message)?.[1]
      assert.isDefined(id, message)
      assert.strictEqual(logged.length, 1)
      assert.include(logged[0], id)
      assert.include(logged[0], "s3cret")
      return { skills: (yield* skills.skills).map(({ name }) => name), statuses }
    })
    const breaks = (): never => {
      throw new Error("s3cret")
    }

    it.effect("is a failed entry with an id, under which the cause is logged once", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const disk = FileSystem.FileSystem.of({ ...fs, realPath: breaks, readDirectoryEntries: breaks, stat: breaks })
        const searched = logs({ roots: [plain, plain], definitions: [defined("d")], provider: provided })
        assert.deepStrictEqual(yield* Effect.provideService(searched, FileSystem.FileSystem, disk), {
          skills: ["d", "p"],
          statuses: ["<skills> failed", "<skill-provider> connected", "<catalog> connected"]
        })
      }))

    it.effect("is said also where there are no roots", () =>
      Effect.gen(function*() {
        const definitions = new Proxy([defined("d")], { get: breaks })
        assert.deepStrictEqual((yield* logs({ definitions })).statuses, ["<skills> failed"])
        const filter = new Proxy({}, { ownKeys: breaks })
        assert.deepStrictEqual((yield* logs({ provider: provided, filter })).statuses, ["<skills> failed"])
      }))
  })

  describe("the provider", () => {
    const failure = Effect.fnUntraced(function*(provider: SkillProvider.SkillProvider) {
      const { errorOf, skills, statuses } = yield* build({ definitions: [{ name: "d", content: "" }], provider })
      assert.deepStrictEqual(statuses, ["<skills> connected", "<skill-provider> failed", "<catalog> connected"])
      assert.deepStrictEqual((yield* skills.skills).map(({ name }) => name), ["d"])
      assert.strictEqual(errorOf("<skill-provider>")?.phase, "list")
      return errorOf("<skill-provider>")?.message
    })

    it.effect("an array, a Promise, an Effect, or a function that gives one", () =>
      Effect.gen(function*() {
        const providers: ReadonlyArray<SkillProvider.SkillProvider> = [
          provided,
          Promise.resolve(provided),
          Effect.succeed(provided),
          () => provided,
          async () => provided,
          () => Effect.succeed(provided)
        ]
        for (const provider of providers) {
          const { skills, statuses } = yield* build({ provider })
          assert.deepStrictEqual(statuses, ["<skill-provider> connected", "<catalog> connected"])
          assert.include(yield* skills.load("p"), "# Skill: p\n\nDo.\n")
        }
      }))

    it.effect("a failure, a throw, a rejection and a defect are its error", () =>
      Effect.gen(function*() {
        const reason = new Error("no database")
        const message = "skills failed at list: the skill provider failed: no database"
        const throwing = () => {
          throw reason
        }
        const failing: ReadonlyArray<SkillProvider.SkillProvider> = [
          throwing,
          () => Promise.reject(reason),
          Effect.fail(reason),
          Effect.fail("no database"),
          Effect.die(reason),
          () => Effect.die(reason)
        ]
        for (const provider of failing) assert.strictEqual(yield* failure(provider), message)
      }))

    it.effect("odd failures have words too", () =>
      Effect.gen(function*() {
        const odd = [undefined, null, "", new Error(""), Symbol("s"), { _tag: Symbol("t") }, Object.create(null)]
        for (const cause of odd) {
          assert.strictEqual(
            yield* failure(() => Promise.reject(cause)),
            "skills failed at list: the skill provider failed: it did not say why"
          )
        }
        assert.strictEqual(
          yield* failure(Effect.fail({ _tag: "NoDatabase" })),
          "skills failed at list: the skill provider failed: NoDatabase"
        )
        assert.match((yield* failure(Effect.interrupt)) ?? "", /the skill provider failed/)
      }))

    it.effect("a definition, or a failure, that breaks whoever reads it costs only itself", () =>
      Effect.gen(function*() {
        const hostile = Object.defineProperty(defined("a"), "name", {
          get: () => {
            throw new Error("boom")
          }
        })
        const { skills, statuses } = yield* build({ provider: () => [hostile, defined("b")] })
        assert.deepStrictEqual(statuses, ["<skill-provider> connected", "<catalog> connected"])
        assert.deepStrictEqual((yield* skills.skills).map(({ name }) => name), ["b"])
        const error = new Proxy(new Error("x"), {
          get: () => {
            throw new Error("boom")
          }
        })
        assert.match((yield* failure(() => Promise.reject(error))) ?? "", /it did not say why$/)
      }))

    it.effect("something else than a list is its error", () =>
      Effect.gen(function*() {
        assert.match((yield* failure(JSON.parse("{\"skills\": []}"))) ?? "", /no list of definitions$/)
      }))

    it.effect("is given 30 seconds", () =>
      Effect.gen(function*() {
        for (const provider of [Effect.never, () => new Promise<never>(() => {})]) {
          const fiber = yield* Effect.forkChild(failure(provider), { startImmediately: true })
          yield* TestClock.adjust("29999 millis")
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust("1 millis")
          assert.match((yield* Fiber.join(fiber)) ?? "", /it gave no answer within 30 seconds$/)
        }
      }))

    it.effect("an interrupted build stays interrupted", () =>
      Effect.gen(function*() {
        let isStopped = false
        const provider = Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            isStopped = true
          }))
        const fiber = yield* Effect.forkChild(Effect.scoped(build({ provider })), { startImmediately: true })
        yield* TestClock.adjust("1 millis")
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Exit.hasInterrupts(exit))
        assert.isTrue(isStopped)
      }))
  })

  describe("the tool", () => {
    const callOf = Effect.fnUntraced(function*(options: SkillSourceOptions) {
      const { catalog, skills } = yield* build(options)
      const [tool] = catalog?.tools ?? []
      if (tool === undefined) return yield* Effect.die("no tool")
      return {
        tool,
        skills,
        call: (args: Parameters<typeof tool.handler>[0]) => tool.handler(args, ToolCall.make("skill", "1"))
      }
    })

    it.effect("takes a name and perhaps a file, and reads the catalog", () =>
      Effect.gen(function*() {
        const image = new TextEncoder().encode("GIF89a...")
        const root = yield* makeTree({ "a/SKILL.md": skillText("a"), "a/x.md": "text", "a/x.gif": image })
        const { call, skills, tool } = yield* callOf({ roots: [root] })
        assert.deepStrictEqual(tool.inputSchema["required"], ["name"])
        assert.hasAllKeys(tool.inputSchema["properties"], ["name", "file"])
        assert.deepStrictEqual(yield* call({ name: "a" }), { output: yield* skills.load("a"), isError: false })
        assert.deepStrictEqual(yield* call({ name: "a", file: "x.md" }), { output: "text", isError: false })
        assert.deepStrictEqual(yield* call({ name: "a", file: " " }), yield* call({ name: "a" }))
        assert.deepStrictEqual(yield* call({ name: "a", file: "x.gif" }), {
          output: "[image image/gif, 9 bytes]",
          isError: false,
          content: [{ type: "image", mimeType: "image/gif", data: "R0lGODlhLi4u" }]
        })
      }))

    it.effect("what can't be loaded is an error the model can act on", () =>
      Effect.gen(function*() {
        const { call } = yield* callOf({
          definitions: ["b", "a"].map((name) => ({ name, content: "" })),
          disabled: ["b"]
        })
        for (const name of ["x", "b", "__proto__", "constructor"]) {
          assert.deepStrictEqual(yield* call({ name }), {
            output: `Skill "${name}" not found. Available: a`,
            isError: true
          })
        }
        assert.isTrue((yield* call({ name: "a", file: "../x" })).isError)
        assert.strictEqual((yield* Effect.flip(call({ skill: "a" })))._tag, "InvalidArguments")
      }))

    it.effect("a skill may be called __proto__", () =>
      Effect.gen(function*() {
        const { call } = yield* callOf({ definitions: [{ name: "__proto__", content: "Do." }] })
        assert.include((yield* call({ name: "__proto__" })).output, "# Skill: __proto__")
      }))
  })
})
