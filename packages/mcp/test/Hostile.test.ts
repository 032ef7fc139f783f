/** What hostile and broken servers did to us once, and broken clocks. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readFileSync } from "node:fs"
import { Deadlines } from "../src/internal/deadlines.ts"
import { LineFraming } from "../src/internal/lineFraming.ts"
import { Peer, type PeerOptions } from "../src/internal/peer.ts"
import {
  call,
  define,
  entryOf,
  eventually,
  messageOf,
  open,
  platform,
  scripted,
  tempFile,
  toolOf,
  withVariables
} from "./support.ts"

const DEEP = `${"[".repeat(50_000)}${"]".repeat(50_000)}`

describe("a server", () => {
  it.live("that reports progress under an odd token disturbs nobody", () =>
    Effect.gen(function*() {
      const tokens = ["{\"toString\":1}", DEEP, "null", "\"\"", "true", "[2]", "\"1e0\"", "-1", "1e300"]
      const print = tokens.map((token) =>
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":${token}}}`
      )
      const opened = yield* open({ a: scripted({ tools: [{ name: "print" }, { name: "echo" }], late: print }) })
      const entries = yield* opened.entries
      yield* call(toolOf(entries, "a_print"))
      assert.strictEqual((yield* call(toolOf(entries, "a_echo"), { text: "still" })).output, "still")
      assert.strictEqual(entryOf(yield* opened.entries, "a")._tag, "Loaded")
    }).pipe(Effect.provide(platform)))

  it.live("is told of every call that is given up, however many", () =>
    Effect.gen(function*() {
      const log = yield* tempFile
      const { entries } = yield* open({ a: scripted({ log, tools: [{ name: "never" }] }) })
      const never = call(toolOf(yield* entries, "a_never"))
      const all = Effect.all(Array.from({ length: 3000 }, () => never), { concurrency: "unbounded" })
      const fiber = yield* Effect.forkChild(all, { startImmediately: true })
      const count = (method: string) => readFileSync(log, "utf8").split(method).length - 1
      yield* eventually(() => count("tools/call") === 3000)
      yield* Fiber.interrupt(fiber)
      yield* eventually(() => count("notifications/cancelled") === 3000)
    }).pipe(Effect.provide(platform)), 30_000)

  it.live("shows no secret, and not much, in the revision it claims to speak", () =>
    Effect.gen(function*() {
      const rawInitialize = { jsonrpc: "2.0", id: "ID", result: { protocolVersion: "v-s3cret-value" } }
      const long = { jsonrpc: "2.0", id: "ID", result: { protocolVersion: "v".repeat(100_000) } }
      const { entries } = yield* open({
        a: scripted({ rawInitialize }, { env: { TOKEN: "${TOKEN}" } }),
        b: scripted({ rawInitialize: long })
      })
      const settled = yield* entries
      assert.include(
        messageOf(settled, "a"),
        "it speaks revision \"v-<redacted>\" of the protocol; known are 2025-11-25"
      )
      assert.isBelow(messageOf(settled, "b").length, 300)
    }).pipe(withVariables({ TOKEN: "s3cret-value", PATH: process.env["PATH"] ?? "" }), Effect.provide(platform)))

  it.live("shows no secret of a whole environment by which others name it", () =>
    Effect.gen(function*() {
      const variables = {
        PATH: process.env["PATH"] ?? "",
        PWD: "/some/folder",
        DATABASE_URL: "postgres://u:hunter2secret@db/x",
        OPENAI_APIKEY: "sk-apikey",
        MYSQL_PWD: "mysql-pwd"
      }
      const names = Object.keys(variables).slice(1)
      const print = `console.error(${
        JSON.stringify(names)
      }.map((name) => process.env[name]).join(" ")); process.exit(1)`
      const { entries } = yield* Effect.provide(
        open({
          a: define({ command: process.execPath, args: ["-e", print], inheritEnv: true })
        }),
        platform
      ).pipe(withVariables(variables))
      const message = messageOf(yield* entries, "a")
      assert.include(message, "/some/folder <redacted>")
      for (const secret of ["hunter2secret", "sk-apikey", "mysql-pwd"]) assert.notInclude(message, secret)
    }))

  it.live("that asks under ids without end is no longer listened to", () =>
    Effect.gen(function*() {
      const ask = JSON.stringify({ jsonrpc: "2.0", id: "i".repeat(10_000), method: "ping" })
      const log = yield* tempFile
      const opened = yield* open({ a: scripted({ log, print: [ask] }) })
      yield* call(toolOf(yield* opened.entries, "a_echo"), { text: "x" })
      assert.notInclude(readFileSync(log, "utf8"), "iiii")
    }).pipe(Effect.provide(platform)))
})

describe("a line", () => {
  it("that comes in a million pieces costs no more than what is in it", () => {
    const framing = new LineFraming(16 * 1024 * 1024)
    const before = process.memoryUsage().arrayBuffers
    for (let index = 0; index < 1_000_000; index++) framing.push(Uint8Array.of(0x61))
    assert.isBelow(process.memoryUsage().arrayBuffers - before, 8 * 1024 * 1024)
    const [frame] = framing.push(Uint8Array.of(0x62, 0x0a))
    assert.deepStrictEqual(frame, { _tag: "Line", text: `${"a".repeat(1_000_000)}b` })
  })

  it.each([1, 7, 1000, 5000])("that is too long keeps its ends, in pieces of %d", (size) => {
    const framing = new LineFraming(3000)
    const bytes = new TextEncoder().encode(`head${"x".repeat(8000)}tail\nnext\n`)
    const frames = []
    for (let start = 0; start < bytes.length; start += size) {
      frames.push(...framing.push(bytes.subarray(start, start + size)))
    }
    const [long, next] = frames
    assert.strictEqual(long?._tag, "TooLong")
    assert.isTrue(long?._tag === "TooLong" && long.head.startsWith("headxxx") && long.tail.endsWith("xxxtail"))
    assert.deepStrictEqual(next, { _tag: "Line", text: "next" })
  })
})

describe("a limit", () => {
  /** The time of day is set forward or back while calls are open; time goes on as ever. */
  it.live.each([3_600_000, -3_600_000])(
    "is kept when somebody sets the clock by %d ms",
    (step) =>
      Effect.gen(function*() {
        const live = yield* Clock.Clock
        let offset = 0
        const stepping: Clock.Clock = Object.assign(Object.create(live), {
          currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe() + offset
        })
        const run = yield* Effect.map(Effect.context(), Effect.runForkWith)
        const ended: Array<string> = []
        const deadlines = new Deadlines(stepping, run)
        const due = (millis: number, name: string) => {
          const at = deadlines.now + millis
          deadlines.add({ due: at, expire: () => void ended.push(name), slot: -1 })
        }
        due(300, "late")
        offset = step
        due(100, "soon")
        yield* Effect.sleep("200 millis")
        assert.deepStrictEqual(ended, ["soon"])
        yield* Effect.sleep("200 millis")
        assert.deepStrictEqual(ended, ["soon", "late"])
      })
  )
})

describe("a request that can't be written", () => {
  it.effect("fails by itself, and nothing of it is left", () =>
    Effect.gen(function*() {
      const sent: Array<unknown> = []
      const run = yield* Effect.map(Effect.context(), Effect.runForkWith)
      const peer = new Peer({
        server: "a",
        channel: channelOf((message) => sent.push(JSON.stringify(message))),
        deadlines: new Deadlines(yield* Clock.Clock, run),
        serverRequests: { capabilities: {}, byMethod: new Map() },
        run,
        onNotice: () => {}
      })
      const error = yield* Effect.flip(peer.request("tools/call", { arguments: { big: 1n } }))
      assert.strictEqual(error.message, "what it is to be sent can't be written as JSON")
      assert.deepStrictEqual([sent, peer.isPending(0)], [[], false])
    }))
})

const channelOf = (send: (message: unknown) => void): PeerOptions["channel"] => ({
  listen: () => Effect.void,
  send,
  withdraw: () => false,
  negotiated: () => {},
  refusal: () => undefined,
  leave: Effect.void,
  ended: () => undefined,
  stderr: () => "",
  redact: (text) => text,
  noise: () => ({ lines: 0, samples: [] }),
  withheld: []
})
