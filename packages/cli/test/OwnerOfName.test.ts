import { defineTool, Source, SourceEntry, Toolkit } from "@effect-toolnexus/core"
import * as ToolkitLayer from "@effect-toolnexus/toolkit/ToolkitLayer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rivalsOf } from "../src/internal/ownerOfName.ts"

const tool = (name: string) => defineTool({ name, description: "", handler: () => "done" })

const loaded = (name: string, ...tools: ReadonlyArray<string>) =>
  SourceEntry.loaded(name, { tools: tools.map((each) => tool(each)) })

/** Who is waited for before a tool of that name is called. */
const waitedFor = (
  name: string,
  sources: ReadonlyArray<readonly [kind: SourceEntry.SourceKind, ...entries: ReadonlyArray<SourceEntry.SourceEntry>]>
) =>
  Effect.map(
    Effect.flatMap(Toolkit, ({ snapshot }) => snapshot),
    (snapshot) => rivalsOf(name, new Set(["document"]))(snapshot).map(({ id }) => id)
  ).pipe(
    Effect.provide(
      ToolkitLayer.make(sources.map(([kind, ...entries]) => Source.fromEntries(kind, entries)), {
        startup: "background"
      })
    )
  )

const way = SourceEntry.connecting

describe("who is waited for before a call", () => {
  it.effect("of the servers only one whose tools begin as the name does", () =>
    Effect.gen(function*() {
      const mcp = ["mcp", way("a"), loaded("a_b", "a_b_c"), way("my.own"), way("other")] as const
      const builtin = ["builtin", loaded("builtin", "read", "my_own_x")] as const
      assert.deepStrictEqual(yield* waitedFor("a_b_c", [mcp, builtin]), ["a"])
      assert.deepStrictEqual(yield* waitedFor("my_own_x", [mcp, builtin]), ["my.own"])
      assert.deepStrictEqual(yield* waitedFor("read", [mcp, builtin]), [])
    }))

  it.effect("of the others those of higher precedence, and those that take names from each other", () =>
    Effect.gen(function*() {
      const agents = ["agent", loaded("card", "helper_answer"), way("later")] as const
      const builtin = ["builtin", loaded("builtin", "read")] as const
      const extra = ["extra", way("document")] as const
      assert.deepStrictEqual(yield* waitedFor("helper_answer", [agents, extra]), ["later"])
      assert.deepStrictEqual(yield* waitedFor("helper_answer", [extra, agents]), ["document", "later"])
      assert.deepStrictEqual(yield* waitedFor("read", [builtin, agents]), [])
      // an own tool may stand in a builtin's place, whatever the order, but no operation of a document
      assert.deepStrictEqual(yield* waitedFor("read", [builtin, ["extra", way("own"), way("document")]]), ["own"])
      assert.deepStrictEqual(yield* waitedFor("read", [extra, builtin]), ["document"])
    }))

  it.effect("all of them while nobody has the tool", () =>
    Effect.gen(function*() {
      const sources = [["mcp", way("a"), loaded("b", "b_x")], ["agent", way("card")]] as const
      assert.deepStrictEqual(yield* waitedFor("b_y", sources), ["a", "card"])
    }))
})
