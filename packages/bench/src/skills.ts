/**
 * 1,000 and 10,000 skills on disk: discovery against plain readers that find, read and parse the same files with a YAML
 * library, and know no rules, links, bounds or diagnostics. The aim: at most 1.5 times the plain reader that blocks its
 * process, which is the fastest there is for files in a cache, and less memory, for only heads are kept.
 */
import { SkillDiscovery } from "@effect-toolnexus/skills"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { globSync, readFileSync } from "node:fs"
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { parse } from "yaml"
import { type Contender, measure } from "./harness.ts"

const AIM = 1.5
/** What a check lets pass: where a machine has other work, threads wait longer than a reader that needs none. */
const LIMIT = 2.5

export interface SkillCounts {
  readonly counts: readonly [number, ...ReadonlyArray<number>]
  readonly samples: number
}

export const FULL_SKILLS: SkillCounts = { counts: [1000, 10_000], samples: 5 }
export const TINY_SKILLS: SkillCounts = { counts: [300], samples: 5 }

/** The worst of the ratios. */
export const skills = ({ counts, samples }: SkillCounts) =>
  Effect.gen(function*() {
    const ratios = yield* Effect.forEach(counts, (count) => ratioOf(count, samples))
    const value = Math.max(...ratios)
    yield* Console.log(`Ratio: ${value.toFixed(2)} (aim: at most ${AIM})\n`)
    return { value, limit: LIMIT }
  })

const ratioOf = Effect.fnUntraced(function*(count: number, samples: number) {
  const root = yield* Effect.acquireRelease(
    Effect.promise(() => makeSkills(count)),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  )
  const ours: Contender = { name: "SkillDiscovery.discover", run: () => discover(root, count) }
  const plain: Contender = { name: "plain, node:fs/promises", run: () => plainReader(root) }
  const blocking: Contender = { name: "plain, blocking", run: () => blockingReader(root) }
  const [base = Number.NaN, , value = Number.NaN] = yield* measure({
    title: `${count} skills: find, read, parse`,
    batch: 1,
    samples,
    unit: "ms",
    contenders: [blocking, plain, ours]
  })
  const kept = yield* Effect.forEach([plain, ours], ({ run }) => Effect.promise(() => memoryOf(run)))
  const [plainMemory = "", ourMemory = ""] = kept.map((bytes) => `${(bytes / count / 1024).toFixed(2)} KiB`)
  yield* Console.log(`Kept in memory for each skill: ${plainMemory} by the plain reader, ${ourMemory} by discovery\n`)
  return value / base
}, Effect.scoped)

const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)

const discover = async (root: string, count: number) => {
  const discovery = await Effect.runPromise(Effect.provide(SkillDiscovery.discover([root]), platform))
  if (discovery.found.length !== count) throw new Error(`expected ${count} skills, found ${discovery.found.length}`)
  return discovery
}

const plainReader = async (root: string) => {
  const files: Array<string> = []
  for await (const file of glob("**/SKILL.md", { cwd: root })) files.push(file)
  return Promise.all(files.toSorted().map(async (file) => toSkill(file, await readFile(join(root, file), "utf8"))))
}

const blockingReader = async (root: string) =>
  globSync("**/SKILL.md", { cwd: root }).toSorted().map((file) => toSkill(file, readFileSync(join(root, file), "utf8")))

const toSkill = (file: string, text: string) => {
  const [whole = "", head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
  const fields: unknown = parse(head)
  return { file, fields, body: text.slice(whole.length) }
}

/** What a result holds on to, in bytes. */
const memoryOf = async (run: () => Promise<unknown>) => {
  collectGarbage()
  const before = process.memoryUsage()
  const result = await run()
  collectGarbage()
  const after = process.memoryUsage()
  // looked at afterwards, so that it is still there
  if (result === undefined) throw new Error("nothing was read")
  return after.heapUsed + after.external - before.heapUsed - before.external
}

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const BODY = "Some line of the body, as long as such lines are, and as dull as most of them.\n"

const makeSkills = async (count: number) => {
  const root = await mkdtemp(join(tmpdir(), "bench-skills-"))
  for (let index = 0; index < count; index++) {
    const folder = join(root, `group-${index % 37}`, `skill-${index}`)
    await mkdir(join(folder, "scripts"), { recursive: true })
    await writeFile(join(folder, "SKILL.md"), `${headOf(index)}\n# Skill ${index}\n\n${BODY.repeat(60)}`)
    await writeFile(join(folder, "scripts/run.sh"), "true\n")
  }
  return root
}

/** Of four heads one takes a YAML parser. */
const headOf = (index: number) =>
  [
    "---",
    `name: skill-${index}`,
    `description: Does the thing number ${index}. Use when somebody asks for thing number ${index}, or for one that is like it.`,
    `license: MIT${index % 4 === 0 ? " # see LICENSE" : ""}`,
    "metadata:",
    "  author: somebody",
    `  version: "1.${index}"`,
    "allowed-tools: Read Bash(git:*)",
    "---",
    ""
  ].join("\n")
