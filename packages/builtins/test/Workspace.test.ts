import { Workspace } from "@effect-toolnexus/builtins"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { builtins, call, failure, folder, platform } from "./harness.ts"

/** A root beside something that must stay out of reach; `alias` is a link to the root. */
const world = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const base = yield* folder
  for (const name of ["root/sub", "root-secret"]) yield* fs.makeDirectory(`${base}/${name}`, { recursive: true })
  yield* fs.writeFileString(`${base}/root-secret/key`, "secret")
  yield* fs.writeFileString(`${base}/root/in`, "inside")
  yield* fs.symlink(`${base}/root-secret`, `${base}/root/out`)
  yield* fs.symlink("../root-secret/key", `${base}/root/key`)
  yield* fs.symlink("../root-secret/new", `${base}/root/dangling`)
  yield* fs.symlink("../in", `${base}/root/sub/link`)
  yield* fs.symlink("loop", `${base}/root/loop`)
  yield* fs.symlink(`${base}/root`, `${base}/alias`)
  return { base, root: `${base}/root` }
})

const escapes = (base: string) => [
  "..",
  "../root-secret/key",
  "sub/../../root-secret/key",
  `${base}/root-secret/key`,
  `${base}/root/../root-secret/key`,
  "/etc/passwd",
  "out",
  "out/key",
  "out/new/file",
  "key",
  "dangling",
  "dangling/below",
  "sub/../out/key"
]

describe("Workspace", () => {
  it.live("resolves what is inside, also what doesn't exist yet", () =>
    Effect.gen(function*() {
      const { base, root } = yield* world
      const workspace = yield* Workspace.make({ root: `${base}/alias` })
      assert.strictEqual(workspace.root, root)
      const inside = [["in", "in"], ["./sub/../in", "in"], ["sub/link", "in"], ["new/a/b", "new/a/b"]] as const
      for (const [wanted, real] of inside) {
        assert.strictEqual(yield* workspace.resolve(wanted), `${root}/${real}`)
        assert.strictEqual(yield* workspace.resolve(`${base}/alias/${wanted}`), `${root}/${real}`)
      }
      assert.strictEqual(yield* workspace.resolve("."), root)
    }).pipe(Effect.provide(platform)))

  it.live("refuses every way out", () =>
    Effect.gen(function*() {
      const { base, root } = yield* world
      const workspace = yield* Workspace.make({ root })
      for (const path of escapes(base)) {
        const error = yield* Effect.flip(workspace.resolve(path))
        assert.strictEqual(error.message, `${path}: outside the root ${root}`)
      }
      assert.match((yield* Effect.flip(workspace.resolve("loop"))).message, /too many symbolic links/)
    }).pipe(Effect.provide(platform)))

  it.live("resolves everything inside the root of the file system", () =>
    Effect.gen(function*() {
      const workspace = yield* Workspace.make({ root: "/" })
      assert.strictEqual(yield* workspace.resolve("etc/../nowhere"), "/nowhere")
    }).pipe(Effect.provide(platform)))

  it.live("without a root starts at the working directory and confines nothing", () =>
    Effect.gen(function*() {
      const workspace = yield* Workspace.make()
      assert.strictEqual(yield* workspace.resolve("a"), `${process.cwd()}/a`)
      assert.strictEqual(yield* workspace.resolve("/etc/passwd"), "/etc/passwd")
    }).pipe(Effect.provide(platform)))
})

describe("the root of the builtins", () => {
  it.live("confines read and the workdir of bash", () =>
    Effect.gen(function*() {
      const { base, root } = yield* world
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* call("read", { path: "in" })).output, "inside")
        assert.strictEqual((yield* call("bash", { command: "pwd; cat in" })).output, `${root}\ninside`)
        for (const path of escapes(base)) {
          const read = yield* failure("read", { path })
          assert.match(read.message, /outside the root/)
          assert.notMatch(JSON.stringify(read), /"secret"/)
          assert.match(
            (yield* failure("bash", { command: "pwd", workdir: path })).message,
            /^workdir .*outside the root/
          )
        }
      }).pipe(Effect.provide(builtins({ root })))
    }).pipe(Effect.provide(platform)))
})
