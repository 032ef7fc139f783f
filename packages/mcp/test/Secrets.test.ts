import { assert, describe, it } from "@effect/vitest"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { call, define, entryOf, messageOf, open, platform, script, scripted, toolOf, withVariables } from "./support.ts"

const SECRET = "s3cret-value"

const variables = withVariables({ TOKEN: SECRET, PATH: process.env["PATH"] ?? "" })

/** A server in this process that lists whatever it is told to. */
class Lister implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  readonly #tools: ReadonlyArray<unknown>

  constructor(tools: ReadonlyArray<unknown>) {
    this.#tools = tools
  }

  start = () => Promise.resolve()
  close = () => Promise.resolve()
  send = (message: JSONRPCMessage) => {
    if ("method" in message && "id" in message) {
      const result = message.method === "tools/list"
        ? { tools: this.#tools }
        : { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "lister", version: "1" } }
      queueMicrotask(() => this.onmessage?.({ jsonrpc: "2.0", id: message.id, result }))
    }
    return Promise.resolve()
  }
}

describe("a message", () => {
  it.live("shows a command and a directory as they are written, not what they stand for", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({
        command: define({ command: "/no/${TOKEN}/server" }),
        whole: define({ command: "${TOKEN}" }),
        cwd: define({ command: "node", cwd: "/no/${TOKEN}" }),
        envFile: define({ command: "node", envFile: "/no/${TOKEN}" }),
        nul: define({ command: "node", args: ["${TOKEN}\0"], env: { A: "${TOKEN}\0" } })
      })
      const settled = yield* entries
      assert.include(messageOf(settled, "command"), "the command \"/no/${TOKEN}/server\" can't be started: ENOENT")
      assert.include(messageOf(settled, "whole"), "the command \"${TOKEN}\" can't be started: ENOENT")
      assert.include(messageOf(settled, "cwd"), "cwd: /no/${TOKEN} can't be used: there is no such directory")
      assert.include(messageOf(settled, "envFile"), "envFile: /no/${TOKEN} can't be read")
      assert.include(messageOf(settled, "nul"), "failed at spawn")
      assert.notInclude(JSON.stringify(settled), SECRET)
    }).pipe(variables, Effect.provide(platform)))

  it.live("shows no secret that the server repeats, wherever it got it from", () =>
    Effect.gen(function*() {
      const literal = "literal-value"
      const { entries } = yield* open({
        argument: define({
          command: process.execPath,
          args: [script, JSON.stringify({ exitAtStart: 1, stderr: `bad key: ${SECRET}` }), "--key=${TOKEN}"]
        }),
        literal: scripted({ printEnv: "PLAIN", exitAtStart: 1 }, { env: { PLAIN: literal } }),
        inherited: scripted({ printEnv: "TOKEN", exitAtStart: 1 }, { inheritEnv: true }),
        noise: scripted({ print: [`using ${SECRET}`] }, { env: { T: "${TOKEN}" } }),
        list: scripted({ tools: [{ name: SECRET, inputSchema: { type: "string" } }] }, { env: { T: "${TOKEN}" } }),
        // both would be cut in the middle of the secret, were it still there
        longName: scripted({ tools: [{ name: `${"n".repeat(195)}${SECRET}`, inputSchema: { type: "string" } }] }, {
          env: { T: "${TOKEN}" }
        }),
        longRefusal: scripted({
          rawInitialize: { jsonrpc: "2.0", id: "ID", error: `${"e".repeat(9970)}${SECRET}` }
        }, { env: { T: "${TOKEN}" } }),
        refusal: scripted({ refuseEnv: "T" }, { env: { T: "${TOKEN}" } })
      })
      const settled = yield* entries
      for (const name of ["argument", "literal", "inherited", "refusal"]) {
        assert.include(messageOf(settled, name), "<redacted>", name)
      }
      assert.include(entryOf(settled, "noise").diagnostics[0]?.message, "using <redacted>")
      const shown = JSON.stringify(settled.map(({ diagnostics, name }) => [diagnostics, messageOf(settled, name)]))
      assert.notInclude(shown, SECRET)
      assert.notInclude(shown, SECRET.slice(0, 4))
      assert.notInclude(shown, literal)
    }).pipe(variables, Effect.provide(platform)))

  it.live("shows no part and no other form of a secret, either", () =>
    Effect.gen(function*() {
      const key = "-----BEGIN-----\nfirst-key-line\nsecond-key-line\n-----END-----"
      const long = "z".repeat(40_000)
      const says = (stderr: string, value: string) => scripted({ exitAtStart: 1, stderr }, { env: { T: value } })
      const { entries } = yield* open({
        line: says("bad line: second-key-line!", key),
        bearer: says("bad token: tok-123456!", "Bearer tok-123456"),
        url: says("password p@ss-word wrong!", "postgres://me:p%40ss-word@db/main"),
        json: says(JSON.stringify({ key }), key),
        long: scripted({ exitAtStart: 1, printEnv: "T", stderr: "the key is" }, { env: { T: long } })
      })
      const settled = yield* entries
      assert.include(messageOf(settled, "line"), "bad line: <redacted>!")
      assert.include(messageOf(settled, "bearer"), "bad token: <redacted>!")
      assert.include(messageOf(settled, "url"), "password <redacted> wrong!")
      assert.include(messageOf(settled, "json"), "{\"key\":\"<redacted>\"}")
      assert.isTrue(
        messageOf(settled, "long").endsWith("ends with:\nthe key is\n<redacted>"),
        messageOf(settled, "long")
      )
    }).pipe(variables, Effect.provide(platform)))

  it.live("is not a result: those stay as they are", () =>
    Effect.gen(function*() {
      const tools = [{ name: "echo" }]
      const { entries } = yield* open({ a: scripted({ tools }, { env: { FOLDER: "/srv/data/app" } }) })
      const result = yield* call(toolOf(yield* entries, "a_echo"), { text: "wrote /srv/data/app/x.txt" })
      assert.strictEqual(result.output, "wrote /srv/data/app/x.txt")
    }).pipe(variables, Effect.provide(platform)))

  it.live("is in no span of a server that fails", () =>
    Effect.gen(function*() {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      yield* Effect.withTracer(
        open({
          dead: scripted({ exitAtStart: 1, stderr: "what it wrote" }),
          list: scripted({ dieAtList: true, stderr: "what it wrote" }),
          good: scripted()
        }),
        tracer
      )
      const ended = spans.filter(({ name }) => name.startsWith("source.")).map(({ attributes, name, status }) => {
        const exit = status._tag === "Ended" ? status.exit : undefined
        assert.notInclude(inspect(exit, { depth: 10 }), "what it wrote")
        return `${name} ${String(attributes.get("toolnexus.entry"))} ${exit?._tag} ${
          String(attributes.get("error.type"))
        }`
      })
      assert.deepStrictEqual(ended.toSorted(), [
        "source.connect dead Failure initialize",
        "source.connect good Success undefined",
        "source.connect list Success undefined",
        "source.list good Success undefined",
        "source.list list Failure list"
      ])
    }).pipe(Effect.provide(platform)))

  it.live("of a defect is an id, under which the cause is logged once", () => {
    const logged: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") logged.push(JSON.stringify(message))
    })
    return Effect.gen(function*() {
      const tool = {
        get name(): string {
          throw new Error("what broke")
        }
      }
      const { entries } = yield* open({ a: define({ connect: () => new Lister([tool]) }), b: scripted() })
      const settled = yield* entries
      const message = messageOf(settled, "a")
      const id = /^mcp server "a" failed at list: it broke unexpectedly \(([0-9a-f]{8})\)$/.exec(message)?.[1]
      assert.isDefined(id, message)
      assert.strictEqual(logged.length, 1)
      assert.include(logged[0], id)
      assert.include(logged[0], "what broke")
      assert.strictEqual(entryOf(settled, "b")._tag, "Loaded")
    }).pipe(Effect.provide([platform, Logger.layer([logger])]))
  })

  it.live("of a defect is there also where reporting it breaks", () => {
    let draws = 0
    const random = {
      nextIntUnsafe: () => 0,
      nextDoubleUnsafe: () => {
        if (draws++ < 2) throw new Error("no luck")
        return 0.5
      }
    }
    const logger = Logger.make(({ logLevel }) => {
      if (logLevel === "Error") throw new Error("no space left")
    })
    return Effect.gen(function*() {
      const tool = {
        get name(): string {
          throw new Error("what broke")
        }
      }
      const config = { connect: () => new Lister([tool]), required: true }
      const { entries } = yield* Effect.timeout(open({ a: define(config), b: scripted() }), 5000)
      const settled = yield* entries
      assert.match(
        messageOf(settled, "a"),
        /^mcp server "a" failed at initialize: it broke unexpectedly \([0-9a-f]{8}\)$/
      )
      assert.strictEqual(entryOf(settled, "a").required, true)
      assert.strictEqual(entryOf(settled, "b")._tag, "Loaded")
    }).pipe(
      Effect.provideService(Random.Random, random),
      Effect.provide([platform, Logger.layer([logger])])
    )
  })
})
