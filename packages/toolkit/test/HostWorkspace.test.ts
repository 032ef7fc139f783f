import { Workspace } from "@effect-toolnexus/builtins"
import { Toolkit } from "@effect-toolnexus/core"
import { ToolkitLive } from "@effect-toolnexus/toolkit"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"

const platform = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)
)

const folder = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
})

it.live("a host's workspace is where the builtins of a toolkit work, and the configuration narrows it", () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const root = yield* folder
    yield* fs.makeDirectory(`${root}/sub`)
    yield* fs.writeFileString(`${root}/f`, "outer")
    yield* fs.writeFileString(`${root}/sub/f`, "inner")
    const inHost = (config: string) =>
      Toolkit.use(Effect.fnUntraced(function*(toolkit) {
        const { output } = yield* toolkit.execute("read", { path: "f" })
        const outside = yield* toolkit.execute("read", { path: "/etc/passwd" })
        assert.match(outside.output, /outside the root/)
        return { output, names: yield* toolkit.toolNames }
      })).pipe(Effect.provide(Layer.provide(ToolkitLive({ config }), Workspace.layer({ root }))))
    assert.strictEqual((yield* inHost("{}")).output, "outer")
    const narrowed = yield* inHost(JSON.stringify({ builtins: { root: `${root}/sub`, readOnly: true } }))
    assert.strictEqual(narrowed.output, "inner")
    assert.notInclude(narrowed.names, "write")
  }).pipe(Effect.provide(platform)))

it.live("what a file says of the builtins reaches their tools", () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const root = yield* folder
    yield* fs.writeFileString(`${root}/f`, "a".repeat(2000))
    const builtins = { root: ".", limits: { output: 100, file: 1000 }, bash: { env: ["NODE_ENV"] }, staleGuard: true }
    yield* fs.writeFileString(`${root}/config.json`, JSON.stringify({ builtins }))
    yield* Toolkit.use(Effect.fnUntraced(function*(toolkit) {
      const edit = yield* toolkit.execute("edit", { path: "f", oldString: "a", newString: "b", replaceAll: true })
      assert.match(edit.output, /f has 2000 bytes; at most 1000/)
      assert.match((yield* toolkit.execute("bash", { command: "seq 1 100" })).output, /bytes left out/)
      yield* toolkit.call("write", { path: "g", content: "a" })
      yield* fs.writeFileString(`${root}/g`, "b")
      const stale = yield* toolkit.execute("edit", { path: "g", oldString: "b", newString: "c" })
      assert.match(stale.output, /has changed/)
    })).pipe(Effect.provide(ToolkitLive({ config: `${root}/config.json` })))
  }).pipe(Effect.provide(platform)))
