import { type BuiltinOptions, Workspace } from "@effect-toolnexus/builtins"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
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

describe("Workspace.share", () => {
  it.live("lets reading through to one file outside until its scope closes, and writing never", () =>
    Effect.gen(function*() {
      const { base, root } = yield* world
      const workspace = yield* Workspace.narrow(yield* Workspace.make({ root }), { root: "sub" })
      const file = `${base}/root-secret/key`
      yield* Effect.scoped(Effect.gen(function*() {
        yield* workspace.share(file)
        yield* Effect.scoped(workspace.share(file))
        assert.strictEqual(yield* workspace.resolve(file), file)
        assert.match((yield* Effect.flip(workspace.resolveForWriting(file))).message, /outside the root/)
        assert.match((yield* Effect.flip(workspace.resolve(`${base}/root-secret`))).message, /outside the root/)
      }))
      assert.match((yield* Effect.flip(workspace.resolve(file))).message, /outside the root/)
    }).pipe(Effect.provide(platform)))
})

describe("Workspace.narrow", () => {
  it.live("allows less and never more", () =>
    Effect.gen(function*() {
      const { base, root } = yield* world
      const outer = yield* Workspace.make({ root, readOnly: true })
      const inner = yield* Workspace.narrow(outer, { root: "sub", readOnly: false })
      assert.strictEqual(inner.root, `${root}/sub`)
      assert.strictEqual(yield* inner.resolve("new"), `${root}/sub/new`)
      assert.match((yield* Effect.flip(inner.resolve("link"))).message, /outside the root .*sub$/)
      assert.match((yield* Effect.flip(inner.resolveForWriting("new"))).message, /nothing may be changed/)
      assert.isTrue(inner.isReadOnly)
      const escape = yield* Effect.flip(Workspace.narrow(outer, { root: `${base}/root-secret` }))
      assert.match(escape.message, /outside the root/)
    }).pipe(Effect.provide(platform)))
})

describe("Workspace.withLocks", () => {
  it.effect("lets one at a time at a path, in whatever order paths are named, and different paths together", () =>
    Effect.gen(function*() {
      const { withLocks } = yield* Workspace.make()
      const inside = new Map<string, number>()
      let most = 0
      const use = (...paths: ReadonlyArray<string>) =>
        withLocks(
          paths,
          Effect.gen(function*() {
            for (const path of paths) inside.set(path, (inside.get(path) ?? 0) + 1)
            most = Math.max(most, ...inside.values())
            yield* Effect.yieldNow
            for (const path of paths) inside.set(path, (inside.get(path) ?? 0) - 1)
          })
        )
      const all = Array.from({ length: 50 }, (_, index) => index % 2 === 0 ? use("a", "b") : use("b", "a"))
      yield* Effect.all(all, { concurrency: "unbounded" })
      assert.strictEqual(most, 1)
      yield* withLocks(["a", "a"], withLocks(["c"], Effect.void))
      const fiber = yield* Effect.forkChild(withLocks(["a"], Effect.never))
      const waiting = yield* Effect.forkChild(withLocks(["a"], Effect.void))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      yield* Fiber.join(waiting)
    }).pipe(Effect.provide(platform)))
})

describe("a host's own workspace", () => {
  it.live("is what the builtins work in, narrowed by the options", () =>
    Effect.gen(function*() {
      const { root } = yield* world
      const fs = yield* FileSystem.FileSystem
      // stands for the file system of a container: everything is below one folder, which the tools don't see
      const inContainer = (path: string) => `${root}${path}`
      const files = {
        ...fs,
        realPath: (path: string) =>
          Effect.map(fs.realPath(inContainer(path)), (real) => real.slice(root.length) || "/"),
        stat: (path: string) => fs.stat(inContainer(path)),
        open: (path: string, options?: Parameters<FileSystem.FileSystem["open"]>[1]) =>
          fs.open(inContainer(path), options),
        readDirectoryEntries: (path: string) => fs.readDirectoryEntries(inContainer(path))
      }
      const hosts = Layer.provide(
        Workspace.layer({ root: "/" }),
        Layer.provideMerge(Layer.succeed(FileSystem.FileSystem, files), platform)
      )
      const within = <A, E, R>(options: BuiltinOptions, effect: Effect.Effect<A, E, R>) =>
        effect.pipe(Effect.provide(builtins(options)), Effect.provide(hosts))
      assert.strictEqual((yield* within(true, call("read", { path: "/in" }))).output, "inside")
      assert.strictEqual((yield* within(true, call("read", { path: "sub" }))).output, "link")
      assert.match(
        (yield* within({ root: "/sub" }, failure("read", { path: "/in" }))).message,
        /outside the root \/sub/
      )
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
