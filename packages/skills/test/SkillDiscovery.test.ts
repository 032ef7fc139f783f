import { SkillCatalog, SkillCheck, SkillDiscovery } from "@effect-toolnexus/skills"
import { assert, describe, layer } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Number from "effect/Number"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { inspect } from "node:util"
import { readExtras } from "../src/internal/extraFields.ts"
import * as FrontMatter from "../src/internal/frontMatter.ts"
import { readYaml } from "../src/internal/yamlDocument.ts"
import { crowded, makeTree, manySkills, platform, skillText } from "./support.ts"

/** Discovers in a tree; locations come back relative to it. */
const discoverIn = Effect.fnUntraced(function*(tree: Parameters<typeof makeTree>[0]) {
  const root = yield* makeTree(tree)
  const discovery = yield* SkillDiscovery.discover([root])
  const relative = (location: string) => location.replace(`${root}/`, "")
  return {
    root,
    discovery,
    found: discovery.found.map(({ location }) => relative(location)),
    skipped: discovery.skipped.map(({ location, reason }) => `${relative(location)} ${reason}`),
    codes: discovery.diagnostics.map(({ code }) => code)
  }
})

/** One skill with this front matter. */
const readHead = Effect.fnUntraced(function*(frontMatter: string) {
  const { codes, discovery, skipped } = yield* discoverIn({ "s/SKILL.md": `---\n${frontMatter}\n---\nBody\n` })
  return { skill: discovery.found[0], diagnostics: discovery.diagnostics, codes, skipped, all: discovery.skipped }
})

const readNested = (depth: number) =>
  readHead(`name: s\ndescription: d\nx:\n  ${"[".repeat(depth)}${"]".repeat(depth)}`)

const readTools = (tools: string) =>
  Effect.map(readHead(`name: s\ndescription: d\nallowed-tools:${tools}`), ({ skill }) => skill?.allowedTools)

layer(platform)("SkillDiscovery", (it) => {
  describe("the search", () => {
    it.effect("goes segment by segment in code points, a folder's own SKILL.md first", () =>
      Effect.gen(function*() {
        const names = ["a-b", "a", "a/z", "a/B", "Z", "\u{1F371}", "\uFF5E", "a.b", "b/SKILL.md.d", ".hidden"]
        const { found } = yield* discoverIn({
          "SKILL.md": skillText("root"),
          ...Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skillText(name)]))
        })
        assert.deepStrictEqual(
          found,
          ["", ".hidden/", "Z/", "a/", "a/B/", "a/z/", "a-b/", "a.b/", "b/SKILL.md.d/", "\uFF5E/", "\u{1F371}/"]
            .map((folder) => `${folder}SKILL.md`)
        )
      }))

    it.effect("does not enter .git and node_modules below a root, but a root may be one", () =>
      Effect.gen(function*() {
        const { found, root } = yield* discoverIn({
          ".git/a/SKILL.md": skillText("a"),
          "node_modules/b/SKILL.md": skillText("b"),
          "c/node_modules/d/SKILL.md": skillText("d")
        })
        assert.deepStrictEqual(found, [])
        const inside = yield* SkillDiscovery.discover([`${root}/node_modules`])
        assert.deepStrictEqual(inside.found.map(({ name }) => name), ["b"])
      }))

    it.effect("a file that was meant to be a SKILL.md is told", () =>
      Effect.gen(function*() {
        const { discovery, found } = yield* discoverIn({
          "a/skill.md": "",
          "b/SKILL.md": skillText("b"),
          "b/Skill.md": ""
        })
        assert.deepStrictEqual(found, ["b/SKILL.md"])
        assert.deepStrictEqual(discovery.diagnostics.map(({ code }) => code), ["misnamed-file"])
      }))

    it.effect("follows links to folders and files, and ends in spite of cycles", () =>
      Effect.gen(function*() {
        const elsewhere = yield* makeTree({ "far/SKILL.md": skillText("far"), "TEXT.md": skillText("text") })
        const { discovery, found, skipped } = yield* discoverIn({
          "a/SKILL.md": skillText("a"),
          "a/loop": { link: ".." },
          "b/linked": { link: `${elsewhere}/far` },
          "c/SKILL.md": { link: `${elsewhere}/TEXT.md` },
          "self": { link: "self" },
          "z": { link: "a" }
        })
        assert.deepStrictEqual(found, ["a/SKILL.md", "b/linked/SKILL.md", "c/SKILL.md"])
        assert.deepStrictEqual(skipped, [])
        assert.strictEqual(discovery.found[1]?.directory, `${elsewhere}/far`)
      }))

    it.effect("searches a folder once, for the first root that leads to it", () =>
      Effect.gen(function*() {
        const root = yield* makeTree({ "x/a/SKILL.md": skillText("a"), "y": { link: "x" } })
        const { found, skipped } = yield* SkillDiscovery.discover([`${root}/y`, `${root}/x`, root])
        assert.deepStrictEqual(found.map(({ location }) => location), [`${root}/y/a/SKILL.md`])
        assert.deepStrictEqual(skipped, [])
      }))

    it.effect(
      "a folder of hundreds of thousands is searched up to a bound, and the rest is told",
      () =>
        Effect.gen(function*() {
          const root = yield* makeTree({ "SKILL.md": skillText("own"), "a/SKILL.md": skillText("a") })
          const fs = yield* crowded(root, 300_000, "Directory")
          const search = Effect.provideService(SkillDiscovery.discover([root]), FileSystem.FileSystem, fs)
          const { diagnostics, found, unreadableRoots } = yield* search
          assert.deepStrictEqual(found.map(({ name }) => name), ["own", "a"])
          assert.deepStrictEqual(unreadableRoots, [])
          const cuts = diagnostics.filter(({ code }) => code === "search-cut")
          assert.deepStrictEqual(cuts.map(({ message, path }) => [path, message]), [
            [root, "It holds more than 20000 folders and links; the others are not searched"]
          ])
        }),
      30_000
    )

    it.effect("files beside the skills don't count", () =>
      Effect.gen(function*() {
        const root = yield* makeTree({ "z/SKILL.md": skillText("z") })
        const fs = yield* crowded(root, 300_000, "File")
        const search = Effect.provideService(SkillDiscovery.discover([root]), FileSystem.FileSystem, fs)
        const { diagnostics, found } = yield* search
        assert.deepStrictEqual([found.map(({ name }) => name), diagnostics], [["z"], []])
      }))

    it.effect("an unreadable root costs only itself", () =>
      Effect.gen(function*() {
        const root = yield* makeTree({ "file": "x", "good/a/SKILL.md": skillText("a") })
        const roots = [`${root}/file`, `${root}/missing`, `${root}/file/below`, `${root}/good`, "\0"]
        const { found, skipped, unreadableRoots } = yield* SkillDiscovery.discover(roots)
        assert.deepStrictEqual(found.map(({ name }) => name), ["a"])
        assert.deepStrictEqual(skipped, unreadableRoots)
        assert.deepStrictEqual(skipped.map(({ location, reason }) => [location, reason]), [
          [`${root}/file`, "unreadable"],
          [`${root}/missing`, "unreadable"],
          [`${root}/file/below`, "unreadable"],
          ["\0", "unreadable"]
        ])
        assert.strictEqual(skipped[0]?.message, `The skills folder "${root}/file" can't be read: it is not a folder`)
        assert.strictEqual(skipped[1]?.message, `The skills folder "${root}/missing" can't be read: it does not exist`)
      }))

    it.effect("a SKILL.md that is a folder, a dead link or a pipe is unreadable", () =>
      Effect.gen(function*() {
        const root = yield* makeTree({ "a/SKILL.md/x": "", "b/SKILL.md": { link: "gone" }, "c/x": "" })
        spawnSync("mkfifo", [`${root}/c/SKILL.md`])
        const { found, skipped } = yield* SkillDiscovery.discover([root])
        assert.deepStrictEqual(found, [])
        assert.deepStrictEqual(skipped.map(({ location, reason }) => [location, reason]), [
          [`${root}/a/SKILL.md`, "unreadable"],
          [`${root}/b/SKILL.md`, "unreadable"],
          [`${root}/c/SKILL.md`, "unreadable"]
        ])
      }))
  })

  it.effect("others have their turn while heads are parsed", () =>
    Effect.gen(function*() {
      const root = yield* makeTree({})
      const turns = yield* Ref.make(0)
      // counted from the last one that is opened
      const fs = yield* manySkills(root, 320, Ref.set(turns, 0))
      yield* Effect.forkScoped(Effect.forever(Ref.update(turns, Number.increment)))
      const search = Effect.provideService(SkillDiscovery.discover([root]), FileSystem.FileSystem, fs)
      assert.lengthOf((yield* search).found, 320)
      assert.isAtLeast(yield* Ref.get(turns), 18)
    }))

  describe("front matter", () => {
    it.effect("tolerates a byte order mark, CRLF and blanks after a fence", () =>
      Effect.gen(function*() {
        const { codes, discovery } = yield* discoverIn({
          "w/SKILL.md": "\uFEFF---  \r\nname: w\r\ndescription: d\r\n---\t\r\nBody\r\n---\r\nmore\r\n"
        })
        assert.deepStrictEqual(codes, [])
        assert.deepStrictEqual(discovery.found.map(({ description, name }) => [name, description]), [["w", "d"]])
      }))

    it.effect("a fence that straddles what is read at once is found", () =>
      Effect.gen(function*() {
        for (const offset of [-6, -5, -4, -3, -2, -1, 0, 1]) {
          const start = "---\nname: s\ndescription: "
          const text = `${start}${"d".repeat(16 * 1024 - start.length + offset)}\n---\nBody`
          const { found } = yield* discoverIn({ "s/SKILL.md": text })
          assert.deepStrictEqual(found, ["s/SKILL.md"], String(offset))
          const { skipped } = yield* discoverIn({ "s/SKILL.md": text.replace("\n---\nBody", "\n----\n---\nBody") })
          assert.deepStrictEqual(skipped, ["s/SKILL.md malformed-frontmatter"], String(offset))
        }
      }))

    it.effect("a character that straddles what is read at once stays whole", () =>
      Effect.gen(function*() {
        for (const offset of [0, 1, 2, 3]) {
          const text = `---\nname: s\ndescription: ${" ".repeat(offset)}${"\u{1F371}".repeat(5000)}\n---\nBody`
          const { discovery } = yield* discoverIn({ "s/SKILL.md": text })
          assert.strictEqual(discovery.found[0]?.description, "\u{1F371}".repeat(5000))
        }
      }))

    it.effect("is read a second time with text fields as plain text", () =>
      Effect.gen(function*() {
        const { diagnostics, skill } = yield* readHead([
          "name: s",
          "description: Use when: the user asks",
          "license: 'MIT'",
          "compatibility: [beta] needs: node",
          "metadata:",
          "  version: 1.0"
        ].join("\n"))
        assert.strictEqual(skill?.description, "Use when: the user asks")
        assert.strictEqual(skill?.license, "MIT")
        assert.strictEqual(skill?.compatibility, "[beta] needs: node")
        assert.strictEqual(inspect(skill?.metadata), "{ version: '1.0' }")
        const [lenient] = diagnostics.filter(({ code }) => code === "lenient-front-matter")
        assert.match(lenient?.message ?? "", /^line 3: Read as plain text: .*; put text /)
      }))

    it.effect("the second reading leaves sound fields of several lines as they are", () =>
      Effect.gen(function*() {
        const { skill } = yield* readHead("name: s\ndescription: \"one\n  two: three\"\nlicense: a: b")
        assert.strictEqual(skill?.description, "one two: three")
        assert.strictEqual(skill?.license, "a: b")
      }))

    it.effect("never guesses a name or a list of tools", () =>
      Effect.gen(function*() {
        for (
          const frontMatter of [
            "name: a: b\ndescription: d",
            "name: s\nname: t\ndescription: d",
            "name: s\n\"name\": t\ndescription: d",
            "name: s\ndescription: d\nallowed-tools: [Read",
            "name: s\ndescription: a: b\nallowed-tools: Read: Write",
            "name: s\ndescription: a: b\nallowed-tools: Read\nallowed-tools: Bash"
          ]
        ) {
          assert.deepStrictEqual(
            (yield* readHead(frontMatter)).skipped,
            ["s/SKILL.md malformed-frontmatter"],
            frontMatter
          )
        }
      }))

    it.effect("tools are found under every spelling in use, and told to be misspelled", () =>
      Effect.gen(function*() {
        for (const spelling of ["allowed_tools", "allowedTools", "tools"]) {
          const { codes, skill } = yield* readHead(`name: s\ndescription: d\n${spelling}: Read, Grep`)
          assert.deepStrictEqual(skill?.allowedTools, ["Read", "Grep"], spelling)
          assert.deepStrictEqual(codes, ["misspelled-field"], spelling)
        }
        const { skill } = yield* readHead("name: s\ndescription: d\ntools: Bash\nallowed-tools: Read")
        assert.deepStrictEqual(skill?.allowedTools, ["Read"])
      }))

    it.effect("what is wrong is told with its line, also where it was read a second time", () =>
      Effect.gen(function*() {
        const head = "license: |\n  a\n  b\nname: My_Skill\ndescription: Use: so\n  and so\nversion: 1"
        const { discovery } = yield* discoverIn({ "s/SKILL.md": `---\r\n${head.replaceAll("\n", "\r\n")}\r\n---\r\n` })
        const lines = discovery.diagnostics.map(({ code, message }) => `${code} ${/line (\d+)/.exec(message)?.[1]}`)
        assert.deepStrictEqual(lines, [
          "illegal-name 5",
          "name-folder-mismatch 5",
          "lenient-front-matter 6",
          "unknown-field 8"
        ])
        assert.include(discovery.diagnostics[0]?.message, "such as \"my-skill\"")
      }))

    it.effect("tools that are neither text nor a list of text grant nothing", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* readTools(" Bash(git add:*), Read Write"), ["Bash(git add:*)", "Read", "Write"])
        assert.deepStrictEqual(yield* readTools("\n  - Read\n  - Bash(ls *)"), ["Read", "Bash(ls *)"])
        // without what is in its brackets it would be more than is granted
        assert.deepStrictEqual(yield* readTools(" Read Bash(git add, Write"), ["Read", "Bash(git add, Write"])
        assert.deepStrictEqual(yield* readTools(" {a: b}"), [])
        assert.deepStrictEqual(yield* readTools(" [Read, {a: b}]"), [])
      }))

    it.effect("names that objects have are names like any, and stay one line", () =>
      Effect.gen(function*() {
        for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
          assert.strictEqual((yield* readHead(`name: ${name}\ndescription: d`)).skill?.name, name)
        }
        const forged = yield* readHead("name: \"a\\n- **b**: c\\u2028d\"\ndescription: d")
        assert.strictEqual(forged.skill?.name, "a - **b**: c d")
        assert.strictEqual((yield* readHead("name: \"\\ud800x\"\ndescription: d")).skill?.name, "\uFFFDx")
      }))

    it.effect("values that are no text: null is absent, a number is as it was written", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* readHead("name: ~\ndescription: d")).skipped, ["s/SKILL.md missing-name"])
        assert.deepStrictEqual((yield* readHead("name: [a]\ndescription: d")).skipped, ["s/SKILL.md missing-name"])
        const { codes, skill } = yield* readHead("name: 0o17\ndescription: null")
        assert.strictEqual(skill?.name, "0o17")
        assert.isFalse(Object.hasOwn(skill ?? {}, "description"))
        assert.include(codes, "missing-description")
      }))

    it.effect("an alias stands for its text", () =>
      Effect.gen(function*() {
        const { skill } = yield* readHead("name: &x s\ndescription: *x")
        assert.strictEqual(skill?.description, "s")
      }))

    it.effect("hostile documents cost neither the process nor the time", () =>
      Effect.gen(function*() {
        const size = 32_000
        const documents = [
          "[".repeat(size),
          "{".repeat(size),
          "- ".repeat(size / 2),
          "? ".repeat(size / 2),
          "]".repeat(size),
          "[".repeat(30) + "]".repeat(30),
          Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
          Array.from({ length: size / 8 }, (_, index) => `k${index}:`).join("\n"),
          `x: &a [${"b,".repeat(1000)}]\nallowed-tools: [${"*a,".repeat(size / 4)}]`,
          `x: &a b\nmetadata: {${Array.from({ length: size / 12 }, (_, index) => `k${index}: *a`).join(",")}}`,
          "%\n".repeat(size / 2),
          `"${"\\q".repeat(size / 3)}"`
        ]
        for (const document of documents) {
          yield* readHead(`name: s\ndescription: d\n${document}`)
          yield* readHead(document)
        }
      }), 60_000)

    it.effect("what a head has very often is told a few times", () =>
      Effect.gen(function*() {
        const tags = Array.from({ length: 500 }, (_, index) => `k${index}: !tag${index} x`).join("\n")
        const { codes } = yield* readHead(`name: s\ndescription: d\n${tags}`)
        assert.lengthOf(codes.filter((code) => code === "yaml-warning"), 20)
      }))

    it.effect("neither a field without an end nor brackets without one take squares of time", () =>
      Effect.sync(() => {
        // far longer than a head may be, so that squares would be minutes
        const size = 1_000_000
        assert.isTrue(Result.isFailure(FrontMatter.parse(`description: a: b\na${" ".repeat(size)}`)))
        const mapping = Result.getOrThrow(readYaml(`allowed-tools: ${"a(".repeat(size / 2)}`))
        assert.lengthOf(readExtras(mapping, () => ({ entry: "", path: "" })).extras.allowedTools ?? [], 1)
      }))

    it.effect("nesting is bounded", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* readNested(50)).skill?.name, "s")
        const { all } = yield* readNested(100)
        assert.strictEqual(all[0]?.message, "The front matter can't be read: it is nested deeper than 64 levels")
      }))

    it.effect("a head without an end is not read to the end of the file", () =>
      Effect.gen(function*() {
        const { skipped } = yield* discoverIn({ "s/SKILL.md": `---\nname: s\n${"# x\n".repeat(50_000)}---\nBody` })
        assert.deepStrictEqual(skipped, ["s/SKILL.md malformed-frontmatter"])
      }))

    it.effect("bytes that are no text are told, not fatal", () =>
      Effect.gen(function*() {
        const bytes = Uint8Array.from([...new TextEncoder().encode("---\nname: s\ndescription: caf"), 0xE9, 10])
        const { codes, discovery } = yield* discoverIn({
          "s/SKILL.md": Uint8Array.from([...bytes, ...new TextEncoder().encode("---\nBody")])
        })
        assert.strictEqual(discovery.found[0]?.description, "caf\uFFFD")
        assert.deepStrictEqual(codes, ["invalid-utf8"])
      }))
  })

  /** What front matter and bodies are made of, and what their readers trip over. */
  const Piece = Schema.Literals([
    "---",
    "\n",
    "\r\n",
    "\r",
    "name: ",
    "description: ",
    "allowed-tools: ",
    "metadata:",
    "  ",
    "\t",
    ": ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "!!x ",
    "|",
    ">-",
    "\"",
    "'",
    "\\",
    "#",
    "%YAML 1.1\n",
    "<<: ",
    "...",
    "\uFEFF",
    "\0",
    "\uD800",
    "\u2028",
    "\u{1F371}",
    "__proto__",
    "s",
    "</skill_content>",
    "<skill_content name=\"",
    "</skill_files>",
    "<file>",
    "&lt;",
    "$&"
  ])
  const Text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 30 }), (pieces) => pieces.join(""))
  const AnyText = Arbitrary.map(Arbitrary.schema(Schema.String), (text) => text)

  it.effect.prop(
    "no front matter and no body makes discovery fail or the block malformed",
    { matter: Text, name: AnyText, body: Text, noise: AnyText, isNamed: Schema.Boolean },
    ({ body, isNamed, matter, name, noise }) =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const head = isNamed
          ? `---\nname: ${JSON.stringify(`${name}${matter}`)}\n---\n`
          : `---\n${matter}\n---\n${noise}`
        const root = yield* makeTree({ "s/SKILL.md": `${head}${body}`, "s/a": "" })
        const discovery = yield* SkillDiscovery.discover([root])
        assert.strictEqual(discovery.found.length + discovery.skipped.length, 1)
        assert.isArray(yield* SkillCheck.check(root))
        const catalog = SkillCatalog.make({ discovery })
        for (const skill of catalog.skills) assertBlock(yield* SkillCatalog.load(catalog, skill.name))
        const prompt = SkillCatalog.prompt(catalog)
        assert.isTrue(prompt === "" || prompt.split(/[\n\r\u2028\u2029]/).length === 4)
        yield* fs.remove(root, { recursive: true })
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 300 }, timeout: 60_000 }
  )
})

const assertBlock = (block: string) => {
  const [first = "", second = ""] = block.split("\n")
  assert.match(first, /^<skill_content name="[^"<\r\u2028\u2029]+">$/u)
  assert.isTrue(second.startsWith("# Skill: "))
  assert.deepStrictEqual(block.match(/<\/?skill_(?:content|files)/g), [
    "<skill_content",
    "<skill_files",
    "</skill_files",
    "</skill_content"
  ])
  assert.isTrue(block.endsWith("</file>\n</skill_files>\n</skill_content>"))
}
