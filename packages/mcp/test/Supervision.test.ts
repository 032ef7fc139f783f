import type { SourceEntry } from "@effect-toolnexus/core/SourceEntry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import {
  call,
  define,
  entryIs,
  entryOf,
  eventually,
  isAlive,
  messageOf,
  names,
  open,
  type Opened,
  platform,
  scripted,
  tempFile,
  toolOf
} from "./support.ts"

const startsFile = Effect.tap(tempFile, (file) => FileSystem.FileSystem.use((fs) => fs.writeFileString(file, "")))

/** A line for each start of a server: its pid, and whether it was alone. */
const startsIn = (file: string) =>
  readFileSync(file, "utf8").split("\n").filter((line) => line !== "").map((line) => {
    const [pid = "", ...rest] = line.split(" ")
    return { pid: Number(pid), ran: rest.join(" ") }
  })

const codes = ({ diagnostics }: SourceEntry) => diagnostics.map(({ code }) => code)

const killServer = (opened: Opened, name: string) =>
  Effect.flatMap(opened.source.connections, (sessions) =>
    Effect.sync(() => {
      process.kill(sessions.get(name)?.pid ?? 0, "SIGKILL")
    }))

const TOOLS = [{ name: "echo" }, { name: "never" }, { name: "die" }]

describe("a server that is lost", () => {
  it.live("is connected again; its tools stay listed, and calls made meanwhile wait for it", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const opened = yield* open({ a: scripted({ starts, tools: TOOLS }) })
      const echo = toolOf(yield* opened.entries, "a_echo")
      const inFlight = yield* Effect.forkChild(Effect.flip(call(toolOf(yield* opened.entries, "a_never"))), {
        startImmediately: true
      })
      assert.include((yield* Effect.flip(call(toolOf(yield* opened.entries, "a_die")))).message, "exited with code 7")
      assert.strictEqual((yield* Fiber.join(inFlight))._tag, "ToolUnavailable")
      const waiting = yield* Effect.forkChild(call(echo, { text: "patient" }), { startImmediately: true })
      yield* entryIs(opened, "Reconnecting")
      const lost = entryOf(yield* opened.entries, "a")
      assert.deepStrictEqual(names(lost), ["a_echo", "a_never", "a_die"])
      assert.deepStrictEqual(codes(lost), ["reconnecting"])
      assert.include("error" in lost ? lost.error.message : "", "exited with code 7; its stderr ends with:\nfatal")
      assert.strictEqual((yield* opened.source.connections).size, 0)
      assert.strictEqual((yield* Fiber.join(waiting)).output, "patient")
      yield* entryIs(opened, "Loaded")
      const repaired = entryOf(yield* opened.entries, "a")
      assert.deepStrictEqual(codes(repaired), ["reconnected"])
      assert.include(repaired.diagnostics[0]?.message, "exited with code 7")
      assert.deepStrictEqual(startsIn(starts).map(({ ran }) => ran), ["alone", "alone"])
      assert.strictEqual((yield* opened.source.connections).get("a")?.pid, startsIn(starts)[1]?.pid)
    }).pipe(Effect.provide(platform)))

  it.live("is asked for its tools again, and what it lists then counts", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const listPerStart = [[{ name: "echo" }, { name: "old" }], [{ name: "new" }, { name: "echo" }]]
      const opened = yield* open({ a: scripted({ starts, listPerStart }) })
      yield* killServer(opened, "a")
      yield* entryIs(opened, "Reconnecting")
      yield* entryIs(opened, "Loaded")
      assert.deepStrictEqual(names(entryOf(yield* opened.entries, "a")), ["a_new", "a_echo"])
    }).pipe(Effect.provide(platform)))

  it.live("fails a call that waits longer than it may, and says what is being waited for", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const opened = yield* open({
        a: scripted({ starts, tools: TOOLS, failStarts: [2, 99] }, { timeout: { call: 400 } })
      })
      const echo = toolOf(yield* opened.entries, "a_echo")
      yield* killServer(opened, "a")
      yield* entryIs(opened, "Reconnecting")
      const error = yield* Effect.flip(call(echo))
      assert.strictEqual(error._tag, "ToolUnavailable")
      assert.include(
        error.message,
        "mcp server \"a\" was not connected again within 400 ms; mcp server \"a\" failed at"
      )
    }).pipe(Effect.provide(platform)))

  it.effect("is given up after so many attempts, and calls that wait are told", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const opened = yield* open({ a: scripted({ starts, tools: TOOLS, failStarts: [2, 99] }, PATIENT) })
      const echo = toolOf(yield* opened.entries, "a_echo")
      yield* crash(opened)
      const waiting = yield* Effect.forkChild(Effect.flip(call(echo)), { startImmediately: true })
      yield* passing(opened, "Failed")
      assert.strictEqual(startsIn(starts).length, 9)
      const failed = entryOf(yield* opened.entries, "a")
      const death = "exited with code 9 before it was ready; its stderr ends with:\nstart 9 fails"
      assert.include(messageOf([failed], "a"), death)
      assert.deepStrictEqual([names(failed), codes(failed)], [["a_echo", "a_never", "a_die"], ["gave-up"]])
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "ToolUnavailable")
      assert.include((yield* Effect.flip(call(echo))).message, death)
    }).pipe(Effect.provide(platform)))

  it.effect("counts as one that keeps crashing until a connection lasts", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const opened = yield* open({ a: scripted({ starts, tools: TOOLS }, PATIENT) })
      const crashAndRepair = Effect.andThen(crash(opened), passing(opened, "Loaded"))
      yield* Effect.repeat(crashAndRepair, { times: 7 })
      yield* TestClock.adjust("1 minute")
      yield* Effect.repeat(crashAndRepair, { times: 7 })
      yield* crash(opened)
      assert.strictEqual(entryOf(yield* opened.entries, "a")._tag, "Failed")
      assert.strictEqual(startsIn(starts).length, 17)
    }).pipe(Effect.provide(platform)), 60_000)

  it.live("is asked for sooner where a call waits for it", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const opened = yield* open({ a: scripted({ starts, tools: TOOLS, failStarts: [2, 6] }) })
      const echo = toolOf(yield* opened.entries, "a_echo")
      yield* killServer(opened, "a")
      yield* entryIs(opened, "Reconnecting")
      const started = performance.now()
      assert.strictEqual((yield* call(echo, { text: "soon" })).output, "soon")
      // after 0.25, 0.5, 1, 1, 1 and 1 seconds, where nobody would have come back before some ten
      assert.isBelow(performance.now() - started, 7500)
      assert.strictEqual(startsIn(starts).length, 7)
    }).pipe(Effect.provide(platform)), 30_000)

  it.live("isn't started again once the source is closed", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const waiting = yield* Effect.scoped(Effect.gen(function*() {
        const opened = yield* open({ a: scripted({ starts, tools: TOOLS, failStarts: [2, 99] }) })
        const echo = toolOf(yield* opened.entries, "a_echo")
        yield* killServer(opened, "a")
        yield* entryIs(opened, "Reconnecting")
        return yield* Effect.forkDetach(Effect.flip(call(echo)), { startImmediately: true })
      }))
      assert.include((yield* Fiber.join(waiting)).message, "it was closed")
      const before = startsIn(starts).length
      yield* Effect.sleep("1500 millis")
      assert.strictEqual(startsIn(starts).length, before)
      assert.deepStrictEqual(startsIn(starts).filter(({ pid }) => isAlive(pid)), [])
    }).pipe(Effect.provide(platform)))

  it.live("decides the first start by one attempt", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const opened = yield* open({ a: scripted({ starts, failStarts: [1, 1] }) })
      assert.include(messageOf(yield* opened.entries, "a"), "start 1 fails")
      yield* Effect.sleep("700 millis")
      assert.strictEqual(startsIn(starts).length, 1)
    }).pipe(Effect.provide(platform)))
})

describe("McpSource", () => {
  it.live("adds a server, in place of one with its name, and gives what became of it", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const { entries, source } = yield* open({ m: scripted({ tools: TOOLS }) })
      const added = yield* source.add(
        "a",
        scripted({ starts, tools: [{ name: "one" }], ignoreEof: true, ignoreTerm: true })
      )
      assert.deepStrictEqual([added._tag, names(added)], ["Loaded", ["a_one"]])
      const [replaced, broken] = yield* Effect.all([
        source.add("a", scripted({ starts, tools: [{ name: "two" }] })),
        source.add("z", define({ command: "/nope/nope" }))
      ], { concurrency: "unbounded" })
      assert.deepStrictEqual([replaced._tag, names(replaced), broken._tag], ["Loaded", ["a_two"], "Failed"])
      assert.deepStrictEqual((yield* entries).map(({ name }) => name), ["a", "m", "z"])
      const unreadable = yield* source.add("m", define({ comand: "x" }))
      assert.deepStrictEqual([unreadable._tag, names(unreadable)], ["Failed", []])
      assert.deepStrictEqual(startsIn(starts).map(({ ran }) => ran), ["alone", "alone"])
    }).pipe(Effect.provide(platform)))

  it.live("removes a server with its process, and its tools say so", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const { entries, source } = yield* open({ a: scripted({ starts, tools: TOOLS, ignoreEof: true }), b: scripted() })
      const echo = toolOf(yield* entries, "a_echo")
      const inFlight = yield* Effect.forkChild(Effect.flip(call(toolOf(yield* entries, "a_never"))), {
        startImmediately: true
      })
      assert.isTrue(yield* source.remove("a"))
      assert.deepStrictEqual((yield* entries).map(({ name }) => name), ["b"])
      assert.deepStrictEqual(startsIn(starts).filter(({ pid }) => isAlive(pid)), [])
      assert.strictEqual((yield* Fiber.join(inFlight)).message, "a_never is unavailable: mcp server \"a\" was closed")
      assert.include((yield* Effect.flip(call(echo))).message, "it was closed")
      assert.isFalse(yield* source.remove("a"))
    }).pipe(Effect.provide(platform)))

  it.live("starts anew while a stubborn server of that name is still being removed, but not before it is gone", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const stubborn = scripted({ starts, ignoreEof: true, ignoreTerm: true })
      const { entries, source } = yield* open({ a: stubborn })
      const removing = yield* Effect.forkChild(source.remove("a"), { startImmediately: true })
      assert.strictEqual((yield* source.add("a", stubborn))._tag, "Loaded")
      assert.isTrue(yield* Fiber.join(removing))
      const storm = [
        source.reconnect("a"),
        source.setEnabled("a", false),
        source.add("a", stubborn),
        source.reconnect("a")
      ]
      const ends = yield* Effect.all(storm, { concurrency: "unbounded" })
      // each is told what became of the server in the end
      assert.deepStrictEqual(ends.map(({ _tag }) => _tag), ["Loaded", "Loaded", "Loaded", "Loaded"])
      assert.deepStrictEqual((yield* entries).map(({ _tag, name }) => [name, _tag]), [["a", "Loaded"]])
      assert.deepStrictEqual(startsIn(starts).filter(({ ran }) => ran !== "alone"), [])
      assert.strictEqual(startsIn(starts).filter(({ pid }) => isAlive(pid)).length, 1)
    }).pipe(Effect.provide(platform)))

  it.live("connects a server anew, and tries more than once", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const { entries, source } = yield* open({ a: scripted({ starts, tools: TOOLS, failStarts: [1, 2] }) })
      assert.include(messageOf(yield* entries, "a"), "start 1 fails")
      assert.strictEqual((yield* source.reconnect("a"))._tag, "Loaded")
      const echo = toolOf(yield* entries, "a_echo")
      const again = yield* Effect.forkChild(source.reconnect("a"), { startImmediately: true })
      assert.strictEqual((yield* call(echo, { text: "through" })).output, "through")
      assert.deepStrictEqual(codes(yield* Fiber.join(again)), [])
      assert.deepStrictEqual(startsIn(starts).map(({ ran }) => ran), ["alone", "alone", "alone", "alone"])
    }).pipe(Effect.provide(platform)))

  it.live("switches a server off and on, whatever its definition says", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const { entries, source } = yield* open({ a: scripted({ starts }, { disabled: true }), b: scripted() })
      assert.deepStrictEqual((yield* source.setEnabled("a", false))._tag, "Disabled")
      const on = yield* source.setEnabled("a", true)
      assert.deepStrictEqual([on._tag, names(on)], ["Loaded", ["a_echo"]])
      assert.strictEqual(yield* source.setEnabled("a", true), on)
      assert.strictEqual((yield* source.setEnabled("a", false))._tag, "Disabled")
      assert.deepStrictEqual((yield* entries).flatMap(names), ["b_echo"])
      assert.deepStrictEqual(startsIn(starts).map(({ pid }) => isAlive(pid)), [false])
      assert.strictEqual((yield* source.setEnabled("a", true))._tag, "Loaded")
    }).pipe(Effect.provide(platform)))

  it.live("says at once what it is about to do, and answers who asks again when it is done", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const stubborn = scripted({ starts, tools: TOOLS, ignoreEof: true, ignoreTerm: true })
      const { entries, source } = yield* open({ a: stubborn })
      const echo = toolOf(yield* entries, "a_echo")
      const off = yield* Effect.forkChild(source.setEnabled("a", false), { startImmediately: true })
      yield* Effect.sleep("50 millis")
      assert.strictEqual(entryOf(yield* entries, "a")._tag, "Disabled")
      assert.include((yield* Effect.flip(call(echo))).message, "it was closed")
      assert.strictEqual((yield* source.setEnabled("a", false))._tag, "Disabled")
      assert.strictEqual((yield* Fiber.join(off))._tag, "Disabled")
      assert.deepStrictEqual(startsIn(starts).filter(({ pid }) => isAlive(pid)), [])
      const both = yield* Effect.all([source.setEnabled("a", true), source.setEnabled("a", true)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(both.map(({ _tag }) => _tag), ["Loaded", "Loaded"])
      const again = yield* Effect.forkChild(source.reconnect("a"), { startImmediately: true })
      yield* Effect.sleep("50 millis")
      assert.deepStrictEqual([entryOf(yield* entries, "a")._tag, (yield* source.connections).size], ["Reconnecting", 0])
      yield* Fiber.join(again)
      const removed = yield* Effect.all([source.remove("a"), source.remove("a")], { concurrency: "unbounded" })
      assert.deepStrictEqual([removed, yield* entries], [[true, false], []])
      assert.deepStrictEqual(startsIn(starts).filter(({ pid }) => isAlive(pid)), [])
    }).pipe(Effect.provide(platform)))

  it.live("knows no server but those there are, and names a similar one", () =>
    Effect.gen(function*() {
      const { source } = yield* open({ files: scripted() })
      const error = yield* Effect.flip(source.reconnect("file"))
      assert.strictEqual(error.message, "there is no mcp server \"file\"; similar names: \"files\"")
      assert.strictEqual((yield* Effect.flip(source.setEnabled("x", true)))._tag, "McpUnknownServer")
    }).pipe(Effect.provide(platform)))

  it.live("starts nothing once it is closed", () =>
    Effect.gen(function*() {
      const starts = yield* startsFile
      const { source } = yield* Effect.scoped(open({ a: scripted({ starts }) }))
      yield* source.add("b", scripted({ starts }))
      yield* source.reconnect("a")
      assert.isFalse(yield* source.remove("c"))
      yield* Effect.sleep("300 millis")
      assert.strictEqual(startsIn(starts).length, 1)
    }).pipe(Effect.provide(platform)))
})

/** Where the clock is moved on by minutes, no limit of the server's may end anything. */
const PATIENT = { timeout: { startup: 1e9, list: 1e9, call: 1e9, total: 1e9 } }

/** Kills the server, and waits in real time until that was noticed. */
const crash = (opened: Opened) =>
  Effect.andThen(
    killServer(opened, "a"),
    TestClock.withLive(eventually(() => SubscriptionRef.getUnsafe(opened.ref).every(({ _tag }) => _tag !== "Loaded")))
  )

/** Lets the delays between attempts pass, and processes run in between, until the entry has that tag. */
const passing = ({ ref }: Opened, tag: SourceEntry["_tag"]) =>
  Effect.suspend(() =>
    SubscriptionRef.getUnsafe(ref).every(({ _tag }) => _tag === tag) ? Effect.void : Effect.fail("not yet")
  )
    .pipe(
      Effect.tapError(() =>
        Effect.andThen(TestClock.adjust("15 seconds"), TestClock.withLive(Effect.sleep("20 millis")))
      ),
      Effect.retry({ times: 500 })
    )
