import { SkillCheck } from "@effect-toolnexus/skills"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeTree, platform, skillText } from "./support.ts"

/** What there is to change in a tree: `level code`, and where and what. */
const checkIn = Effect.fnUntraced(function*(tree: Parameters<typeof makeTree>[0]) {
  const root = yield* makeTree(tree)
  return (yield* SkillCheck.check(root)).map(({ code, level, location, message }) => ({
    code: `${level} ${code}`,
    location: location.replace(`${root}/`, ""),
    message: message.replaceAll(root, "")
  }))
})

const checkBody = (body: string, files: Parameters<typeof makeTree>[0] = {}) =>
  Effect.map(
    checkIn({ "s/SKILL.md": `---\nname: s\ndescription: d\n---\n${body}`, ...files }),
    (findings) => findings.map(({ code, message }) => `${code} ${message}`)
  )

layer(platform)("SkillCheck", (it) => {
  it.effect("has nothing to say of a good skill", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* checkIn({ "a/SKILL.md": skillText("a"), "b/SKILL.md": skillText("b") }), [])
    }))

  it.effect("what keeps a skill from being used is an error, sorted by location", () =>
    Effect.gen(function*() {
      const findings = yield* checkIn({
        "z/SKILL.md": skillText("z"),
        "y/z/SKILL.md": skillText("z"),
        "x/SKILL.md": "---\nname: x\n---\nDo it.",
        "w/SKILL.md": "---\nname: w\ndescription: d\nlicense: [a\n",
        "v/SKILL.md": "no head",
        "u/SKILL.md": `---\nname: u\ndescription: d\n---\n${"x".repeat(4 * 1024 * 1024)}`
      })
      assert.deepStrictEqual(findings.map(({ code, location }) => `${location} ${code}`), [
        "u/SKILL.md error unreadable",
        "v/SKILL.md error missing-name",
        "w/SKILL.md error malformed-frontmatter",
        "x/SKILL.md error missing-description",
        "z/SKILL.md error duplicate-name"
      ])
      assert.isTrue(findings.every(({ message }) => message.length > 20))
    }))

  it.effect("takes the SKILL.md itself, and then says nothing of the skills below it", () =>
    Effect.gen(function*() {
      const root = yield* makeTree({
        "S/SKILL.md": skillText("S"),
        "S/t/SKILL.md": "no head",
        "u/SKILL.md/x": "a folder of that name"
      })
      const codesOf = (place: string) =>
        Effect.map(SkillCheck.check(`${root}/${place}`), (findings) => findings.map(({ code }) => code))
      assert.deepStrictEqual(yield* codesOf("S/SKILL.md"), ["illegal-name"])
      assert.deepStrictEqual(yield* codesOf("S"), ["illegal-name", "missing-name"])
      assert.deepStrictEqual(yield* codesOf("u/SKILL.md"), ["no-skills"])
      assert.deepStrictEqual(yield* codesOf("v/SKILL.md"), ["unreadable"])
    }))

  it.effect("rules of the format are warnings, with the line", () =>
    Effect.gen(function*() {
      const [finding, ...others] = yield* checkIn({ "S/SKILL.md": "---\ndescription: d\nname: S\n---\nDo." })
      assert.deepStrictEqual(others, [])
      assert.strictEqual(finding?.code, "warning illegal-name")
      assert.match(finding?.message ?? "", /^line 3: .*such as "s"$/)
    }))

  it.effect("says what to do about mistakes that are made a lot", () =>
    Effect.gen(function*() {
      const heads = {
        "Name: s\ndescription: d": /^line 2: .* but "Name"; spell it in small letters$/,
        "name: s\ndescription: d\nmetadata:\n\ta: b": /^line 5: .*; indent with blanks$/,
        "name: s\nlicense: [a\ndescription: d\nallowed-tools: [x": /^line \d: .*in quotes$/
      }
      for (const [head, expected] of Object.entries(heads)) {
        const [finding] = yield* checkIn({ "s/SKILL.md": `---\n${head}\n---\nDo.` })
        assert.match(finding?.message ?? "", expected)
      }
      const many = Array.from({ length: 300 }, (_, index) => `k${index}: v`).join("\n")
      assert.lengthOf(yield* checkIn({ "s/SKILL.md": `---\nname: s\ndescription: d\n${many}\n---\nDo.` }), 20)
    }))

  it.effect("a folder without skills, one that isn't there, and a file", () =>
    Effect.gen(function*() {
      const root = yield* makeTree({ "a/skill.md": "", "b/x": "" })
      const codes = (path: string) =>
        Effect.map(SkillCheck.check(path), (findings) => findings.map(({ code, level }) => `${level} ${code}`))
      assert.deepStrictEqual(yield* codes(root), ["warning misnamed-file"])
      assert.deepStrictEqual(yield* codes(`${root}/b`), ["warning no-skills"])
      for (const path of [`${root}/gone`, `${root}/b/x`]) {
        assert.deepStrictEqual(yield* codes(path), ["error unreadable"])
      }
    }))

  it.effect("a body that is empty, or very long", () =>
    Effect.gen(function*() {
      assert.match((yield* checkBody("\n\n"))[0] ?? "", /^warning empty-body/)
      assert.match((yield* checkBody("x\n".repeat(600)))[0] ?? "", /^info long-body/)
    }))

  it.effect("links to files that aren't there", () =>
    Effect.gen(function*() {
      const body = [
        "See [a](ref/a.md), [b](<ref/b c.md>), [c](ref/c%20d.md#x \"title\") and ![d](gone.png).",
        "[url](https://a.b/c.md) [mail](mailto:a@b) [anchor](#x) [up](../other/x.md) [abs](/etc/x) `[code](no.md)`",
        "```",
        "[code](no.md)",
        "```",
        "[{{x}}]({{x}}) [$x]($x/y) [e](folder/) [f](.hidden) [g](lost.md)"
      ].join("\r\n")
      const files = { "s/ref/a.md": "", "s/ref/c d.md": "", "s/folder/x": "", "s/.hidden": "" }
      assert.deepStrictEqual(
        (yield* checkBody(body, files)).map((finding) =>
          finding.replace("The skill's folder has no ", "").split(";")[0]
        ),
        [`warning missing-file line 5: "gone.png"`, `warning missing-file line 10: "lost.md"`]
      )
    }))

  it.effect("a hostile body costs no time", () =>
    Effect.gen(function*() {
      for (const piece of ["](", "](x ", "[a](<", "](a\"", "`", "](x)\n", "](x \"x\" "]) {
        assert.isAtMost((yield* checkBody(piece.repeat(200_000 / piece.length))).length, 202)
      }
    }), 30_000)
})
