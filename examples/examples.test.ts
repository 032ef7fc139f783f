/**
 * Every example prints what its `expected.txt` says, in which `/path/to/effect-toolnexus` is where this repository is.
 * An example that prints what differs from run to run belongs changed, not masked.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "..")
const examples = globSync("*/main.ts", { cwd: import.meta.dirname }).map((file) => dirname(file)).toSorted()

/** With nothing of our environment, which a message may speak of, but what a program needs to run at all. */
const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] }

const run = async (example: string) => {
  const program = join(import.meta.dirname, example, "main.ts")
  const { stderr, stdout } = await promisify(execFile)("node", [program], { cwd: root, env })
  assert.strictEqual(stderr, "")
  return stdout.replaceAll(root, "/path/to/effect-toolnexus")
}

describe.concurrent("examples", () => {
  it("are found", () => assert.isAtLeast(examples.length, 9))

  it.each(examples)("%s prints what is expected", { timeout: 60_000 }, async (example) => {
    const expected = readFileSync(join(import.meta.dirname, example, "expected.txt"), "utf8")
    assert.strictEqual(await run(example), expected)
  })
})
