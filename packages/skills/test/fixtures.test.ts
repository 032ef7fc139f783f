/** Every folder of fixtures/skills comes out as its case says; where CONTRACT 6 says otherwise, as that does. */
import { type Skill, SkillCatalog, SkillDiscovery } from "@effect-toolnexus/skills"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { platform } from "./support.ts"

const Expected = Schema.Struct({
  name: Schema.String,
  description: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  body: Schema.optionalKey(Schema.String),
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  allowedTools: Schema.optionalKey(Schema.String),
  allowedToolsMeaning: Schema.optionalKey(Schema.Array(Schema.String))
})

const Case = Schema.Struct({
  dir: Schema.String,
  load: Schema.Struct({
    action: Schema.Literals(["load", "warn-load", "load-one-warn", "skip", "implementation-defined"]),
    skills: Schema.optionalKey(Schema.Array(Expected)),
    diagnostics: Schema.optionalKey(Schema.Array(Schema.String)),
    note: Schema.optionalKey(Schema.String)
  })
})

type Case = Schema.Schema.Type<typeof Case>

const folder = fileURLToPath(new URL("../../../fixtures/skills", import.meta.url))
const cases = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Case)))(
  readFileSync(`${folder}/cases.json`, "utf8")
)

/** What the format leaves open, decided: names loaded, reasons of what is skipped, and codes that must be among the diagnostics. */
const decided: Readonly<Record<string, readonly [names: string, reasons: string, codes: string]>> = {
  "06-cr-only": ["lunch-box", "", ""],
  "08-tab-indent": ["", "malformed-frontmatter", ""],
  "21-missing-name": ["", "missing-name", ""],
  "22-empty-name": ["", "missing-name", ""],
  "57-duplicate-key": ["lunch-box", "", "lenient-front-matter"],
  "61-yaml-bomb": ["lunch-box", "", "unknown-field"],
  "62-yaml-tag": ["lunch-box", "", "yaml-warning"],
  "69-leading-blank": ["", "missing-name", ""],
  "81-utf16": ["", "unreadable", ""],
  "83-lowercase-file": ["", "", ""],
  "89-nested-skill": ["lunch-box,inner", "", ""],
  "91-deep": ["lunch-box", "", ""],
  "96-root-skill": ["root-skill", "", "name-folder-mismatch"]
}

/** CONTRACT 6 has a typed reason for each way to be skipped. */
const reasons: Readonly<Record<string, string>> = {
  "58-case-keys": "missing-name",
  "63-no-frontmatter": "missing-name",
  "64-unclosed": "malformed-frontmatter",
  "66-empty-frontmatter": "missing-name",
  "67-scalar-frontmatter": "malformed-frontmatter",
  "68-list-frontmatter": "malformed-frontmatter",
  "71-fence-four-dashes": "missing-name",
  "72-fence-dots": "malformed-frontmatter",
  "94-symlink-broken": "unreadable"
}

const catalogOf = Effect.fnUntraced(function*({ dir, load }: Case) {
  const root = load.note === "scan root = skills/" ? `${folder}/${dir}/skills` : `${folder}/${dir}`
  return SkillCatalog.make({ discovery: yield* SkillDiscovery.discover([root]) })
})

layer(platform)("fixtures/skills", (it) => {
  it.effect.each(cases)("$dir", (fixture) =>
    Effect.gen(function*() {
      const catalog = yield* catalogOf(fixture)
      const names = catalog.skills.map(({ name }) => name)
      const skipped = catalog.skipped.map(({ reason }) => reason)
      const codes = catalog.diagnostics.map(({ code }) => code)
      const { action, diagnostics = [], skills = [] } = fixture.load
      if (action === "implementation-defined") {
        const [expected, why, code] = decided[fixture.dir] ?? ["undecided", "", ""]
        assert.deepStrictEqual([names.join(","), skipped.join(",")], [expected, why])
        assert.isTrue(code === "" || codes.includes(code), codes.join(","))
        return
      }
      if (action === "load") assert.deepStrictEqual([codes, skipped], [[...diagnostics], []])
      else if (action === "warn-load") assert.isTrue(codes.length > 0 && skipped.length === 0)
      else assert.deepStrictEqual(skipped.join(","), action === "skip" ? reasons[fixture.dir] : "duplicate-name")
      assert.sameMembers(names, skills.map(({ name }) => name))
      for (const expected of skills) yield* assertSkill(catalog, expected)
    }))
})

const assertSkill = Effect.fnUntraced(function*(catalog: SkillCatalog.SkillCatalog, expected: typeof Expected.Type) {
  const skill = Option.getOrThrow(SkillCatalog.get(catalog, expected.name))
  const [description] = [expected.description].flat()
  assert.strictEqual(skill.description, description)
  if (skill._tag === "DiskSkill") assertFields(skill, expected)
  if (expected.body !== undefined) {
    const block = yield* SkillCatalog.render(catalog, skill)
    assert.include(block, `# Skill: ${skill.name}\n\n${expected.body}\n\nBase directory`)
  }
})

const assertFields = (
  skill: Skill.DiskSkill,
  { allowedTools, allowedToolsMeaning, metadata }: typeof Expected.Type
) => {
  if (metadata !== undefined) assert.deepStrictEqual({ ...skill.metadata }, { ...metadata })
  if (allowedTools !== undefined) assert.strictEqual(skill.allowedTools?.join(" "), allowedTools)
  if (allowedToolsMeaning !== undefined) assert.deepStrictEqual(skill.allowedTools, allowedToolsMeaning)
}
