import { SkillCatalog } from "@effect-toolnexus/skills"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const promptOf = (descriptions: Readonly<Record<string, string>>, promptBudget?: number) =>
  SkillCatalog.prompt(
    SkillCatalog.make({
      definitions: Object.entries(descriptions).map(([name, description]) => ({ name, description, content: "" })),
      ...(promptBudget === undefined ? {} : { promptBudget })
    })
  )

const linesOf = (prompt: string) => prompt.split("\n").filter((line) => line.startsWith("- "))

const two = { long: "words ".repeat(100), short: "Short." }

describe("the prompt within a budget", () => {
  it("is as it is where it fits, and one character less shortens the longest description", () => {
    const full = promptOf(two)
    assert.strictEqual(promptOf(two, full.length), full)
    assert.strictEqual(promptOf(two, Number.NaN), full)
    const cut = promptOf(two, full.length - 1)
    assert.isBelow(cut.length, full.length)
    assert.match(linesOf(cut)[0] ?? "", /words wor…$/)
    assert.strictEqual(linesOf(cut)[1], "- **short**: Short.")
  })

  it("keeps every skill as long as there is room for its name", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`s${index}`, `${index} `.repeat(200)]))
    const least = promptOf(Object.fromEntries(Object.keys(many).map((name) => [name, "…"])))
    assert.strictEqual(promptOf(many, least.length), least)
    const fewer = promptOf(many, least.length - 1)
    assert.strictEqual(linesOf(fewer).length, 47)
    assert.strictEqual(fewer.split("\n").at(-1), "(3 more skills are not shown)")
    assert.notInclude(fewer, "**s47**")
    assert.include(
      promptOf({ a: "A", ["b".repeat(40)]: "B" }, promptOf({ a: "A" }).length + 32),
      "(1 more skill is not shown)"
    )
  })

  it("says nothing where not even that has room", () => {
    for (const budget of [0, -1, 10, 150]) assert.strictEqual(promptOf(two, budget), "")
  })

  it("tells what it cost", () => {
    const told = (promptBudget: number, ...names: ReadonlyArray<string>) =>
      SkillCatalog.make({
        definitions: names.map((name) => ({ name, description: "A".repeat(500), content: "" })),
        promptBudget
      }).diagnostics.map(({ code, level, message }) => `${level} ${code}: ${message}`)
    assert.deepStrictEqual(
      [told(5000, "a"), told(300, "a"), told(100, "a"), told(300, "a", "b"), told(100, "a", "b")],
      [
        [],
        ["info prompt-budget: 1 description is shortened to keep the skills prompt within 300 characters"],
        ["warning prompt-budget: 1 skill is not in the skills prompt, which has 100 characters at most"],
        ["info prompt-budget: 2 descriptions are shortened to keep the skills prompt within 300 characters"],
        ["warning prompt-budget: 2 skills are not in the skills prompt, which has 100 characters at most"]
      ]
    )
  })

  it.effect.prop(
    "never has more, splits no character, and adds no line",
    {
      descriptions: Schema.Array(Schema.String),
      budget: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 }))
    },
    ({ budget, descriptions }) =>
      Effect.sync(() => {
        const named = Object.fromEntries(
          descriptions.map((text, index) => [`s${index}`, `${text}\u{1F371}${text}\n${text.repeat(9)}`])
        )
        const prompt = promptOf(named, budget)
        assert.isAtMost(prompt.length, budget)
        assert.isTrue(prompt.isWellFormed())
        const others = prompt.split(/[\n\r\u0085\u2028\u2029]/).filter((line) => !line.startsWith("- **s"))
        assert.isAtMost(others.length, 4)
      }),
    { arbitrary: { runs: 300 } }
  )
})
