import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connected, entryOf, messageOf, names, nested, open, platform, scripted } from "./support.ts"

const listing = (...all: ReadonlyArray<string>) => ({ tools: all.map((name) => ({ name })) })

describe("the list of tools", () => {
  it.live("reads all pages, and leaves out only what is malformed", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({
        lastCursor: "",
        pages: [
          [{ name: "one", description: null }, { name: "two", inputSchema: { properties: {} } }],
          [
            { name: "" },
            { name: "bad", inputSchema: { type: "string" } },
            "nothing",
            { name: "deep", inputSchema: { default: nested(300) } },
            { name: "three", inputSchema: null }
          ],
          [{
            name: "four",
            inputSchema: { type: "object", $ref: "#/nope" },
            annotations: { readOnlyHint: true, title: 3 }
          }]
        ]
      })
      const entry = entryOf(entries, "a")
      assert.deepStrictEqual(names(entry), ["a_one", "a_two", "a_three", "a_four"])
      assert.deepStrictEqual(entry.diagnostics.map(({ code }) => code), [
        "malformed-tool",
        "malformed-tool",
        "malformed-tool",
        "malformed-tool"
      ])
      assert.include(entry.diagnostics[3]?.message, "the tool \"deep\" is left out: it is deeper than 200 levels")
      assert.include(entry.diagnostics[1]?.message, "the tool \"bad\" is left out: the type of its input schema")
      const [one, two, , four] = entry.tools
      assert.deepStrictEqual([one?.description, one?.inputSchema], ["", { type: "object" }])
      assert.deepStrictEqual(two?.inputSchema, { properties: {}, type: "object" })
      assert.deepStrictEqual(four?.annotations, { readOnlyHint: true })
      assert.deepStrictEqual(four?.origin, { kind: "mcp", entry: "a", name: "four" })
    }).pipe(Effect.provide(platform)))

  it.live("ends a list that never ends", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({
        endless: scripted({ pages: "endless" }),
        repeat: scripted({ pages: "repeat" }),
        null: scripted({ lastCursor: null }),
        many: scripted({ many: 10_001 })
      })
      const settled = yield* entries
      assert.strictEqual(entryOf(settled, "endless").tools.length, 1000)
      assert.include(entryOf(settled, "endless").diagnostics[0]?.message, "cut after 1000 pages")
      assert.deepStrictEqual(names(entryOf(settled, "repeat")), ["repeat_tfirst", "repeat_tsame"])
      assert.deepStrictEqual(entryOf(settled, "repeat").diagnostics.map(({ code }) => code), ["repeated-cursor"])
      assert.deepStrictEqual(entryOf(settled, "null").diagnostics, [])
      assert.strictEqual(entryOf(settled, "many").tools.length, 10_000)
      assert.include(entryOf(settled, "many").diagnostics[0]?.message, "cut after 10000 tools")
    }).pipe(Effect.provide(platform)))

  it.live("bounds how much text there is in all", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ largePages: true })
      const entry = entryOf(entries, "a")
      assert.deepStrictEqual(names(entry), ["a_t0", "a_t1", "a_t2", "a_t3", "a_t4", "a_t5"])
      assert.deepStrictEqual(entry.diagnostics.map(({ code, message }) => [code, message]), [
        ["list-cut", "its list of tools is cut after 67108864 characters"]
      ])
    }).pipe(Effect.provide(platform)))

  it.live("bounds a name and a description", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ longTexts: true })
      const entry = entryOf(entries, "a")
      assert.deepStrictEqual(entry.tools.map(({ origin }) => origin.name.length), [1000, 4, 4])
      assert.deepStrictEqual(entry.tools.map(({ description }) => description.length), [0, 99_999, 100_000])
      assert.deepStrictEqual(entry.diagnostics.map(({ code }) => code), ["malformed-tool", "description-cut"])
      assert.include(entry.diagnostics[0]?.message, "nnn...\" is left out: its name is longer than 1000 characters")
      assert.include(entry.diagnostics[1]?.message, "\"long\" is cut after 100000 of its 100001 characters")
    }).pipe(Effect.provide(platform)))

  it.live("bounds a list that never comes", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ hangList: true }, { timeout: { list: 1000 } })
      assert.include(messageOf(entries, "a"), "failed at list: it did not list its tools within 1000 ms")
    }).pipe(Effect.provide(platform)))

  it.live("gives names over all servers, and keeps only the wanted tools", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({
        "a.b": scripted(listing("x", "x")),
        "a_b": scripted(listing("x", "y", "z"), { tools: { x: true, z: true, nope: true } }),
        "list": scripted(listing("x", "y"), { tools: ["y"] }),
        "most": scripted(listing("x", "y"), { tools: { y: false } })
      })
      const settled = yield* entries
      assert.deepStrictEqual(names(entryOf(settled, "a_b")), ["a_b_x", "a_b_z"])
      const twice = names(entryOf(settled, "a.b"))
      assert.match(twice[0] ?? "", /^a_b_x_[0-9a-f]{6}$/)
      assert.strictEqual(twice[0], twice[1])
      assert.deepStrictEqual(names(entryOf(settled, "list")), ["list_y"])
      assert.deepStrictEqual(names(entryOf(settled, "most")), ["most_x"])
      assert.deepStrictEqual(entryOf(settled, "a_b").diagnostics.map(({ code, path }) => [code, path]), [
        ["unknown-tool", "mcpServers.x.tools"]
      ])
    }).pipe(Effect.provide(platform)))
})
