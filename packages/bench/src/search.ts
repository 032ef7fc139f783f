/**
 * `grep` and `glob` on a tree of 50,000 files, beside the bare `rg` that does the same and a plain walk in Node. The aim: at
 * most 1.3 times the bare `rg`.
 */
import { BuiltinSource } from "@effect-toolnexus/builtins"
import { Toolkit } from "@effect-toolnexus/core"
import { NodePlatform, ToolkitLayer } from "@effect-toolnexus/toolkit"
import { rgPath } from "@vscode/ripgrep"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Outcome } from "./check.ts"
import { measure } from "./harness.ts"

export interface Tree {
  readonly folders: number
  readonly filesInEach: number
  readonly samples: number
}

export const FULL_TREE: Tree = { folders: 500, filesInEach: 101, samples: 7 }
export const TINY_TREE: Tree = { folders: 20, filesInEach: 50, samples: 3 }

/** A tiny tree is mostly the start of a process, and a check runs beside much else. */
const LIMIT = 4

const EXTENSIONS = ["ts", "md", "json", "css"]

/** Source-like files of about 1.5 KB in folders three deep; one in five hundred has the rare word, each the common one. */
const tree = ({ filesInEach, folders }: Tree) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "search-")))
      const filler = "export const value = (input: string) => input.trim().split(\",\").length // a line of source\n"
        .repeat(15)
      for (let index = 0; index < folders; index++) {
        const folder = join(root, `area${index % 10}`, `package${index % 100}`, `src${index}`)
        mkdirSync(folder, { recursive: true })
        for (let file = 0; file < filesInEach; file++) {
          const rare = (index * filesInEach + file) % 500 === 0 ? "const needleInHaystack = 1\n" : ""
          writeFileSync(join(folder, `file${file}.${EXTENSIONS[file % 4]}`), `${filler}// commonWord\n${rare}${filler}`)
        }
      }
      writeFileSync(join(root, ".gitignore"), "*.css\n")
      return root
    }),
    (root) => Effect.sync(() => rmSync(root, { recursive: true }))
  )

const RULES = ["--no-config", "--no-require-git", "--null", "--color=never"]
const LINES = ["--line-number", "--no-heading", "--with-filename", "--max-columns=1000", "--max-columns-preview"]

/** `--glob` would let ignored files through, which the tools don't. */
const TYPED = ["--type-add=wanted:*.ts", "--type=wanted"]

/** Everything it prints is read, and nothing is done with it. */
const bareRg = (cwd: string, args: ReadonlyArray<string>) => () =>
  new Promise<number>((resolve, reject) => {
    const child = spawn(rgPath, [...RULES, ...args, "./"], { cwd, stdio: ["ignore", "pipe", "ignore"] })
    let size = 0
    child.stdout.on("data", (chunk: Uint8Array) => (size += chunk.length))
    child.on("error", reject)
    child.on("close", () => resolve(size))
  })

/** What somebody writes who has no ripgrep: a walk, ignore rules left out but for one, and each file read. */
const nodeWalk = (root: string, extension: string | undefined, pattern: RegExp | undefined) => async () => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) =>
    entry.isFile() && !entry.name.endsWith(".css") && (extension === undefined || entry.name.endsWith(extension))
  ).map((entry) => join(entry.parentPath, entry.name)).toSorted()
  if (pattern === undefined) return files.length
  let found = 0
  const width = 16
  for (let start = 0; start < files.length; start += width) {
    const texts = await Promise.all(files.slice(start, start + width).map((file) => readFile(file, "utf8")))
    for (const text of texts) found += text.split("\n").filter((line) => pattern.test(line)).length
  }
  return found
}

export const search = (size: Tree) =>
  Effect.gen(function*() {
    const root = yield* tree(size)
    const layer = ToolkitLayer.make([Layer.provide(BuiltinSource.layer({ root }), NodePlatform.layer)])
    const toolkit = Context.get(yield* Layer.build(layer), Toolkit)
    const runPromise = Effect.runPromiseWith(yield* Effect.context())
    const tool = (name: string, args: object) => () => runPromise(toolkit.execute(name, JSON.stringify(args)))
    const ratio = Effect.fnUntraced(function*(
      title: string,
      run: () => Promise<unknown>,
      rgArgs: ReadonlyArray<string>,
      walk: () => Promise<unknown>
    ) {
      const medians = yield* measure({
        title: `${size.folders * size.filesInEach} files, ${title}`,
        batch: 1,
        samples: size.samples,
        unit: "ms",
        contenders: [
          { name: "bare rg", run: bareRg(root, rgArgs) },
          { name: "the tool", run },
          { name: "a walk in Node", run: walk }
        ]
      })
      return (medians[1] ?? Number.NaN) / (medians[0] ?? Number.NaN)
    })
    const ratios = [
      yield* ratio(
        "grep of a rare word",
        tool("grep", { pattern: "needleInHaystack" }),
        [...LINES, "--regexp=needleInHaystack"],
        nodeWalk(root, undefined, /needleInHaystack/)
      ),
      yield* ratio(
        "grep of a word in every file, the first 100 of all",
        tool("grep", { pattern: "commonWord" }),
        [...LINES, "--regexp=commonWord"],
        nodeWalk(root, undefined, /commonWord/)
      ),
      yield* ratio(
        "grep with include area*/**/*.ts",
        tool("grep", { pattern: "needleInHaystack", include: "area*/**/*.ts" }),
        [...LINES, "--glob=area*/**/*.ts", "--regexp=needleInHaystack"],
        nodeWalk(root, ".ts", /needleInHaystack/)
      ),
      yield* ratio(
        "glob *.ts",
        tool("glob", { pattern: "*.ts" }),
        ["--files", ...TYPED],
        nodeWalk(root, ".ts", undefined)
      ),
      yield* ratio(
        "glob area*/**/*.{ts,md}",
        tool("glob", { pattern: "area*/**/*.{ts,md}" }),
        // every folder is an area; `--glob` would overrule what is ignored, and so do less
        ["--files", "--type-add=wanted:*.{ts,md}", "--type=wanted"],
        nodeWalk(root, ".ts", undefined)
      ),
      yield* ratio(
        "glob **, everything",
        tool("glob", { pattern: "**" }),
        ["--files"],
        nodeWalk(root, undefined, undefined)
      )
    ]
    const worst = Math.max(...ratios)
    yield* Console.log(`The tools to the bare rg, at worst ${worst.toFixed(2)}x (aim: at most 1.30x)\n`)
    return { value: worst, limit: LIMIT } satisfies Outcome
  }).pipe(Effect.scoped)
