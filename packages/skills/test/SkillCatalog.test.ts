import { SkillCatalog, SkillDiscovery } from "@effect-toolnexus/skills"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defined, makeTree, platform, skillText } from "./support.ts"

const lettingThrough = (options: Pick<SkillCatalog.Options, "filter" | "disabled">) =>
  SkillCatalog.make({ definitions: ["a", "b", "__proto__"].map((name) => defined(name)), ...options })
    .skills.map(({ name }) => name).join(" ")

/** What loading `x` says where only these are. */
const unknownAmong = (names: ReadonlyArray<string>) =>
  Effect.map(
    Effect.flip(SkillCatalog.load(SkillCatalog.make({ definitions: names.map((name) => defined(name)) }), "x")),
    ({ message }) => message
  )

layer(platform)("SkillCatalog", (it) => {
  it.effect("directories come before definitions, definitions before what is provided", () =>
    Effect.gen(function*() {
      const root = yield* makeTree({ "1/SKILL.md": skillText("a"), "2/SKILL.md": skillText("a") })
      const catalog = SkillCatalog.make({
        discovery: yield* SkillDiscovery.discover([root]),
        definitions: [defined("b"), defined("a"), defined("b", { base: "x" })],
        provided: [defined("c"), defined("b")]
      })
      assert.deepStrictEqual(catalog.skills.map(({ location }) => location), [
        `${root}/1/SKILL.md`,
        "skill://b/",
        "skill://c/"
      ])
      assert.deepStrictEqual(catalog.skipped.map(({ location, reason }) => [location, reason]), [
        [`${root}/2/SKILL.md`, "duplicate-name"],
        ["skill://a/", "duplicate-name"],
        ["x", "duplicate-name"],
        ["skill://b/", "duplicate-name"]
      ])
      assert.strictEqual(catalog.skipped[0]?.message, `The name "a" is already taken by ${root}/1/SKILL.md`)
    }))

  it.effect("an unknown skill is told with those there are", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* unknownAmong([]), "Skill \"x\" not found. Available: none")
      assert.strictEqual(yield* unknownAmong(["b", "a", "B"]), "Skill \"x\" not found. Available: B, a, b")
      const many = Array.from({ length: 53 }, (_, index) => `s${String(index).padStart(2, "0")}`)
      assert.strictEqual(
        yield* unknownAmong(many.toReversed()),
        `Skill "x" not found. Available: ${many.slice(0, 50).join(", ")} (3 more)`
      )
    }))
  it.each<[Pick<SkillCatalog.Options, "filter" | "disabled">, string]>([
    [{}, "a b __proto__"],
    [{ filter: {} }, "a b __proto__"],
    [{ filter: { a: true } }, "a"],
    [{ filter: { a: true, b: false } }, "a"],
    [{ filter: { a: false } }, "b __proto__"],
    [{ filter: { a: false, b: false } }, "__proto__"],
    [{ filter: { nope: true } }, ""],
    [{ filter: { nope: false } }, "a b __proto__"],
    [{ filter: Object.fromEntries([["__proto__", false]]) }, "a b"],
    [{ filter: { constructor: false } }, "a b __proto__"],
    [{ disabled: ["a"] }, "b __proto__"],
    [{ disabled: ["a"], filter: { a: true } }, "a"],
    [{ disabled: ["a"], filter: { b: true } }, "b"],
    [{ disabled: ["a"], filter: { b: false } }, "__proto__"],
    [{ disabled: ["a", "b", "__proto__"] }, ""]
  ])("filter %j lets through: %s", (options, expected) => {
    assert.strictEqual(lettingThrough(options), expected)
  })

  it("unknown names in a filter are diagnostics", () => {
    const { diagnostics } = SkillCatalog.make({
      definitions: [defined("a")],
      filter: { a: true, nope: false },
      disabled: ["gone"]
    })
    assert.deepStrictEqual(diagnostics.map(({ code, message }) => [code, message]), [
      ["unknown-skill", "The skills filter names \"gone\", but there is no such skill"],
      ["unknown-skill", "The skills filter names \"nope\", but there is no such skill"]
    ])
  })

  it("what is filtered out can't be looked up", () => {
    const catalog = SkillCatalog.make({ definitions: [defined("a"), defined("b")], disabled: ["a"] })
    assert.isTrue(Option.isNone(SkillCatalog.get(catalog, "a")))
    assert.isTrue(Option.isNone(SkillCatalog.get(catalog, "toString")))
    assert.isTrue(Option.isSome(SkillCatalog.get(catalog, "b")))
    assert.notInclude(SkillCatalog.prompt(catalog), "**a**")
  })

  it("the prompt, byte for byte", () => {
    const catalog = SkillCatalog.make({
      definitions: [
        defined("b", { description: " Two\n\n- **evil**: x\u2028\ty\u0085 " }),
        { name: "plain", content: "" },
        { name: "blank", content: "", description: " \n" },
        defined("a"),
        defined("B")
      ]
    })
    assert.strictEqual(
      SkillCatalog.prompt(catalog),
      `## Available Skills
- **B**: About B
- **a**: About a
- **b**: Two - **evil**: x y

When a task is what one of these skills is for, load that skill with the \`skill\` tool before you act on the task.`
    )
    assert.strictEqual(SkillCatalog.prompt(SkillCatalog.make({ definitions: [{ name: "plain", content: "" }] })), "")
    assert.strictEqual(SkillCatalog.prompt(SkillCatalog.make({})), "")
  })

  it("a definition that is none costs only itself", () => {
    const values: ReadonlyArray<unknown> = [null, 1, {}, { name: " " }, { name: "x" }, { name: "y", content: 1 }]
    const { skills, skipped } = SkillCatalog.make(JSON.parse(JSON.stringify({ provided: [...values, defined("ok")] })))
    assert.deepStrictEqual(skills.map(({ name }) => name), ["ok"])
    assert.deepStrictEqual(skipped.map(({ location, reason }) => [location, reason]), [
      ["<skill-provider>[0]", "missing-name"],
      ["<skill-provider>[1]", "missing-name"],
      ["<skill-provider>[2]", "missing-name"],
      ["<skill-provider>[3]", "missing-name"],
      ["skill://x/", "malformed-frontmatter"],
      ["skill://y/", "malformed-frontmatter"]
    ])
  })

  it("a definition that breaks whoever reads it costs only itself", () => {
    const explode = () => {
      throw new Error("boom")
    }
    const fickle = { ...defined("fickle"), resources: ["a"] }
    let reads = 0
    Object.defineProperty(fickle, "content", { get: () => ++reads === 1 ? "text" : 1, enumerable: true })
    const list = [
      defined("first"),
      Object.defineProperty(defined("a"), "name", { get: explode }),
      Object.defineProperty(defined("b"), "content", { get: explode }),
      new Proxy(defined("c"), { get: explode, has: explode }),
      { ...defined("d"), resources: new Proxy({}, { ownKeys: explode }) },
      fickle,
      defined("proto", { resources: JSON.parse(`{"__proto__": "kept"}`) }),
      defined("last")
    ]
    Object.defineProperty(list, 4, { get: explode })
    const { byName, skills, skipped } = SkillCatalog.make({ definitions: list })
    assert.deepStrictEqual(skills.map(({ name }) => name), ["first", "fickle", "proto", "last"])
    assert.deepStrictEqual(skipped.map(({ location, reason }) => [location, reason]), [
      ["<skills>[1]", "unreadable"],
      ["<skills>[2]", "unreadable"],
      ["<skills>[3]", "unreadable"],
      ["<skills>[4]", "unreadable"]
    ])
    assert.deepNestedInclude(byName.get("fickle"), { content: "text" })
    assert.deepNestedInclude(byName.get("proto"), { resources: [{ name: "__proto__", content: "kept" }] })
    const whole = SkillCatalog.make({ provided: new Proxy(list, { get: explode }), definitions: [defined("ok")] })
    assert.deepStrictEqual(whole.skills.map(({ name }) => name), ["ok"])
    assert.deepStrictEqual(whole.skipped.map(({ location }) => location), ["<skill-provider>"])
  })
})
