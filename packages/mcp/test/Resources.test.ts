import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import {
  call,
  entryOf,
  eventually,
  everything,
  inProcess,
  names,
  open,
  platform,
  scripted,
  session,
  tempFile,
  toolOf
} from "./support.ts"

const resources = { resources: { subscribe: true, listChanged: true } }

const offering = (answers: object, more: object = {}) => ({ capabilities: resources, answers, ...more })

const updated = (uri: string) => ({ method: "notifications/resources/updated", params: { uri } })

/** What the scripted server was asked, without the pings of its own. */
const methodsIn = (log: string): ReadonlyArray<string> =>
  readFileSync(log, "utf8").split("\n").flatMap((line) => /"method":"(resources\/[^"]+)"/.exec(line)?.[1] ?? [])

/** More than fits into an argument. */
const inFile = Effect.fnUntraced(function*(answers: object) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* tempFile
  yield* fs.writeFileString(file, JSON.stringify(answers))
  return { capabilities: resources, answers: file }
})

describe("a list of resources", () => {
  it.live("is read as a whole: all pages, whatever the last cursor is, and each resource by itself", () =>
    Effect.gen(function*() {
      const pages = [
        { resources: [{ uri: "a:1", name: "one", title: "One", mimeType: "text/plain", size: 3, _meta: { x: 1 } }] },
        { resources: [null, { name: "no uri" }, { uri: "" }, { uri: `b:${"x".repeat(8191)}` }, { uri: 3, name: "n" }] },
        { resources: [{ uri: "a:2", description: "second", mimeType: null, size: -1 }, { uri: "a:3", title: "Third" }] }
      ]
      const live = yield* session(offering({ "resources/list": pages }))
      const { diagnostics, items } = yield* live.listResources
      assert.deepStrictEqual(items.map(({ raw: _raw, ...item }) => item), [
        { server: "a", uri: "a:1", name: "one", title: "One", mimeType: "text/plain", size: 3 },
        { server: "a", uri: "a:2", name: "a:2", description: "second" },
        { server: "a", uri: "a:3", name: "Third", title: "Third" }
      ])
      assert.deepStrictEqual(items[0]?.raw["_meta"], { x: 1 })
      assert.deepStrictEqual(diagnostics.map(({ code }) => code), Array.from({ length: 5 }, () => "malformed-resource"))
      assert.strictEqual(
        diagnostics[1]?.message,
        "a resource without a uri is left out: it is no object with a text as uri"
      )
      assert.match(diagnostics[3]?.message ?? "", /is left out: its uri is longer than 8192 characters/)
    }).pipe(Effect.provide(platform)))

  it.live("has bounds: depth, length of names and descriptions, number of items", () =>
    Effect.gen(function*() {
      const deep: unknown = JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`)
      const odd = [{ uri: "deep:", deep }, { uri: "n:", name: "n".repeat(2000), description: "d".repeat(100_001) }]
      const many = Array.from({ length: 10_001 }, (_, index) => ({ uri: `m:${index}` }))
      const live = yield* session(
        yield* inFile({
          "resources/list": { resources: odd },
          "resources/templates/list": { resourceTemplates: many.map(({ uri }) => ({ uriTemplate: uri })) }
        })
      )
      const { diagnostics, items } = yield* live.listResources
      assert.deepStrictEqual(items.map(({ name }) => name.length), [1003])
      assert.strictEqual(items[0]?.description?.length, 100_000)
      assert.deepStrictEqual(diagnostics.map(({ code }) => code), ["malformed-resource", "description-cut"])
      const templates = yield* live.listResourceTemplates
      assert.strictEqual(templates.items.length, 10_000)
      assert.deepStrictEqual(templates.diagnostics.map(({ message }) => message), [
        "its list of resource templates is cut after 10000 resource templates"
      ])
    }).pipe(Effect.provide(platform)))

  it.live("is empty, unasked, where the server offers none, or knows no such method", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const without = yield* session({ log })
      assert.deepStrictEqual(yield* without.listResources, { items: [], diagnostics: [] })
      assert.deepStrictEqual(methodsIn(log), [])
      const unknown = yield* session(offering({}))
      assert.deepStrictEqual(yield* unknown.listResourceTemplates, { items: [], diagnostics: [] })
    }).pipe(Effect.provide(platform)))

  it.live("fails in words: no list, a refusal, silence", () =>
    Effect.gen(function*() {
      const live = yield* session(
        offering({ "resources/list": { resources: "none" }, "resources/templates/list": "hang" }),
        { timeout: { list: 1000 } }
      )
      const wrong = yield* Effect.flip(live.listResources)
      assert.deepStrictEqual([wrong._tag, wrong.message], [
        "McpRejected",
        "its answer is not what the protocol asks for at resources"
      ])
      const silent = yield* Effect.flip(live.listResourceTemplates)
      assert.deepStrictEqual([silent._tag, silent.message], [
        "McpTimedOut",
        "mcp server \"a\" took longer than 1000 ms"
      ])
    }).pipe(Effect.provide(platform)))

  it.live("says that it changed", () =>
    Effect.gen(function*() {
      const live = yield* session(offering({}))
      const changed = yield* Effect.forkChild(Stream.runHead(live.resourcesChanged))
      yield* live.callTool("say", { messages: [{ method: "notifications/resources/list_changed" }] })
      assert.strictEqual((yield* Fiber.join(changed))._tag, "Some")
    }).pipe(Effect.provide(platform)))
})

describe("reading a resource", () => {
  it.live("gives text and bytes, and leaves out what is neither", () =>
    Effect.gen(function*() {
      const text = { uri: "a:1", mimeType: "text/plain", text: "one\ud800", _meta: { big: 1 } }
      const blob = { blob: "AAAA" }
      const live = yield* session(offering({ "resources/read": { contents: [text, blob, { uri: "a:2" }, "text"] } }))
      const read = yield* live.readResource("a:1")
      assert.deepStrictEqual(read.contents, [
        { uri: "a:1", mimeType: "text/plain", text: "one\ufffd", raw: text },
        { uri: "a:1", blob: "AAAA", raw: blob }
      ])
      assert.deepStrictEqual(read.diagnostics.map(({ message }) => message), [
        "the resource \"a:1\" has 2 parts that can't be read, and are left out"
      ])
    }).pipe(Effect.provide(platform)))

  it.live("fails as its server says, in its time, and when the server dies", () =>
    Effect.gen(function*() {
      const error = { code: -32002, message: "Resource not found" }
      const live = yield* session(offering({ "resources/read": { error } }))
      const refused = yield* Effect.flip(live.readResource("a:1"))
      assert.deepStrictEqual(refused._tag === "McpRejected" && [refused.code, refused.detail], [-32002, error.message])
      const wrong = yield* session(offering({ "resources/read": {} }))
      assert.strictEqual(
        (yield* Effect.flip(wrong.readResource("a:1"))).message,
        "its answer is not what the protocol asks for at contents"
      )
      const silent = yield* session(offering({ "resources/read": "hang" }), { timeout: { call: 1000 } })
      const late = yield* Effect.flip(silent.readResource("a:1"))
      assert.deepStrictEqual([late._tag, late.message], ["McpTimedOut", "mcp server \"a\" was silent for 1000 ms"])
      const soon = yield* Effect.flip(silent.readResource("a:1", { limits: { call: 50, total: 50 } }))
      assert.strictEqual(soon._tag, "McpTimedOut")
      const waiting = yield* Effect.forkChild(Effect.flip(silent.readResource("a:1")))
      yield* Effect.sleep("50 millis")
      yield* Effect.exit(silent.callTool("kill", {}))
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "McpClosed")
    }).pipe(Effect.provide(platform)))

  it.live("fails in words where the answer breaks whoever reads it", () =>
    Effect.gen(function*() {
      const breaks = (): never => {
        throw new Error("s3cret")
      }
      const greeting = {
        protocolVersion: "2025-11-25",
        capabilities: { resources: {} },
        serverInfo: { name: "bad", version: "1" }
      }
      const bad = inProcess((method) => {
        if (method === "initialize") return greeting
        if (method === "tools/list") return { tools: [] }
        return {
          contents: [Object.defineProperty({}, "text", { get: breaks })],
          resources: new Proxy([{}], { get: breaks })
        }
      })
      const { source } = yield* open({ bad })
      const words = /^its answer breaks whoever reads it \([0-9a-f]{8}\)$/
      assert.match((yield* Effect.flip(source.readResource("bad", "a:1"))).message, words)
      assert.match((yield* Effect.flip(source.listResources("bad"))).message, words)
    }).pipe(Effect.provide(platform)))

  it.live("is refused unasked where the server offers no resources", () =>
    Effect.gen(function*() {
      const live = yield* session()
      const refused = yield* Effect.flip(live.readResource("a:1"))
      assert.deepStrictEqual([refused._tag, refused.message], [
        "McpNotOffered",
        "mcp server \"a\" does not offer resources"
      ])
    }).pipe(Effect.provide(platform)))
})

describe("following a resource", () => {
  it.live("subscribes once for all who listen, hears of what is below it, and unsubscribes after the last", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const live = yield* session(offering({ "resources/subscribe": {}, "resources/unsubscribe": {} }, { log }))
      const heard: Array<string> = []
      const follow = (name: string) =>
        Effect.gen(function*() {
          const scope = yield* Scope.make()
          const updates = Stream.runForEach(
            live.subscribe("f:///a"),
            (uri) => Effect.sync(() => heard.push(name + uri))
          )
          yield* Effect.forkIn(updates, scope)
          yield* eventually(() => heard.includes(`${name}f:///a`))
          return scope
        })
      const first = yield* follow("1 ")
      const second = yield* follow("2 ")
      assert.deepStrictEqual(methodsIn(log), ["resources/subscribe"])
      yield* live.callTool("say", { messages: ["f:///a/b", "f:///ab", "f:///", "f:///a"].map(updated) })
      yield* eventually(() => heard.length === 6)
      assert.deepStrictEqual(heard.filter((text) => text.startsWith("1")), ["1 f:///a", "1 f:///a/b", "1 f:///a"])
      yield* Scope.close(first, Exit.void)
      assert.deepStrictEqual(methodsIn(log), ["resources/subscribe"])
      yield* Scope.close(second, Exit.void)
      assert.deepStrictEqual(methodsIn(log), ["resources/subscribe", "resources/unsubscribe"])
      yield* follow("3 ")
      assert.deepStrictEqual(methodsIn(log).slice(2), ["resources/subscribe"])
    }).pipe(Effect.provide(platform)))

  it.live("is refused where the server doesn't offer it, or says no, and leaves nothing behind then", () =>
    Effect.gen(function*() {
      const without = yield* session({ capabilities: { resources: {} } })
      const refused = yield* Effect.flip(Stream.runDrain(without.subscribe("a:1")))
      assert.deepStrictEqual([refused._tag, refused.message], [
        "McpNotOffered",
        "mcp server \"a\" does not offer resources.subscribe"
      ])
      const log = yield* tempFile
      const error = { code: -32602, message: "not that one" }
      const live = yield* session(offering({ "resources/subscribe": { error } }, { log }))
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(live.subscribe("a:1"))))._tag, "McpRejected")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(live.subscribe("a:1"))))._tag, "McpRejected")
      assert.deepStrictEqual(methodsIn(log), ["resources/subscribe", "resources/subscribe"])
    }).pipe(Effect.provide(platform)))

  it.live("ends with the connection, and whoever leaves is not held up by a server that says nothing", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const live = yield* session(offering({ "resources/subscribe": {}, "resources/unsubscribe": "hang" }, { log }))
      const started = performance.now()
      yield* Stream.runHead(live.subscribe("a:1"))
      assert.isBelow(performance.now() - started, 3000)
      assert.deepStrictEqual(methodsIn(log), ["resources/subscribe", "resources/unsubscribe"])
      const following = yield* Effect.forkChild(Effect.flip(Stream.runDrain(live.subscribe("a:1"))))
      yield* eventually(() => methodsIn(log).length === 3)
      yield* Effect.exit(live.callTool("kill", {}))
      assert.strictEqual((yield* Fiber.join(following))._tag, "McpClosed")
    }).pipe(Effect.provide(platform)))

  it.live("goes on over a repair, and begins with its URI again", () =>
    Effect.gen(function*() {
      const { entries, source } = yield* open({
        a: scripted(offering({ "resources/subscribe": {}, "resources/unsubscribe": {} }, {
          tools: [{ name: "kill" }, { name: "say" }]
        }))
      })
      const heard: Array<string> = []
      yield* Effect.forkChild(
        Stream.runForEach(source.subscribe("a", "a:1"), (uri) => Effect.sync(() => heard.push(uri)))
      )
      yield* eventually(() => heard.length === 1)
      const tools = yield* entries
      yield* Effect.exit(call(toolOf(tools, "a_kill")))
      yield* eventually(() => heard.length === 2)
      yield* call(toolOf(tools, "a_say"), { messages: [updated("a:1/x")] })
      yield* eventually(() => heard.length === 3)
      assert.deepStrictEqual(heard, ["a:1", "a:1", "a:1/x"])
      yield* source.remove("a")
    }).pipe(Effect.provide(platform)))
})

describe("resources by server", () => {
  it.live("are those of one or of all, where what fails costs only itself", () =>
    Effect.gen(function*() {
      const { source } = yield* open({
        b: scripted(offering({ "resources/list": { resources: [{ uri: "b:1" }] } })),
        a: scripted(offering({ "resources/list": { resources: [{ uri: "a:1" }] } })),
        bad: scripted(offering({ "resources/list": { resources: 3 } })),
        dead: scripted({ exitAtStart: 1 }),
        off: scripted({}, { disabled: true })
      })
      const all = yield* source.listResources()
      assert.deepStrictEqual(all.items.map(({ server, uri }) => [server, uri]), [["a", "a:1"], ["b", "b:1"]])
      assert.deepStrictEqual(all.diagnostics.map(({ code, entry }) => [code, entry]), [
        ["list-failed", "bad"],
        ["list-failed", "dead"]
      ])
      assert.deepStrictEqual((yield* source.listResources("b")).items.map(({ uri }) => uri), ["b:1"])
      const unknown = yield* Effect.flip(source.readResource("c", "a:1"))
      assert.strictEqual(unknown._tag, "McpUnknownServer")
      const off = yield* Effect.flip(source.readResource("off", "a:1"))
      assert.deepStrictEqual([off._tag, off.message], ["McpUnavailable", "mcp server \"off\" is switched off"])
      const dead = yield* Effect.flip(source.listResourceTemplates("dead"))
      assert.match(dead.message, /^mcp server "dead" failed at initialize: it exited with code 1/)
    }).pipe(Effect.provide(platform)))

  it.live("wait for the repair of a lost server, for its call limit", () =>
    Effect.gen(function*() {
      const starts = yield* tempFile
      const answers = { "resources/read": { contents: [{ text: "again" }] } }
      const tools = [{ name: "kill" }]
      const { entries, source } = yield* open({
        a: scripted(offering(answers, { tools })),
        gone: scripted(offering(answers, { tools, starts, failStarts: [2, 99] }), { timeout: { call: 1000 } })
      })
      for (const name of ["a", "gone"]) yield* Effect.exit(call(toolOf(yield* entries, `${name}_kill`)))
      assert.strictEqual((yield* source.readResource("a", "a:1")).contents.length, 1)
      const gone = yield* Effect.flip(source.readResource("gone", "a:1"))
      assert.strictEqual(gone._tag, "McpUnavailable")
      assert.match(gone.message, /was not connected within 1000 ms; mcp server "gone" failed at/)
    }).pipe(Effect.provide(platform)))
})

describe("resourcesAsTools", () => {
  it.live("adds two tools, that a filter of the server's own doesn't touch", () =>
    Effect.gen(function*() {
      const resourceList = [
        { uri: "a:1", name: "one", mimeType: "text/plain", description: "The\n first  one" },
        { uri: "a:2" }
      ]
      const { entries } = yield* open({
        "my a": scripted(
          offering({
            "resources/list": { resources: resourceList },
            "resources/templates/list": { resourceTemplates: [{ uriTemplate: "a:{n}", name: "any" }] },
            "resources/read": {
              contents: [{ uri: "a:1", text: "the text" }, { uri: "a:1#2", mimeType: "image/png", blob: "AAAA" }]
            }
          }),
          { resourcesAsTools: true, tools: ["nothing"], toolTimeouts: { read_resource: 5000 } }
        )
      })
      const settled = yield* entries
      const entry = entryOf(settled, "my a")
      assert.deepStrictEqual(names(entry), ["my_a_list_resources", "my_a_read_resource"])
      assert.isTrue(entry.tools.every(({ annotations }) => annotations?.readOnlyHint))
      assert.deepStrictEqual(entry.diagnostics.map(({ path }) => path), ["mcpServers.x.tools"])
      const listed = yield* call(toolOf(settled, "my_a_list_resources"))
      assert.strictEqual(
        listed.output,
        "a:1 - one (text/plain): The first one\na:2\n[template] a:{n} - any"
      )
      const rest = yield* call(toolOf(settled, "my_a_list_resources"), { offset: 2 })
      assert.strictEqual(rest.output, "[template] a:{n} - any")
      const read = yield* call(toolOf(settled, "my_a_read_resource"), { uri: "a:1" })
      assert.strictEqual(read.output, "the text\n[resource a:1#2, image/png, 3 bytes]")
      assert.deepStrictEqual(read.content?.map(({ type }) => type), ["text", "resource"])
      assert.deepStrictEqual(read.metadata, { server: "my a" })
    }).pipe(Effect.provide(platform)))

  it.live("gives way to tools of the server's own that have these names", () =>
    Effect.gen(function*() {
      const tools = [{ name: "list_resources", description: "own" }]
      const { entries } = yield* open({ a: scripted(offering({}, { tools }), { resourcesAsTools: true }) })
      const entry = entryOf(yield* entries, "a")
      assert.match(names(entry).join(" "), /^a_list_resources a_list_resources_[0-9a-f]{6} a_read_resource$/)
      assert.strictEqual(toolOf([entry], "a_list_resources").description, "own")
      const added = entry.tools[1]
      assert.strictEqual(added === undefined ? "" : (yield* call(added)).output, "(no resources)")
    }).pipe(Effect.provide(platform)))

  it.live("says so where the server offers none", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({ a: scripted({}, { resourcesAsTools: true }) })
      const entry = entryOf(yield* entries, "a")
      assert.deepStrictEqual(names(entry), ["a_echo"])
      assert.deepStrictEqual(entry.diagnostics.map(({ code, path }) => [code, path]), [
        ["no-resources", "mcpServers.x.resourcesAsTools"]
      ])
    }).pipe(Effect.provide(platform)))

  it.live("fails as any tool does, within the limits of calls", () =>
    Effect.gen(function*() {
      const error = { code: -32002, message: "Resource not found" }
      const { entries } = yield* open({
        a: scripted(offering({ "resources/read": { error }, "resources/list": "hang" }), {
          resourcesAsTools: true,
          toolTimeouts: { list_resources: 1000 }
        }),
        b: scripted(offering({ "resources/list": "hang" }), { resourcesAsTools: true, timeout: { list: 1000 } })
      })
      const settled = yield* entries
      const refused = yield* Effect.flip(call(toolOf(settled, "a_read_resource"), { uri: "a:1" }))
      assert.deepStrictEqual([refused._tag, refused.message], ["ToolFailed", "Resource not found"])
      const late = yield* Effect.flip(call(toolOf(settled, "a_list_resources")))
      assert.deepStrictEqual(late._tag === "ToolTimeout" && [late.phase, late.limit], ["call", 1000])
      const list = yield* Effect.flip(call(toolOf(settled, "b_list_resources")))
      assert.deepStrictEqual([list._tag, list.message], ["ToolFailed", "mcp server \"b\" took longer than 1000 ms"])
    }).pipe(Effect.provide(platform)))

  it.live("shows a long list in parts", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 3000 }, (_, index) => ({ uri: `a:${index}`, name: "n".repeat(30) }))
      const { entries } = yield* open({
        a: scripted(yield* inFile({ "resources/list": { resources: many } }), { resourcesAsTools: true })
      })
      const list = toolOf(yield* entries, "a_list_resources")
      const seen: Array<string> = []
      let offset = 0
      while (offset < many.length) {
        const lines = (yield* call(list, { offset })).output.split("\n")
        const note = /^\((\d+) more lines; offset=(\d+)\)$/.exec(lines.at(-1) ?? "")
        seen.push(...(note === null ? lines : lines.slice(0, -1)))
        offset = note === null ? many.length : Number(note[2])
        assert.strictEqual(note === null ? 0 : Number(note[1]), many.length - offset)
      }
      assert.strictEqual(seen.length, many.length)
      assert.strictEqual((yield* call(list, { offset: 9999 })).output, "(no more: there are 3000 lines in all)")
    }).pipe(Effect.provide(platform)))
})

describe("the reference server", () => {
  it.live("lists, reads and follows its resources", () =>
    Effect.gen(function*() {
      const { entries, source } = yield* open({ everything: everything({ resourcesAsTools: true }) })
      const { diagnostics, items } = yield* source.listResources("everything")
      assert.deepStrictEqual(diagnostics, [])
      assert.isAbove(items.length, 2)
      const [first] = items
      const read = yield* source.readResource("everything", first?.uri ?? "")
      assert.isTrue(read.contents.every((part) => "text" in part && part.text !== ""))
      const templates = yield* source.listResourceTemplates("everything")
      assert.include(templates.items.map(({ uriTemplate }) => uriTemplate), "demo://resource/dynamic/text/{resourceId}")
      const blob = yield* source.readResource("everything", "demo://resource/dynamic/blob/7")
      assert.isTrue(blob.contents.every((part) => "blob" in part))
      const tools = yield* entries
      const listed = yield* call(toolOf(tools, "everything_list_resources"))
      assert.include(listed.output, "[template] demo://resource/dynamic/text/{resourceId}")
      const shown = yield* call(toolOf(tools, "everything_read_resource"), { uri: "demo://resource/dynamic/text/7" })
      assert.include(shown.output, "Resource 7")
      const uri = "demo://resource/dynamic/text/1"
      const followed = yield* Effect.forkChild(
        Stream.runCollect(Stream.take(source.subscribe("everything", uri), 2))
      )
      yield* Effect.sleep("200 millis")
      yield* call(toolOf(tools, "everything_toggle-subscriber-updates"))
      assert.deepStrictEqual(yield* Fiber.join(followed), [uri, uri])
    }).pipe(Effect.provide(platform)))
})
