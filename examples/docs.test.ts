/**
 * What the documents say is so: every TypeScript block type-checks and every program among them runs, the configuration
 * is one, the commands of the README work, and its output is what `npm start` prints.
 */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, describe, it } from "@effect/vitest"
import { ToolkitConfig } from "effect-toolnexus"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const folder = join(import.meta.dirname, ".docs")
const documents = globSync(["README.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root }).toSorted()
const textOf = (document: string) => readFileSync(join(root, document), "utf8")

const BLOCK = /^(?:<!-- (\S+) -->\n\n)?```(\w+)\n([\s\S]*?)^```$/gm

/** A block below a comment that names a file is that file, and is tried where the file is. */
const blocks = (document: string, language: string) =>
  [...textOf(document).matchAll(BLOCK)]
    .filter(([, file, info]) => file === undefined && info === language)
    .map(([, , , body = ""]) => body)

const programs = documents.flatMap((document) =>
  blocks(document, "ts").map((body, index) => ({ body, file: fileOf(document, index, body) }))
)

/** A block of tests gets a name that vitest takes for one. */
function fileOf(document: string, index: number, body: string): string {
  return `${document.replaceAll(/\W/g, "-")}-${index + 1}${/\bit\.(?:live|effect)\(/.test(body) ? ".test" : ""}.ts`
}

const run = (command: string, args: ReadonlyArray<string>) =>
  execFileSync(command, args, { cwd: import.meta.dirname, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

const writePrograms = () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { body, file } of programs) writeFileSync(join(folder, file), body)
  const tsconfig = {
    extends: "../../tsconfig.tests.json",
    include: ["*.ts"],
    compilerOptions: { rootDir: "../..", composite: false, noUnusedLocals: false }
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...tsconfig, references: [] }))
}

describe("documents", () => {
  it("type-check", { timeout: 120_000 }, () => {
    writePrograms()
    assert.isAbove(programs.length, 5)
    assert.strictEqual(spawnSync("tsc", ["-p", folder, "--noEmit"], { encoding: "utf8" }).stdout, "")
  })

  it.each(programs.filter(({ body }) => /runMain|runPromise/.test(body)))(
    "run: $file",
    { timeout: 30_000 },
    ({ file }) => {
      assert.isNotEmpty(run("node", [join(folder, file)]))
    }
  )

  it("pass, where they are tests", { timeout: 120_000 }, () => {
    const { status, stdout } = spawnSync("vitest", ["run", "--root", folder, "--no-file-parallelism"], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stdout)
  })

  it.effect("show a configuration that is one", () =>
    Effect.gen(function*() {
      for (const text of documents.flatMap((document) => blocks(document, "jsonc"))) {
        const config = yield* ToolkitConfig.load(text)
        assert.deepStrictEqual([config.error, config.diagnostics], [undefined, []])
      }
    }).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer])))

  it("show what npm start prints", { timeout: 60_000 }, () => {
    const [shown = ""] = blocks("README.md", "text")
    const printed = run("node", ["quickstart/main.ts"]).split("\n")
    for (const line of shown.trimEnd().split("\n")) {
      const index = printed.indexOf(line)
      assert.isAtLeast(index, 0, `"${line}" is not printed, or not in this order`)
      printed.splice(0, index + 1)
    }
  })

  it("show commands that work", { timeout: 120_000 }, () => {
    const prefix = "npm run -s toolnexus -- "
    const commands = blocks("README.md", "sh").flatMap((body) => body.split("\n")).filter((line) =>
      line.startsWith(prefix)
    )
    const inReach = commands.filter((line) => !line.includes("~"))
    const printed = inReach.map((line) =>
      run("sh", ["-c", `exec node ../packages/cli/src/bin.ts ${line.slice(prefix.length)}`])
    )
    assert.deepStrictEqual(
      printed.map((text) => text.includes("server-everything_echo") || text.trim() === "Echo: hi"),
      [true, true]
    )
  })

  it("show files as they are", () => {
    const shown = documents.flatMap((document) =>
      [...textOf(document).matchAll(BLOCK)].filter(([, file]) => file !== undefined)
    )
    assert.isAbove(shown.length, 2)
    for (const [, file = "", , body] of shown) assert.strictEqual(body, textOf(file), file)
  })

  it("lead to every example", () => {
    const text = documents.map(textOf).join("\n")
    const examples = globSync("examples/*/main.ts", { cwd: root })
    assert.deepStrictEqual(examples.filter((example) => !text.includes(example.replace(/main\.ts$/, ""))), [])
  })

  it("link to what there is", () => {
    for (const document of documents) {
      for (const [, target = ""] of textOf(document).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        assert.isNotEmpty(globSync(join(root, document, "..", target)), `${document}: ${target}`)
      }
    }
  })
})
