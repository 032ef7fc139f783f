import { BuiltinSource } from "@effect-toolnexus/builtins"
import { SourceEntry } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { builtins, entry } from "./harness.ts"

const loaded = (options: BuiltinSource.BuiltinOptions) => Effect.provide(entry, builtins(options))

describe("BuiltinSource.layer", () => {
  it.live("has one entry with the tools in the contract's order", () =>
    Effect.gen(function*() {
      for (const options of [true, {}, { enabled: true }, { disabled: false }, { tools: { bash: true } }]) {
        const { _tag, name, tools } = yield* loaded(options)
        assert.strictEqual(_tag, "Loaded")
        assert.strictEqual(name, "builtin")
        assert.deepStrictEqual(tools.map((tool) => tool.name), [
          "bash",
          "read",
          "write",
          "edit",
          "apply_patch",
          "grep",
          "glob",
          "webfetch",
          "question",
          "todowrite"
        ])
      }
    }))

  it.live("is switched off as a whole", () =>
    Effect.gen(function*() {
      for (const options of [false, { disabled: true }, { enabled: false, root: "/does/not/exist" }]) {
        const found = yield* loaded(options)
        assert.strictEqual(SourceEntry.status(found), "disabled")
        assert.deepStrictEqual(found.tools, [])
        assert.deepStrictEqual(found.diagnostics, [])
      }
    }))

  it.live("drops single tools, and says which names mean nothing", () =>
    Effect.gen(function*() {
      const { diagnostics, tools } = yield* loaded({
        tools: {
          bash: false,
          write: false,
          edit: false,
          apply_patch: false,
          question: false,
          todowrite: true,
          redd: false
        }
      })
      assert.deepStrictEqual(tools.map((tool) => tool.name), ["grep", "glob", "webfetch", "todowrite"])
      assert.deepStrictEqual(diagnostics, [{
        level: "warning",
        code: "unknown-tool",
        entry: "builtin",
        path: "builtins.tools.redd",
        message: `"builtins.tools.redd" is unknown; did you mean "read"? "read" is off until it is corrected`
      }])
    }))

  it.live("drops what could change something when it is read-only", () =>
    Effect.gen(function*() {
      const { tools } = yield* loaded({ readOnly: true, tools: { bash: true } })
      assert.deepStrictEqual(tools.map((tool) => tool.name), [
        "read",
        "grep",
        "glob",
        "webfetch",
        "question",
        "todowrite"
      ])
    }))

  it.live("fails as an entry when the root isn't there", () =>
    Effect.gen(function*() {
      for (
        const [root, detail] of [["/does/not/exist", "doesn't exist"], ["/etc/passwd", "is not a folder"]] as const
      ) {
        const found = yield* loaded({ root })
        const error = found._tag === "Failed" ? found.error : undefined
        assert.strictEqual(error?.phase, "config")
        assert.strictEqual(error?.detail, `${root}: the root ${detail}`)
      }
    }))
})

describe("BuiltinSource.decodeOptions", () => {
  const { decodeOptions } = BuiltinSource
  const paths = (raw: unknown) => decodeOptions(raw).diagnostics.map(({ code, level, path }) => [level, code, path])

  it("keeps what is right", () => {
    const options = {
      root: "r",
      tools: { bash: false },
      bash: { env: ["CI"] },
      limits: { output: 1, file: 2, fetch: 3 },
      network: "public" as const,
      staleGuard: false
    }
    assert.deepStrictEqual(decodeOptions(options), { options, diagnostics: [] })
    assert.deepStrictEqual(decodeOptions(undefined), { options: true, diagnostics: [] })
    assert.deepStrictEqual(decodeOptions(false), { options: false, diagnostics: [] })
    assert.deepStrictEqual(decodeOptions({ disabled: true, nonsense: 1 }), { options: false, diagnostics: [] })
  })

  it("closes what a misspelled key was to close, and says so", () => {
    const closed = (raw: unknown) => {
      const { diagnostics, options } = decodeOptions(raw)
      return [options, ...diagnostics.map(({ level, message }) => `${level}: ${message}`)]
    }
    assert.deepStrictEqual(closed({ readonly: true }), [
      { readOnly: true },
      `warning: "builtins.readonly" is unknown; did you mean "readOnly"? It counts as true until it is corrected`
    ])
    assert.deepStrictEqual(closed({ roots: "." }), [
      false,
      `warning: "builtins.roots" is unknown; did you mean "root"? The builtins are off until it is corrected`
    ])
    assert.deepStrictEqual(closed({ networks: "open" }), [
      { network: "public" },
      `warning: "builtins.networks" is unknown; did you mean "network"? It counts as public until it is corrected`
    ])
    assert.deepStrictEqual(closed({ tools: { bsh: false, redd: true } }), [
      { tools: { bash: false } },
      `warning: "builtins.tools.bsh" is unknown; did you mean "bash"? "bash" is off until it is corrected`,
      `warning: "builtins.tools.redd" is unknown; did you mean "read"?`
    ])
    // what is there as it should be says what was meant
    assert.deepStrictEqual(closed({ root: "r", roots: 1, limit: {} }), [
      { root: "r" },
      `warning: "builtins.roots" is unknown; did you mean "root"?`,
      `warning: "builtins.limit" is unknown; did you mean "limits"?`
    ])
  })

  it("takes a staleGuard it can't understand for true", () => {
    assert.deepStrictEqual(decodeOptions({ staleGuard: 0 }).options, { staleGuard: true })
    assert.deepStrictEqual(paths({ staleGuard: 0 }), [["error", "invalid-value", "builtins.staleGuard"]])
  })

  it("names unknown and misplaced keys by their path", () => {
    assert.deepStrictEqual(paths({ rot: 1, bash: { env: [], root: "x" }, limits: { outputs: 1 }, env: [] }), [
      ["warning", "unknown-key", "builtins.rot"],
      ["warning", "unknown-key", "builtins.env"],
      ["warning", "unknown-key", "builtins.bash.root"],
      ["warning", "unknown-key", "builtins.limits.outputs"]
    ])
  })

  it("takes a network it can't understand for public", () => {
    for (const network of ["Open", true, null, {}]) {
      assert.deepStrictEqual(decodeOptions({ network }).options, { network: "public" })
      assert.deepStrictEqual(paths({ network }), [["error", "invalid-value", "builtins.network"]])
    }
    assert.deepStrictEqual(decodeOptions({ network: "open" }), { options: { network: "open" }, diagnostics: [] })
  })

  it("takes a readOnly it can't understand for true", () => {
    assert.deepStrictEqual(decodeOptions({ readOnly: "no" }).options, { readOnly: true })
    assert.deepStrictEqual(paths({ readOnly: "no" }), [["error", "invalid-value", "builtins.readOnly"]])
    assert.deepStrictEqual(decodeOptions({ readOnly: false }).options, {})
  })

  it("leaves out values of a wrong type", () => {
    assert.deepStrictEqual(paths({ bash: [], limits: 5 }), [
      ["error", "invalid-value", "builtins.bash"],
      ["error", "invalid-value", "builtins.limits"]
    ])
    const { diagnostics, options } = decodeOptions({
      bash: { env: "CI" },
      limits: { output: -1, file: "9" },
      tools: JSON.parse(`{"__proto__": false, "read": true}`)
    })
    assert.deepStrictEqual(options, { tools: { read: true }, limits: {} })
    assert.deepStrictEqual(diagnostics.map(({ path }) => path), [
      "builtins.tools.__proto__",
      "builtins.bash.env",
      "builtins.limits.output",
      "builtins.limits.file"
    ])
  })

  it("closes rather than opens where it can't tell what was meant", () => {
    for (const raw of ["false", 0, null, [], { root: 5 }, { tools: ["read"] }, { disabled: "yes" }]) {
      const { diagnostics, options } = decodeOptions(raw)
      assert.strictEqual(options, false)
      assert.deepStrictEqual(diagnostics.map(({ code, level }) => [level, code]), [["error", "invalid-value"]])
    }
    assert.deepStrictEqual(decodeOptions({ tools: { bash: "false" } }).options, { tools: { bash: false } })
  })
})
