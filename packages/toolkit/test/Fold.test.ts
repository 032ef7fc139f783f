import { defineTool, SourceEntry, type Tool } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { inspect } from "node:util"
import { fold, type FoldOptions, type SourceState } from "../src/internal/fold.ts"
import { makeEntryPipe } from "../src/internal/pipedEntry.ts"
import * as Precedence from "../src/Precedence.ts"

const tool = (kind: Tool.ToolKind, entry: string, name: string): Tool.Tool => ({
  ...defineTool({ name, source: kind, handler: () => name }),
  origin: { kind, entry, name }
})
const mcp = (server: string, ...names: ReadonlyArray<string>): SourceState => ({
  kind: "mcp",
  entries: [SourceEntry.loaded(server, { tools: names.map((name) => tool("mcp", server, name)) })]
})
const builtins = (...names: ReadonlyArray<string>): SourceState => ({
  kind: "builtin",
  entries: [SourceEntry.loaded("builtin", { tools: names.map((name) => tool("builtin", "builtin", name)) })]
})
const own = (...names: ReadonlyArray<string>): SourceState => ({
  kind: "extra",
  entries: [SourceEntry.loaded("<tools>", { tools: names.map((name) => tool("native", "", name)), unlisted: true })]
})
const failure = (entry: string) =>
  new SourceEntry.EntryError({ kind: "mcp", entry, phase: "spawn", detail: "no such command" })
const plain: FoldOptions = { disableTools: [], replaceableBuiltins: false, pipe: makeEntryPipe(Result.succeed) }

describe("fold", () => {
  it("keeps the sources' order, and lists names by code points", () => {
    const snapshot = fold([mcp("s", "z", "a"), builtins("read"), own("B")], plain)
    assert.deepStrictEqual(snapshot.tools.map(({ name }) => name), ["z", "a", "read", "B"])
    assert.deepStrictEqual(snapshot.toolNames, ["B", "a", "read", "z"])
  })

  it("exposes the first of a name and lists the others as shadowed", () => {
    const snapshot = fold([mcp("s", "x"), builtins("x"), own("x", "x")], plain)
    assert.deepStrictEqual(snapshot.tools.map(({ source }) => source), ["mcp"])
    assert.deepStrictEqual(snapshot.shadowed.map(({ loser, name, winner }) => [name, winner.kind, loser.kind]), [
      ["x", "mcp", "builtin"],
      ["x", "mcp", "native"],
      ["x", "mcp", "native"]
    ])
  })

  it("lets an own tool replace a builtin before the fold, only where that is asked for", () => {
    const sources = [builtins("bash", "read"), own("bash")]
    const replaced = fold(sources, { ...plain, replaceableBuiltins: true })
    assert.deepStrictEqual(replaced.tools.map(({ name, source }) => [name, source]), [["read", "builtin"], [
      "bash",
      "native"
    ]])
    assert.deepStrictEqual(replaced.shadowed.map(({ loser, winner }) => [winner.kind, loser.kind]), [[
      "native",
      "builtin"
    ]])
    assert.deepStrictEqual(fold(sources, plain).byName.get("bash")?.source, "builtin")
  })

  it("lets no operation of a document replace a builtin, and an endpoint of one's own do so", () => {
    const named = (entry: string): SourceState => ({
      kind: "extra",
      entries: [SourceEntry.loaded("e", { tools: [tool("http", entry, "bash")] })]
    })
    const replaceable = { ...plain, replaceableBuiltins: true }
    const document = fold([builtins("bash"), named("https://api.example/openapi.json")], replaceable)
    assert.strictEqual(document.byName.get("bash")?.source, "builtin")
    assert.deepStrictEqual(document.shadowed.map(({ loser, winner }) => [winner.kind, loser.kind]), [[
      "builtin",
      "http"
    ]])
    assert.strictEqual(fold([builtins("bash"), named("")], replaceable).byName.get("bash")?.source, "http")
  })

  it("takes disabled names out after the merge, and nothing comes up in their place", () => {
    const snapshot = fold([mcp("s", "x"), own("x", "y")], { ...plain, disableTools: ["x", "nope", "x"] })
    assert.deepStrictEqual(snapshot.toolNames, ["y"])
    assert.deepStrictEqual(snapshot.diagnostics.map(({ code, message }) => [code, message.includes(`"nope"`)]), [[
      "unknown-tool",
      true
    ]])
  })

  it("leaves a tool without a name out, with a diagnostic", () => {
    const snapshot = fold([own("")], plain)
    assert.deepStrictEqual([snapshot.tools.length, snapshot.diagnostics[0]?.code], [0, "empty-tool-name"])
  })

  it("shows every listed entry's status, and why it failed", () => {
    const failed = { kind: "mcp" as const, entries: [SourceEntry.failed(failure("old"))] }
    const snapshot = fold([mcp("good", "x"), failed, builtins(), own("f")], plain)
    assert.deepStrictEqual({ ...snapshot.statuses }, { good: "connected", old: "failed", builtin: "connected" })
    assert.deepStrictEqual({ ...snapshot.errors }, { old: `mcp server "old" failed at spawn: no such command` })
    assert.deepStrictEqual(snapshot.sources, {
      mcp: "connected",
      skill: "disabled",
      builtin: "connected",
      agent: "disabled",
      extra: "connected"
    })
  })

  it("says the best that can be said of a kind, and no error of what is only being repaired", () => {
    const states = {
      connected: SourceEntry.loaded("x"),
      reconnecting: SourceEntry.reconnecting("x", failure("x")),
      connecting: SourceEntry.connecting("x"),
      needs_auth: SourceEntry.needsAuth(failure("x")),
      failed: SourceEntry.failed(failure("x")),
      disabled: SourceEntry.disabled("x")
    }
    const ranked = Object.entries(states)
    for (const [index, [status, entry]] of ranked.entries()) {
      const snapshot = fold([{ kind: "mcp", entries: [entry] }], plain)
      assert.deepStrictEqual({ ...snapshot.statuses }, { x: status })
      assert.strictEqual("x" in snapshot.errors, status === "failed" || status === "needs_auth")
      for (const [, worse] of ranked.slice(index)) {
        assert.strictEqual(
          fold([{ kind: "mcp", entries: [{ ...worse, name: "y" }, entry] }], plain).sources.mcp,
          status
        )
      }
    }
  })

  it("leaves out what is no tool, or what a middleware throws at, and keeps the rest", () => {
    const good = tool("mcp", "s", "good")
    // @ts-expect-error: untyped sources
    const entries = [SourceEntry.loaded("s", { tools: [null, { name: "half" }, tool("mcp", "s", "bad"), good] })]
    const pipe = makeEntryPipe((given) => given.name === "bad" ? Result.fail("boo") : Result.succeed(given))
    const snapshot = fold([{ kind: "mcp", entries }], { ...plain, pipe })
    assert.deepStrictEqual(snapshot.toolNames, ["good"])
    assert.deepStrictEqual(
      snapshot.diagnostics.map(({ code, entry, message }) => [code, entry, message]),
      [
        ["broken-tool", "s", "A tool was left out: it is no object; make tools by defineTool"],
        ["broken-tool", "s", `A tool "half" was left out: it has no handler; make tools by defineTool`],
        ["broken-tool", "s", `A tool "bad" was left out: a middleware threw when it was given it`]
      ]
    )
  })

  it("does again only what an entry that changed needs", () => {
    const asked: Array<string> = []
    const pipe = makeEntryPipe((given) => {
      asked.push(given.name)
      return Result.succeed({ ...given })
    })
    const [one, two] = [mcp("one", "a"), mcp("two", "b")]
    const before = fold([one, two], { ...plain, pipe })
    const after = fold([one, mcp("two", "c")], { ...plain, pipe })
    assert.deepStrictEqual(asked, ["a", "b", "c"])
    assert.strictEqual(after.byName.get("a"), before.byName.get("a"))
    assert.strictEqual(after.entries[0]?.entry, before.entries[0]?.entry)
  })

  it("lists a source that was given twice twice, each with an id of its own", () => {
    const source = mcp("s", "a")
    assert.deepStrictEqual(fold([source, source], plain).entries.map(({ id }) => id), ["s", "mcp:s"])
  })

  it("exposes one of five with the same name, by the order of each preset", () => {
    const kinds = { mcp: "mcp", skill: "skill", builtin: "builtin", agent: "a2a", extra: "native" } as const
    const winner = (precedence: Precedence.Precedence, without: ReadonlyArray<string> = []) => {
      const sources = precedence.order.filter((kind) => !without.includes(kind)).map((kind): SourceState => ({
        kind,
        entries: [SourceEntry.loaded(kind, { tools: [tool(kinds[kind], kind, "x")] })]
      }))
      return fold(sources, { ...plain, replaceableBuiltins: precedence.replaceableBuiltins }).byName.get("x")?.source
    }
    const falling = (precedence: Precedence.Precedence) =>
      precedence.order.map((_, index) => winner(precedence, precedence.order.slice(0, index)))
    // an own tool takes the builtin's place before the fold, so the agent is next
    assert.deepStrictEqual(falling(Precedence.standard), ["mcp", "skill", "a2a", "a2a", "native"])
    assert.deepStrictEqual(falling(Precedence.layered), ["mcp", "native", "a2a", "skill", "builtin"])
    assert.deepStrictEqual(falling(Precedence.make(["extra"])), ["native", "mcp", "skill", "builtin", "a2a"])
  })

  it("prefixes an entry whose name an earlier kind has, whatever the precedence", () => {
    const agent = { kind: "agent" as const, entries: [SourceEntry.disabled("s")] }
    const snapshot = fold([agent, mcp("builtin"), mcp("s"), builtins()], plain)
    assert.deepStrictEqual(Object.keys(snapshot.statuses), ["agent:s", "mcp:builtin", "s", "builtin"])
  })

  it("treats __proto__ as a name like any, in records that print like any", () => {
    const broken: SourceState = { kind: "mcp", entries: [SourceEntry.failed(failure("__proto__"))] }
    const { errors, statuses } = fold([broken], plain)
    assert.strictEqual(inspect(statuses), "{ ['__proto__']: 'failed' }")
    assert.match(
      inspect(errors),
      /^\{\s+\['__proto__'\]: 'mcp server "__proto__" failed at spawn: no such command'\s+\}$/
    )
    const snapshot = fold([mcp("__proto__", "__proto__")], plain)
    assert.deepStrictEqual(Object.keys(snapshot.statuses), ["__proto__"])
    assert.isUndefined(snapshot.byName.get("constructor"))
  })

  it("offers skills and their prompt only while a tool can load them", () => {
    const skills: SourceState = {
      kind: "skill",
      entries: [SourceEntry.loaded("<catalog>", {
        tools: [tool("skill", "<catalog>", "skill")],
        unlisted: true,
        prompt: "## Available Skills",
        skills: [{ name: "pdf", location: "/skills/pdf/SKILL.md" }]
      })]
    }
    assert.strictEqual(fold([skills], plain).skillsPrompt, "## Available Skills")
    assert.strictEqual(fold([skills], plain).skills.length, 1)
    const without = fold([skills], { ...plain, disableTools: ["skill"] })
    assert.deepStrictEqual([without.skillsPrompt, without.skills.length], ["", 0])
  })
})
