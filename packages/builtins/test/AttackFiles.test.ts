/** What a model that nobody trusts may try to get out of `Builtins.sandboxed`, and what a tree may hold to mislead it. */
import { Builtins, BuiltinSource, Ripgrep, Workspace } from "@effect-toolnexus/builtins"
import type { Json } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync, spawnSync } from "node:child_process"
import { readFile } from "node:fs/promises"
import { setTimeout } from "node:timers/promises"
import { tree } from "./files.ts"
import { call, entry, failure, folder, platform } from "./harness.ts"

const CANARY = "CANARY-7f3a"

/** A root, and beside it what must not be reached: by a name that begins like the root's, by links of every kind. */
const place = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const base = yield* folder
  const root = `${base}/safe`
  const outside = `${base}/safe-evil`
  yield* fs.makeDirectory(`${root}/sub/deep`, { recursive: true })
  yield* fs.makeDirectory(`${outside}/folder`, { recursive: true })
  yield* fs.writeFileString(`${root}/in.txt`, "inside\n")
  yield* fs.writeFileString(`${outside}/secret.txt`, `${CANARY}\n`)
  yield* fs.writeFileString(`${outside}/folder/secret.txt`, `${CANARY}\n`)
  yield* fs.symlink(outside, `${root}/out`)
  yield* fs.symlink("../../safe-evil", `${root}/sub/relative`)
  yield* fs.symlink(`${outside}/secret.txt`, `${root}/file-link`)
  yield* fs.symlink("out/secret.txt", `${root}/chain`)
  yield* fs.symlink(`${outside}/not-yet.txt`, `${root}/dangling`)
  yield* fs.symlink("..", `${root}/sub/deep/up`)
  yield* fs.symlink("/", `${root}/everything`)
  return { root, outside }
})

const PATHS = (root: string, outside: string): ReadonlyArray<string> => [
  "..",
  "../safe-evil",
  "../safe-evil/secret.txt",
  "sub/../../safe-evil/secret.txt",
  "./.././safe-evil//secret.txt",
  outside,
  `${outside}/secret.txt`,
  `${root}/../safe-evil/secret.txt`,
  `${root}-evil/secret.txt`,
  "out",
  "out/secret.txt",
  "out/folder/../secret.txt",
  "out/not-yet.txt",
  "out/new/not-yet.txt",
  "sub/relative/secret.txt",
  "file-link",
  "chain",
  "dangling",
  "sub/deep/up/relative/secret.txt",
  "sub/deep/up/../../../../safe-evil/secret.txt",
  "everything/etc/passwd",
  "/etc/passwd",
  "/proc/self/environ",
  "/proc/self/root/etc/passwd",
  "/dev/fd/0",
  "in.txt\0/../../safe-evil/secret.txt",
  "in.txt/../../safe-evil/secret.txt"
]

/** Each tool that takes a path, given one. */
const CALLS: Readonly<Record<string, (path: string) => ReadonlyArray<Json.JsonObject>>> = {
  read: (path) => [{ path }],
  write: (path) => [{ path, content: "written" }],
  edit: (path) => [{ path, oldString: CANARY, newString: "edited" }],
  apply_patch: (path) =>
    [
      `*** Add File: ${path}\n+written`,
      `*** Delete File: ${path}`,
      `*** Update File: ${path}\n@@\n-${CANARY}\n+edited`,
      `*** Update File: in.txt\n*** Move to: ${path}`,
      `*** Update File: ${path}\n*** Move to: stolen.txt`
    ].map((lines) => ({ patchText: `*** Begin Patch\n${lines}\n*** End Patch` })),
  grep: (path) => [{ pattern: CANARY, path }, { pattern: ".", path }],
  glob: (path) => [{ pattern: "**", path }, { pattern: "*.txt", path }]
}

const snapshot = (path: string): string =>
  execFileSync("find", [path, "-printf", "%p %y %s %l\\n", "-o", "-quit"], { encoding: "utf8" })
  + execFileSync("sh", ["-c", "cat \"$1\"/*.txt \"$1\"/folder/*.txt", "sh", path], { encoding: "utf8" })

const sandboxed = (root: string) => BuiltinSource.layer(Builtins.sandboxed(root)).pipe(Layer.provide(platform))

describe("Builtins.sandboxed", () => {
  it.live("has no shell, and every tool that takes a path is under attack here", () =>
    Effect.gen(function*() {
      const { root } = yield* place
      const { tools } = yield* Effect.provide(entry, sandboxed(root))
      assert.notInclude(tools.map(({ name }) => name), "bash")
      const takesPath = tools.filter(({ inputSchema }) =>
        JSON.stringify(inputSchema).includes("\"path\"") || inputSchema["required"]?.toString() === "patchText"
      )
      assert.deepStrictEqual(takesPath.map(({ name }) => name), Object.keys(CALLS))
    }).pipe(Effect.scoped, Effect.provide(platform)))

  it.live("lets no path out, and changes nothing outside", () =>
    Effect.gen(function*() {
      const { outside, root } = yield* place
      const before = snapshot(outside)
      yield* Effect.gen(function*() {
        for (const [name, calls] of Object.entries(CALLS)) {
          for (const path of PATHS(root, outside)) {
            for (const args of calls(path)) {
              const answer = yield* Effect.result(call(name, args))
              assert.strictEqual(answer._tag, "Failure", `${name} ${JSON.stringify(args)}`)
              assert.notInclude(JSON.stringify(answer), `${CANARY}\\n`)
              assert.notInclude(JSON.stringify(answer), "root:x:")
            }
          }
        }
      }).pipe(Effect.provide(sandboxed(root)))
      assert.strictEqual(snapshot(outside), before)
    }).pipe(Effect.scoped, Effect.provide(platform)))

  it.live("finds nothing through links inside, and no pattern leads out", () =>
    Effect.gen(function*() {
      const { root } = yield* place
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* call("grep", { pattern: CANARY })).output, "(no matches)")
        assert.strictEqual((yield* call("glob", { pattern: "**" })).output, "in.txt")
        for (
          const pattern of [
            "out/**",
            "**/secret.txt",
            "*/secret.txt",
            "{out,sub}/**",
            "o[u]t/*",
            "sub/deep/up/**",
            "everything/etc/*"
          ]
        ) {
          assert.strictEqual((yield* call("glob", { pattern })).output, "(no files)", pattern)
          assert.strictEqual(
            (yield* call("grep", { pattern: CANARY, include: pattern })).output,
            "(no matches)",
            pattern
          )
        }
        for (const pattern of ["../**", "/etc/*", "sub/../../*", "**/../../*", "{..,x}/../*"]) {
          const answer = yield* Effect.result(call("glob", { pattern }))
          if (answer._tag === "Success") assert.strictEqual(answer.success.output, "(no files)", pattern)
        }
      }).pipe(Effect.provide(sandboxed(root)))
    }).pipe(Effect.scoped, Effect.provide(platform)))

  it.live("holds for a root that is a link, and one with a slash behind it", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const { outside, root } = yield* place
      yield* fs.symlink(root, `${root}-link`)
      for (const given of [`${root}-link`, `${root}/`, `${root}/sub/..`]) {
        yield* Effect.gen(function*() {
          assert.strictEqual((yield* call("read", { path: "in.txt" })).output, "inside\n")
          assert.strictEqual((yield* call("grep", { pattern: "inside", path: root })).output, "in.txt:1:inside")
          assert.strictEqual((yield* Effect.result(call("read", { path: `${outside}/secret.txt` })))._tag, "Failure")
        }).pipe(Effect.provide(sandboxed(given)))
      }
    }).pipe(Effect.scoped, Effect.provide(platform)))

  it.live("keeps a shell that somebody leaves on from starting outside", () =>
    Effect.gen(function*() {
      const { outside, root } = yield* place
      const layer = BuiltinSource.layer({ ...Builtins.sandboxed(root), tools: {} }).pipe(Layer.provide(platform))
      yield* Effect.gen(function*() {
        for (const workdir of ["..", outside, "out", "sub/relative", "/", "dangling"]) {
          assert.strictEqual((yield* Effect.result(call("bash", { command: "pwd", workdir })))._tag, "Failure", workdir)
        }
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped, Effect.provide(platform)))

  it.live("is no file system to change with readOnly", () =>
    Effect.gen(function*() {
      const { root } = yield* place
      const layer = BuiltinSource.layer({ ...Builtins.sandboxed(root), readOnly: true }).pipe(Layer.provide(platform))
      const { tools } = yield* Effect.provide(entry, layer)
      assert.deepStrictEqual(tools.map(({ name }) => name), [
        "read",
        "grep",
        "glob",
        "webfetch",
        "question",
        "todowrite"
      ])
    }).pipe(Effect.scoped, Effect.provide(platform)))
})

describe("a folder that becomes a link between the check and the use", () => {
  /** Does something to the tree once a path has been found to be inside. */
  const afterCheck = (root: string, act: Effect.Effect<void>) =>
    Effect.gen(function*() {
      const workspace = yield* Workspace.make({ root })
      let checks = 0
      return Workspace.of({
        ...workspace,
        resolve: (path) =>
          Effect.tap(workspace.resolve(path), () => path === "sub" && ++checks === 1 ? act : Effect.void)
      })
    })

  it.live("is searched in vain", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      for (const [name, args] of [["grep", { pattern: CANARY }], ["glob", { pattern: "**" }]] as const) {
        const { outside, root } = yield* place
        const swap = Effect.andThen(fs.rename(`${root}/sub`, `${root}/was`), fs.symlink(outside, `${root}/sub`))
        const workspace = yield* afterCheck(root, Effect.orDie(swap))
        const layer = Layer.provide(
          BuiltinSource.layer(true),
          Layer.merge(platform, Layer.succeed(Workspace, workspace))
        )
        const answer = yield* Effect.result(Effect.provide(call(name, { ...args, path: "sub" }), layer))
        assert.strictEqual(answer._tag, "Failure")
        assert.match(JSON.stringify(answer), /was replaced while it was searched/)
        assert.notInclude(JSON.stringify(answer), "secret.txt")
      }
    }).pipe(Effect.scoped, Effect.provide(platform)))
})

describe("names and patterns with control characters", () => {
  it.live("give one line for each file or match", () =>
    Effect.gen(function*() {
      const root = yield* tree({
        "plain.txt": "hit",
        "new\nline:1:forged.txt": "hit",
        "esc\u001b[2Jape.txt": "hit",
        "tab\tcr\r.txt": "hit",
        "-rf.txt": "hit",
        "--pre=sh.txt": "hit",
        "$(touch x).txt": "hit",
        " .txt": "hit",
        "x": "hit",
        "x: WARNING: stopped searching binary file after match (found \"\\0\" byte around offset 1)\nplain2.txt": "hit"
      })
      yield* Effect.gen(function*() {
        const grep = (yield* call("grep", { pattern: "hit" })).output.split("\n")
        const glob = (yield* call("glob", { pattern: "*.txt" })).output.split("\n")
        assert.strictEqual(glob.length, 9)
        for (const line of [...grep, ...glob]) {
          // oxlint-disable-next-line no-control-regex -- that there are none is what is tested
          assert.notMatch(line, /[\u0000-\u001f]/)
        }
        assert.strictEqual(grep.length, 10)
        assert.include(grep, "new\\nline:1:forged.txt:1:hit")
        assert.include(grep, "x:1:hit")
        const forged =
          "x: WARNING: stopped searching binary file after match (found \"\\0\" byte around offset 1)\\nplain2.txt"
        assert.include(grep, `${forged}:1:hit`)
        assert.include(glob, "esc\\u001b[2Jape.txt")
        for (
          const pattern of [
            "\u001b[2J",
            "a\nb",
            "--files",
            "-e",
            "\\",
            "\u{10ffff}",
            "\ud800",
            "*".repeat(500),
            "[",
            "{{{{",
            "a{1,}".repeat(100)
          ]
        ) {
          for (
            const [name, args] of [["grep", { pattern }], ["glob", { pattern }], ["grep", {
              pattern: "hit",
              include: pattern
            }]] as const
          ) {
            const answer = yield* Effect.result(call(name, args))
            if (answer._tag === "Failure") assert.strictEqual(answer.failure._tag, "InvalidArguments")
          }
        }
      }).pipe(Effect.provide(sandboxed(root)))
    }).pipe(Effect.scoped, Effect.provide(platform)), 60_000)

  it.live("cost no more time than their length", () =>
    Effect.gen(function*() {
      const deep = Array.from({ length: 12 }, () => "a".repeat(200)).join("/")
      const root = yield* tree({ [`${deep}/${"a".repeat(250)}`]: `${"a".repeat(100_000)}\n` })
      yield* Effect.gen(function*() {
        for (
          const pattern of [
            "**/*a*a*a*a*a*a*a*a*a*a*a*a*b",
            `${"**/".repeat(60)}*b`,
            `${"{a,b}".repeat(6)}*`,
            `[a]${"{*a,*b}".repeat(6)}b`,
            `${"*a".repeat(400)}b`
          ]
        ) {
          assert.strictEqual((yield* call("glob", { pattern })).output.includes("aaab"), false)
        }
        // each path would be held against thousands
        const many = yield* Effect.flip(call("glob", { pattern: `[a]${"{a,b}".repeat(12)}*` }))
        assert.match(many.message, /has braces for more than 100 patterns/)
        for (const pattern of ["(a+)+$b", "(a|aa)+b", "(a*)*b", "^(a?){50}a{50}b"]) {
          assert.strictEqual((yield* call("grep", { pattern })).output, "(no matches)")
        }
      }).pipe(Effect.provide(sandboxed(root)))
    }).pipe(Effect.scoped, Effect.provide(platform)), 60_000)
})

/** A ripgrep that finds one file, leaves a process in the background, and doesn't end. */
const stuck = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const root = yield* folder
  const started = `${root}/started`
  yield* fs.writeFileString(`${root}/rg`, `#!/bin/sh\nprintf './a\\0'\nsleep 600 &\necho $! $$ > '${started}'\nwait\n`)
  yield* fs.chmod(`${root}/rg`, 0o755)
  const source = Layer.provide(sandboxed(root), Layer.succeed(Ripgrep, Effect.succeed([`${root}/rg`])))
  /** Both processes, once they run; on the real clock. */
  const processes = Effect.promise(async () => {
    for (;;) {
      const text = await readFile(started, "utf8").catch(() => "")
      if (text.endsWith("\n")) return text.trim().split(" ")
      await setTimeout(10)
    }
  })
  return { source, processes }
})

const isGone = (pid: string): boolean => {
  const { status, stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" })
  // nobody may be there to reap what has ended
  return status !== 0 || stdout.startsWith("Z")
}

describe("a search that doesn't end", () => {
  it.live("leaves no process when it is interrupted", () =>
    Effect.gen(function*() {
      const { processes, source } = yield* stuck
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(call("glob", { pattern: "**" }))
        const pids = yield* processes
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(pids.map(isGone), [true, true])
      }).pipe(Effect.provide(source))
    }).pipe(Effect.scoped, Effect.provide(platform)))

  it.effect("is stopped after a minute, and gives what there is", () =>
    Effect.gen(function*() {
      const { processes, source } = yield* stuck
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(call("glob", { pattern: "**" }))
        const pids = yield* processes
        yield* TestClock.adjust("59 seconds")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 second")
        const { output } = yield* Fiber.join(fiber)
        assert.match(output, /^a\n\[stopped after 60 seconds: .*\]$/)
        assert.deepStrictEqual(pids.map(isGone), [true, true])
      }).pipe(Effect.provide(source))
    }).pipe(Effect.scoped, Effect.provide(platform)))

  it.live("isn't begun where somebody would have to write first", () =>
    Effect.gen(function*() {
      const root = yield* tree({ a: "x" })
      execFileSync("mkfifo", [`${root}/fifo`])
      yield* Effect.gen(function*() {
        const error = yield* failure("grep", { pattern: "a", path: "fifo" })
        assert.match(error.message, /neither a folder nor a file/)
        assert.strictEqual((yield* call("grep", { pattern: "x" })).output, "a:1:x")
      }).pipe(Effect.provide(sandboxed(root)))
    }).pipe(Effect.scoped, Effect.provide(platform)))
})
