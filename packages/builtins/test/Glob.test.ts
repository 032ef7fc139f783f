import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lines, tree } from "./files.ts"
import { builtins, call, failure, tool } from "./harness.ts"

const glob = (args: object) => Effect.map(call("glob", { ...args }), ({ output }) => output)

layer(builtins(true), { excludeTestServices: true })("glob", (it) => {
  it.effect("describes itself truthfully", () =>
    Effect.gen(function*() {
      const { annotations, inputSchema } = yield* tool("glob")
      assert.strictEqual(inputSchema["additionalProperties"], false)
      assert.deepStrictEqual([annotations?.readOnlyHint, annotations?.openWorldHint], [true, false])
      for (const args of [{}, { pattern: "*", limit: 0 }, { pattern: "" }]) {
        assert.strictEqual((yield* Effect.flip(call("glob", args)))._tag, "InvalidArguments")
      }
    }))

  it.effect("gives paths, one a line, sorted by code points", () =>
    Effect.gen(function*() {
      const path = yield* tree({
        "b.ts": "",
        "B.ts": "",
        "a/x.ts": "",
        "a+.ts": "",
        "é.ts": "",
        "😀.ts": "",
        "ﬀ.ts": ""
      })
      assert.strictEqual(
        yield* glob({ pattern: "*.ts", path }),
        lines("B.ts", "a+.ts", "a/x.ts", "b.ts", "é.ts", "ﬀ.ts", "😀.ts")
      )
    }))

  it.effect("matches names at any depth, and paths from the folder on", () =>
    Effect.gen(function*() {
      const path = yield* tree({
        "a.ts": "",
        "src/b.ts": "",
        "src/deep/c.ts": "",
        "src/deep/c.tsx": "",
        "test/src/d.ts": "",
        "x[1].ts": ""
      })
      for (
        const [pattern, expected] of [
          ["*.ts", ["a.ts", "src/b.ts", "src/deep/c.ts", "test/src/d.ts", "x[1].ts"]],
          ["**/*.ts", ["a.ts", "src/b.ts", "src/deep/c.ts", "test/src/d.ts", "x[1].ts"]],
          ["src/*.ts", ["src/b.ts"]],
          ["./src/*.ts", ["src/b.ts"]],
          ["src/**/*.ts", ["src/b.ts", "src/deep/c.ts"]],
          ["**/src/*.ts", ["src/b.ts", "test/src/d.ts"]],
          ["src/**", ["src/b.ts", "src/deep/c.ts", "src/deep/c.tsx"]],
          ["{src,test}/**/*.{tsx,js}", ["src/deep/c.tsx"]],
          ["{src/deep,test/src}/*", ["src/deep/c.ts", "src/deep/c.tsx", "test/src/d.ts"]],
          ["{a,src/b}.ts", ["a.ts", "src/b.ts"]],
          ["?.ts", ["a.ts", "src/b.ts", "src/deep/c.ts", "test/src/d.ts"]],
          ["[!ab].ts", ["src/deep/c.ts", "test/src/d.ts"]],
          ["x\\[1\\].ts", ["x[1].ts"]],
          ["c.ts", ["src/deep/c.ts"]],
          // ten times nine patterns, and braces that are never closed
          ["{a,b,c,d,e,f,g,h,i,j}.{t,u,v,w,x,y,z,ts,tt}", ["a.ts", "src/b.ts", "src/deep/c.ts", "test/src/d.ts"]],
          ["{".repeat(300), ["(no files)"]],
          ["/", undefined],
          ["*.nothing", ["(no files)"]],
          ["src", ["(no files)"]]
        ] as const
      ) {
        const output = yield* Effect.option(glob({ pattern, path }))
        assert.strictEqual(output._tag === "Some" ? output.value : undefined, expected?.join("\n"), pattern)
      }
    }))

  it.effect("cuts, and says so with the total", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 250 }, (_, index) => `d${index % 5}/f${index}`)
      const path = yield* tree(Object.fromEntries(names.map((name) => [name, ""])))
      for (const limit of [1, 100, 249, 250, 10_000]) {
        const note = limit < 250 ? [`[cut: the first ${limit} of 250 files are shown]`] : []
        assert.strictEqual(
          yield* glob({ pattern: "*", path, limit }),
          lines(...names.toSorted().slice(0, limit), ...note)
        )
      }
    }))

  it.effect("says what is wrong with a path or a pattern", () =>
    Effect.gen(function*() {
      const path = yield* tree({ a: "", ".git/config": "" })
      assert.match((yield* failure("glob", { pattern: "*", path: `${path}/a` })).message, /is a file/)
      assert.match((yield* failure("glob", { pattern: "*", path: `${path}/b` })).message, /doesn't exist/)
      assert.match((yield* failure("glob", { pattern: "*", path: `${path}/.git` })).message, /\.git is never searched/)
      for (const pattern of ["/etc/*", "../*", "a/../../*", "\0", "a".repeat(2000), `[f]${"{a,b}".repeat(12)}`]) {
        assert.strictEqual((yield* Effect.flip(call("glob", { pattern, path })))._tag, "InvalidArguments")
      }
    }))
})
