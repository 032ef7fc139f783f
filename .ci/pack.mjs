// Packs every published package, installs the tarballs in an empty project outside the workspace with npm alone, and
// uses what a user would: the library, the command, and the tests' package. Prints what a user then downloads.
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"

const root = join(import.meta.dirname, "..")
const pnpm = ["--yes", "pnpm@12.21.0"]
// the packages ask for a newer Node than this machine may have: what is tried here runs on the one this runs on
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"))

const work = mkdtempSync(join(tmpdir(), "toolnexus-pack-"))
process.on("exit", () => rmSync(work, { recursive: true, force: true }))

run("npx", [...pnpm, "run", "-s", "build"], root)
const published = readdirSync(join(root, "packages"))
  .map((name) => join(root, "packages", name))
  .filter((folder) =>
    existsSync(join(folder, "package.json")) && readJson(join(folder, "package.json")).private !== true
  )
for (const folder of published) run("npx", [...pnpm, "pack", "--pack-destination", work], folder)
const tarballs = readdirSync(work).filter((name) => name.endsWith(".tgz"))
const versions = new Map(
  [...readFileSync(join(root, "pnpm-workspace.yaml"), "utf8").matchAll(/^ {2}"?([^":\s]+)"?: (\d\S*)$/gm)].map((
    match
  ) => [match[1], match[2]])
)
const pinned = (...names) => names.map((name) => `${name}@${versions.get(name)}`)
const install = (project, ...names) => run("npm", ["install", "--no-audit", "--no-fund", ...names], project)

// the project of a user of the library
const project = mkdtempSync(join(work, "project-"))
writeFileSync(join(project, "package.json"), JSON.stringify({ name: "p", private: true, type: "module" }))
const isTesting = (name) => name.includes("testing")
install(project, ...pinned("effect"), ...tarballs.filter((name) => !isTesting(name)).map((name) => join(work, name)))
writeFileSync(
  join(project, "main.mjs"),
  `
import { defineTool, Toolkit, ToolkitLive } from "effect-toolnexus"
import { Effect } from "effect"
const hello = defineTool({ name: "hello", handler: () => "hello" })
const program = Effect.gen(function*() {
  const toolkit = yield* Toolkit
  return (yield* toolkit.execute("hello")).output + " " + (yield* toolkit.execute("bash", { command: "echo world" })).output
})
console.log(await Effect.runPromise(Effect.provide(program, ToolkitLive({ tools: [hello] }))))
`
)
check("the library", run("node", ["main.mjs"], project), "hello world")
writeFileSync(
  join(project, "plain.mjs"),
  `
import { createToolkit } from "effect-toolnexus"
const toolkit = await createToolkit({ tools: [] })
console.log((await toolkit.execute("bash", { command: "echo plain" })).output, Object.keys(await toolkit.toAiSdk()).includes("bash"))
await toolkit.close()
`
)
check("the library without Effect", run("node", ["plain.mjs"], project), "plain\n true")
check("the command", run("npx", ["toolnexus", "call", "bash", `{"command":"echo hi"}`], project), "hi")
writeFileSync(
  join(project, "loaded.mjs"),
  `
import { registerHooks } from "node:module"
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
await import("effect-toolnexus/ToolkitOptions")
const platform = loaded.filter((url) => url.includes("platform-node"))
console.log(loaded.length > 10 && platform.length === 0 ? "none" : platform.join("\\n"))
`
)
check("ToolkitOptions loads no platform", run("node", ["loaded.mjs"], project), "none")
const closed = spawnSync("node", ["--input-type=module", "-e", `import "@effect-toolnexus/core/internal/toolInput"`], {
  cwd: project,
  env,
  encoding: "utf8"
})
check("internal/ is closed", closed.stderr, "ERR_PACKAGE_PATH_NOT_EXPORTED")
console.log(
  `installed: ${megabytes(project)} MB in ${packages(project)} packages, of which effect ${
    megabytes(join(project, "node_modules/effect"))
  } MB`
)
for (const name of tarballs) console.log(`  ${name}: ${Math.round(statSync(join(work, name)).size / 1024)} kB packed`)

// the project of a test author, with declarations checked by TypeScript
install(
  project,
  ...pinned("typescript", "vitest", "@effect/vitest", "@types/node"),
  ...tarballs.filter(isTesting).map((name) => join(work, name))
)
writeFileSync(
  join(project, "typed.ts"),
  `
import { defineTool, type SourceEntry, Toolkit, ToolkitLive } from "effect-toolnexus"
import { assertNothingLeft } from "@effect-toolnexus/testing"
import { Effect, Schema } from "effect"
const tool = defineTool({ name: "t", input: Schema.Struct({ n: Schema.Number }), handler: ({ n }) => n.toFixed(1) })
const program: Effect.Effect<string, SourceEntry.RequiredEntriesFailed> = Toolkit.use((toolkit) => Effect.map(toolkit.execute("t", { n: 1 }), (result) => result.output)).pipe(
  Effect.provide(ToolkitLive({ tools: [tool] }))
)
export const checked = assertNothingLeft(program)
// @ts-expect-error a misspelled option must not type-check
ToolkitLive({ polcy: [] })
`
)
run("npx", [
  "tsc",
  "--noEmit",
  "--strict",
  "--exactOptionalPropertyTypes",
  "--module",
  "nodenext",
  "--target",
  "es2023",
  "--skipLibCheck",
  "false",
  "--types",
  "node",
  "typed.ts"
], project)
console.log("declarations: ok")

function check(what, actual, expected) {
  if (!actual.includes(expected)) throw new Error(`${what}: expected "${expected}", got "${actual}"`)
  console.log(`${what}: ok`)
}
function megabytes(folder) {
  return (Number.parseInt(run("du", ["-sk", folder])) / 1024).toFixed(1)
}
function packages(folder) {
  return run("sh", [
    "-c",
    "find node_modules -name package.json -path '*node_modules/*' -not -path '*/test/*' | grep -cE 'node_modules/(@[^/]+/)?[^/]+/package.json$'"
  ], folder).trim()
}
