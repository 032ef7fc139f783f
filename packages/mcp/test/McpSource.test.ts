import { Source } from "@effect-toolnexus/core/Source"
import * as SourceEntry from "@effect-toolnexus/core/SourceEntry"
import { McpSource } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SubscriptionRef from "effect/SubscriptionRef"
import {
  call,
  connected,
  define,
  entryOf,
  everything,
  messageOf,
  names,
  open,
  platform,
  scripted,
  type Servers,
  toolOf,
  withVariables
} from "./support.ts"

describe("connecting", () => {
  it.live("loads eight servers at once, in the order of their names, one alone failing", () =>
    Effect.gen(function*() {
      const servers: Record<string, Servers[string]> = {}
      for (const name of ["h", "b", "é", "a", "Z", "c", "d"]) servers[name] = scripted({ startDelay: 300 })
      servers["hung"] = scripted({ hang: true }, { timeout: { startup: 1500 } })
      const started = performance.now()
      const { entries } = yield* open(servers)
      const took = performance.now() - started
      // as slow as the slowest, not as all of them in turn
      assert.isTrue(took > 1400 && took < 3000, `${took}`)
      const settled = yield* entries
      assert.deepStrictEqual(settled.map(({ name }) => name), ["Z", "a", "b", "c", "d", "h", "hung", "é"])
      assert.deepStrictEqual(
        settled.filter(({ _tag }) => _tag === "Loaded").length,
        7
      )
      assert.include(
        messageOf(settled, "hung"),
        "mcp server \"hung\" failed at initialize: it did not answer within 1500 ms"
      )
      assert.deepStrictEqual(names(entryOf(settled, "é")), ["__echo"])
    }).pipe(Effect.provide(platform)))

  it.live("reports a server that dies while starting at once, with exit code and stderr", () =>
    Effect.gen(function*() {
      const started = performance.now()
      const { entries } = yield* open({
        code: scripted({ exitAtStart: 3, stderr: "no such database" }),
        signal: define({ command: "sh", args: ["-c", "kill -9 $$"] }),
        list: scripted({ dieAtList: true, stderr: "before the list" })
      })
      assert.isBelow(performance.now() - started, 5000)
      const settled = yield* entries
      assert.strictEqual(
        messageOf(settled, "code"),
        "mcp server \"code\" failed at initialize: it exited with code 3 before it was ready; its stderr ends with:\n" +
          "no such database"
      )
      assert.include(messageOf(settled, "signal"), "failed at initialize: it was ended by SIGKILL before it was ready")
      assert.include(messageOf(settled, "list"), "failed at list: it exited with code 4; its stderr ends with:\nbefore")
    }).pipe(Effect.provide(platform)))

  it.live("names the command and what is wrong with it", () =>
    Effect.gen(function*() {
      const args = ["--key=s3cret-value"]
      const { entries } = yield* open({
        absent: define({ command: "no-such-command-here", args }),
        directory: define({ command: "/tmp", args }),
        below: define({ command: "/etc/passwd/x", args }),
        plain: define({ command: "/etc/passwd", args }),
        nul: define({ command: "node", args: ["a\0b"] })
      })
      const settled = yield* entries
      assert.include(
        messageOf(settled, "absent"),
        "failed at spawn: the command \"no-such-command-here\" can't be started: ENOENT"
      )
      assert.include(messageOf(settled, "directory"), "\"/tmp\" can't be started: EACCES")
      assert.include(messageOf(settled, "below"), "\"/etc/passwd/x\" can't be started: ENOTDIR")
      assert.include(messageOf(settled, "plain"), "\"/etc/passwd\" can't be started: EACCES")
      assert.include(messageOf(settled, "nul"), "failed at spawn")
      assert.notInclude(JSON.stringify(settled), "s3cret-value")
    }).pipe(Effect.provide(platform)))

  it.live("makes an entry of whatever is configured", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({
        off: scripted({}, { disabled: true, args: ["${NOPE}"] }),
        remote: define({ url: "http://127.0.0.1:9/mcp" }),
        wrong: define(["nothing"]),
        transport: define({ connect: () => ({ start: () => Promise.resolve() }) }),
        variable: scripted({}, { env: { TOKEN: "${NOPE}" } }),
        answer: scripted({ badInitialize: true }),
        thrown: define({
          connect: () => {
            throw new Error("not today")
          }
        })
      })
      const settled = yield* entries
      assert.strictEqual(entryOf(settled, "off")._tag, "Disabled")
      assert.include(
        messageOf(settled, "remote"),
        "failed at connect: http://127.0.0.1:9 gave no HTTP answer (ECONNREFUSED"
      )
      assert.include(messageOf(settled, "wrong"), "failed at config: mcpServers.x must be an object")
      assert.include(messageOf(settled, "variable"), "failed at config: env.TOKEN: NOPE is not set")
      assert.include(messageOf(settled, "answer"), "failed at initialize: its answer is not what the protocol asks for")
      assert.include(messageOf(settled, "thrown"), "not today")
      assert.include(messageOf(settled, "transport"), "failed at spawn: connect did not give a transport")
    }).pipe(withVariables({ PATH: process.env["PATH"] ?? "" }), Effect.provide(platform)))

  it.live("says of an entry what its owner says of it, whatever becomes of it", () =>
    Effect.gen(function*() {
      const flags = { required: true, trusted: true }
      const servers = {
        good: scripted({}, flags),
        dead: scripted({ exitAtStart: 1 }, flags),
        wrong: define({ ...flags, args: 3 }),
        nested: define({ transport: flags }),
        off: scripted({}, { ...flags, disabled: true }),
        plain: scripted()
      }
      const context = yield* Layer.build(McpSource.layer({ servers: Object.entries(servers) }))
      const source = Context.get(context, Source)
      const flagsOf = ({ name, required, trusted }: SourceEntry.SourceEntry) => [name, required, trusted]
      const atOnce = yield* SubscriptionRef.get(source.entries)
      assert.deepStrictEqual(flagsOf(entryOf(atOnce, "good")), ["good", true, true])
      assert.deepStrictEqual((yield* Source.settled(source)).map(flagsOf), [
        ["dead", true, true],
        ["good", true, true],
        ["nested", true, true],
        ["off", undefined, undefined],
        ["plain", undefined, undefined],
        ["wrong", true, true]
      ])
    }).pipe(Effect.provide(platform)))

  it.live("costs only itself when it breaks whoever reads it, and stays required", () =>
    Effect.gen(function*() {
      const breaks = (): never => {
        throw new Error("s3cret")
      }
      const flags = { required: true, trusted: true }
      const { entries } = yield* open({
        getter: define(Object.defineProperty({ ...flags }, "command", { enumerable: true, get: breaks })),
        nested: define({
          transport: Object.defineProperty({ ...flags }, "command", { enumerable: true, get: breaks })
        }),
        proxy: define(new Proxy({}, { get: breaks, ownKeys: breaks, getOwnPropertyDescriptor: breaks })),
        whole: Object.defineProperty(define({}), "config", { get: breaks }),
        good: scripted({}, flags)
      })
      const settled = yield* entries
      assert.deepStrictEqual(settled.map(({ _tag, name, required, trusted }) => [name, _tag, required, trusted]), [
        ["getter", "Failed", true, true],
        ["good", "Loaded", true, true],
        ["nested", "Failed", true, true],
        ["proxy", "Failed", undefined, undefined],
        ["whole", "Failed", undefined, undefined]
      ])
      for (const name of ["getter", "nested", "proxy", "whole"]) {
        assert.strictEqual(
          messageOf(settled, name),
          `mcp server "${name}" failed at config: it breaks whoever reads it`
        )
      }
    }).pipe(Effect.provide(platform)))

  it.live("is read once", () =>
    Effect.gen(function*() {
      let reads = 0
      const config = Object.defineProperty({}, "connect", {
        enumerable: true,
        get: () => {
          reads++
          return () => undefined
        }
      })
      yield* open({ a: define(config) })
      assert.strictEqual(reads, 1)
    }).pipe(Effect.provide(platform)))

  it.live("says what a person could try", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({
        blank: define({ command: "node /tmp/server.mjs" }),
        plain: define({ command: "no-such-command-here" }),
        stranger: scripted({ unknownInitialize: true }),
        silent: scripted({ hang: true }, { timeout: { startup: 300 } }),
        inheriting: scripted({ hang: true }, { timeout: { startup: 300 }, inheritEnv: true }),
        talking: scripted({ hang: true, stderr: "fetching..." }, { timeout: { startup: 300 } }),
        mistyped: define({ comand: "node" })
      })
      const settled = yield* entries
      assert.include(messageOf(settled, "blank"), "the command contains a blank: arguments belong into \"args\"")
      assert.notInclude(messageOf(settled, "plain"), "blank")
      assert.include(messageOf(settled, "stranger"), "initialize: Method not found (it may be no MCP server)")
      const silent = messageOf(settled, "silent")
      assert.include(silent, "(npx downloads a package the first time), raise timeout.startup")
      assert.include(silent, "HTTPS_PROXY, no_proxy, npm_config_registry of our environment are not passed on to it")
      assert.include(silent, "\"inheritEnv\": true")
      assert.notInclude(JSON.stringify(settled), "proxy.example")
      assert.include(messageOf(settled, "inheriting"), "raise timeout.startup")
      assert.notInclude(messageOf(settled, "inheriting"), "HTTPS_PROXY")
      assert.notInclude(messageOf(settled, "talking"), "timeout.startup")
      assert.include(messageOf(settled, "mistyped"), "mcpServers.x needs a command or a url")
      assert.include(entryOf(settled, "mistyped").diagnostics[0]?.message, "did you mean \"command\"?")
    }).pipe(
      withVariables({
        PATH: process.env["PATH"] ?? "",
        HTTPS_PROXY: "http://proxy.example",
        HTTP_PROXY: "",
        no_proxy: "proxy.example",
        npm_config_registry: "http://proxy.example",
        npm_config_user_agent: "npm"
      }),
      Effect.provide(platform)
    ))

  it.live("fails at once where the answer is none, with the server's own words", () =>
    Effect.gen(function*() {
      const answers: Readonly<Record<string, readonly [answer: object, expected: string]>> = {
        null: [{ result: null }, "its result is no object: null"],
        text: [{ result: "hello" }, "its result is no object: \"hello\""],
        list: [{ result: [1] }, "its result is no object: [1]"],
        words: [{ error: "no database today" }, "no database today"],
        code: [{ error: { code: "EDB", message: "no database today" } }, "no database today"],
        silent: [{ error: { code: -3 } }, "{\"code\":-3}"],
        both: [{ result: {}, error: { code: 1, message: "no database" } }, "both a result and an error: no database"],
        neither: [{}, "neither a result nor an error"],
        version: [{ jsonrpc: undefined, result: {} }, "its answer is not of version 2.0"],
        textId: [{ id: "0", result: null }, "its result is no object: null"]
      }
      const started = performance.now()
      const { entries } = yield* open(Object.fromEntries(
        Object.entries(answers).map(([name, [answer]]) => [
          name,
          scripted({ rawInitialize: { jsonrpc: "2.0", id: "ID", ...answer } })
        ])
      ))
      const settled = yield* entries
      assert.isBelow(performance.now() - started, 10_000)
      for (const [name, [, expected]] of Object.entries(answers)) {
        assert.include(messageOf(settled, name), `failed at initialize: it answered wrongly: ${expected}`)
      }
    }).pipe(Effect.provide(platform)))

  it.live("shows what a program died of, not where in its code it was", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({
        missing: define({ command: process.execPath, args: ["/tmp/does-not-exist.mjs"] }),
        early: scripted({
          exitAtStart: 1,
          stderr: ["ValueError: bad port", ...Array.from({ length: 20 }, (_, index) => `closing ${index}`)].join("\n")
        })
      })
      const settled = yield* entries
      const missing = messageOf(settled, "missing")
      assert.include(missing, "Error: Cannot find module '/tmp/does-not-exist.mjs'")
      assert.match(missing, /its stderr ends with \(\d+ lines of stack traces left out\):\n/)
      assert.notMatch(missing, /^\s+at |^Node\.js v/m)
      assert.include(messageOf(settled, "early"), "its stderr ends with:\nValueError: bad port\n...\nclosing 10\n")
    }).pipe(Effect.provide(platform)))

  it.live("skips noise on stdout, and says so", () =>
    Effect.gen(function*() {
      const { entries } = yield* connected({ noise: true })
      const entry = entryOf(entries, "a")
      assert.deepStrictEqual(names(entry), ["a_echo"])
      assert.deepStrictEqual(entry.diagnostics.map(({ code }) => code), ["stdout-noise"])
      assert.include(
        entry.diagnostics[0]?.message,
        "it wrote 2 lines on stdout that are no messages, e.g. \"starting up...\""
      )
    }).pipe(Effect.provide(platform)))

  it.live("blots the server's secrets out of what it says when it fails", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({
        a: scripted({ printEnv: "TOKEN", exitAtStart: 1 }, { env: { TOKEN: "${KEY}-suffix" } }),
        b: scripted({ refuseEnv: "TOKEN" }, { env: { TOKEN: "${KEY}-suffix" } })
      })
      for (const name of ["a", "b"]) {
        const message = messageOf(yield* entries, name)
        assert.include(message, "<redacted>")
        assert.notInclude(message, "s3cret-value")
      }
    }).pipe(withVariables({ KEY: "s3cret-value", PATH: process.env["PATH"] ?? "" }), Effect.provide(platform)))
})

describe("the reference server", () => {
  it.live("lists, calls, reports progress and structures", () =>
    Effect.gen(function*() {
      const { entries } = yield* open({ everything: everything() })
      const settled = yield* entries
      assert.isAbove(entryOf(settled, "everything").tools.length, 9)
      assert.deepStrictEqual(entryOf(settled, "everything").diagnostics, [])
      const sum = yield* call(toolOf(settled, "everything_get-sum"), { a: 2, b: 40 })
      assert.include(sum.output, "42")
      const image = yield* call(toolOf(settled, "everything_get-tiny-image"))
      assert.match(image.output, /\[image image\/png, \d+ bytes\]/)
      const seen: Array<number> = []
      yield* call(toolOf(settled, "everything_trigger-long-running-operation"), { duration: 0.2, steps: 4 }, {
        onProgress: ({ progress }) => Effect.sync(() => void seen.push(progress))
      })
      assert.deepStrictEqual(seen, [1, 2, 3, 4])
      const structured = yield* call(toolOf(settled, "everything_get-structured-content"), { location: "New York" })
      assert.isDefined(structured.structured)
      const refused = yield* Effect.flip(call(toolOf(settled, "everything_get-sum"), { a: "x" }))
      assert.strictEqual(refused._tag, "ToolFailed")
    }).pipe(Effect.provide(platform)))
})
