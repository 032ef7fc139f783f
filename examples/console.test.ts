/**
 * What documents show of a shell is what it prints: in each `console` block a command stands after a `$`, and below it its
 * output, in which `...` stands for any lines. They run in the example that the document names.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "..")

const documents = globSync(["README.md", "docs/**/*.md"], { cwd: root }).toSorted()
  .map((document) => ({ document, text: readFileSync(join(root, document), "utf8") }))
  .filter(({ text }) => /^```console$/m.test(text))

interface Session {
  readonly command: string
  readonly lines: ReadonlyArray<string>
}

const sessionsOf = (text: string): ReadonlyArray<Session> =>
  [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, body = ""]) =>
    body.split(/^\$ /m).slice(1).map((session) => {
      const [command = "", ...lines] = session.trimEnd().split("\n")
      return { command, lines }
    })
  )

const TOOLNEXUS = `toolnexus() { node '${join(root, "packages/cli/src/bin.ts")}' "$@"; }`

/** As at a shell without a terminal, with nothing of our environment but what a program needs to run at all. */
const print = async (command: string, example: string) => {
  const { stdout } = await promisify(execFile)("sh", ["-c", `${TOOLNEXUS}\n{ ${command}\n} 2>&1 < /dev/null; true`], {
    cwd: join(root, "examples", example),
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] }
  })
  // what a slow machine makes it say
  return stdout.replaceAll(/^info: Connecting to .*\n/gm, "")
}

/** Columns are as wide as what stands in them, and paths differ from machine to machine. */
const shown = (line: string) => line.replaceAll(root, "/path/to/effect-toolnexus").trimEnd().replaceAll(/ {2,}/g, "  ")

const SPECIAL = /[\\^$.*+?()[\]{}|]/g

const patternOf = (lines: ReadonlyArray<string>) =>
  new RegExp(
    `^${lines.map((line) => line === "..." ? "(?:.*\n)*?" : `${shown(line).replaceAll(SPECIAL, "\\$&")}\n`).join("")}$`
  )

describe.concurrent("what documents show of a shell", () => {
  it("is found", () => assert.isAtLeast(documents.length, 7))

  it.each(documents)("is what it prints: $document", { timeout: 120_000 }, async ({ text }) => {
    const [, example = ""] = /examples\/([\w-]+)/.exec(text) ?? []
    for (const { command, lines } of sessionsOf(text)) {
      const printed = `${(await print(command, example)).trimEnd().split("\n").map(shown).join("\n")}\n`
      assert.match(printed, patternOf(lines), command)
    }
  })
})
