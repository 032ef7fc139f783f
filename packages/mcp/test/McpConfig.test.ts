import { McpConfig } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { platform, withVariables } from "./support.ts"

const normalize = (config: unknown) => McpConfig.normalize("a", { config, folder: "/project", path: "mcpServers.a" })

const normalized = (config: unknown) => Result.getOrThrow(normalize(config))

const local = (config: unknown): McpConfig.LocalServer => {
  const { server } = normalized(config)
  if (server._tag !== "Local") throw new Error(server._tag)
  return server
}

const messageOf = (config: unknown): string => {
  const result = normalize(config)
  return Result.isFailure(result) ? result.failure.message : "it is fine"
}

const codes = (config: unknown) => normalized(config).diagnostics.map(({ code, path }) => [code, path])

describe("normalize", () => {
  it("reads a command and its arguments in every spelling", () => {
    const expected = { command: "node", args: ["s.mjs", "1"] }
    for (
      const config of [
        { command: "node", args: ["s.mjs", "1"] },
        { command: ["node", "s.mjs"], args: [1] },
        { type: "local", command: ["node", "s.mjs", "1"] },
        { type: "stdio", command: "node", args: ["s.mjs", "1"], url: null },
        { transport: { type: "stdio", command: "node", args: ["s.mjs", "1"] } },
        { transport: "stdio", command: "node", args: ["s.mjs", "1"] }
      ]
    ) {
      const { args, command } = local(config)
      assert.deepStrictEqual({ command, args }, expected)
      assert.deepStrictEqual(normalized(config).diagnostics, [])
    }
  })

  it("reads env and environment, and makes their values text", () => {
    assert.deepStrictEqual(
      local({ command: "x", environment: { A: "1", B: "2" }, env: { B: 3, C: true, D: null } }).env,
      { A: "1", B: "3", C: "true" }
    )
  })

  it("has the defaults of the contract", () => {
    const { folder, inheritEnv, shutdown, timeout } = local({ command: "x" })
    assert.deepStrictEqual({ folder, inheritEnv, shutdown, timeout }, {
      folder: "/project",
      inheritEnv: false,
      shutdown: { eof: 500, term: 500 },
      timeout: { startup: 30_000, list: 30_000, call: 30_000, total: 600_000 }
    })
  })

  it("reads limits as a number or by name, the total never below a call", () => {
    assert.deepStrictEqual(local({ command: "x", timeout: 700_000 }).timeout, {
      startup: 700_000,
      list: 700_000,
      call: 700_000,
      total: 700_000
    })
    assert.deepStrictEqual(local({ command: "x", timeout: { call: 5000, total: 9000 } }).timeout, {
      startup: 30_000,
      list: 30_000,
      call: 5000,
      total: 9000
    })
  })

  it("asks whether seconds were meant", () => {
    assert.deepStrictEqual(codes({ command: "x", timeout: 30 }), [["timeout-below-second", "mcpServers.a.timeout"]])
    assert.deepStrictEqual(codes({ command: "x", timeout: { call: 999 } }), [
      ["timeout-below-second", "mcpServers.a.timeout.call"]
    ])
    assert.deepStrictEqual(codes({ command: "x", timeout: 1000 }), [])
  })

  it("switches off whatever else the entry says, disabled winning", () => {
    for (const config of [{ disabled: true, enabled: true }, { enabled: false, command: 3 }, { disabled: true }]) {
      assert.strictEqual(normalized(config).server._tag, "Disabled")
    }
    assert.strictEqual(normalized({ command: "x", enabled: true, disabled: false }).server._tag, "Local")
  })

  it("tells local, remote and in-process servers apart", () => {
    assert.strictEqual(normalized({ url: "http://x" }).server._tag, "Remote")
    assert.strictEqual(normalized({ httpUrl: "http://x", headers: {} }).server._tag, "Remote")
    for (const type of ["remote", "http", "streamable-http", "streamableHttp", "sse"]) {
      assert.strictEqual(normalized({ type, serverUrl: "http://x" }).server._tag, "Remote")
    }
    assert.strictEqual(
      normalized({
        connect: () => {
          throw new Error("not called")
        }
      }).server._tag,
      "InProcess"
    )
  })

  it("names a key that nobody knows, and the one that was meant", () => {
    const { diagnostics } = normalized({ comand: "y", command: "x", timeout: { startUp: 5000 }, zzz: 1 })
    assert.deepStrictEqual(diagnostics.map(({ message, path }) => [path, message]), [
      ["mcpServers.a.comand", "comand is not a known key; did you mean command?"],
      ["mcpServers.a.zzz", "zzz is not a known key"],
      ["mcpServers.a.timeout.startUp", "startUp is not a known key; did you mean startup?"]
    ])
  })

  it("says of a key that it is misplaced, or not acted on yet", () => {
    assert.deepStrictEqual(codes({ transport: { command: "x", headers: {} }, url: "http://x", toolTimeouts: {} }), [
      ["misplaced-key", "mcpServers.a.transport.headers"],
      ["misplaced-key", "mcpServers.a.url"],
      ["not-supported-yet", "mcpServers.a.toolTimeouts"]
    ])
  })

  it.each(
    [
      [3, "mcpServers.a must be an object"],
      [{}, "mcpServers.a needs a command or a url"],
      [{ command: "" }, "mcpServers.a needs a command"],
      [{ type: "http", command: "x" }, "mcpServers.a is of type http and needs a url"],
      [{ type: "pipe", command: "x" }, "mcpServers.a.type is wrong: type must be one of local, stdio"],
      [{ command: "x", args: "y" }, "mcpServers.a.args is wrong: args must be a list of strings"],
      [{ command: "x", args: ["y", {}] }, "mcpServers.a.args[1] is wrong: args must be a list of strings"],
      [{ command: "x", transport: 3 }, "mcpServers.a.type is wrong: type must be one of"],
      [{ command: "x", cwd: 3 }, "mcpServers.a.cwd is wrong: cwd must be a string"],
      [{ command: "x", timeout: -1 }, "mcpServers.a.timeout is wrong: timeout must be a number"],
      [{ command: "x", disabled: "no" }, "mcpServers.a.disabled is wrong: disabled must be true or false"],
      [{ command: "x", tools: { a: "yes" } }, "mcpServers.a.tools.a is wrong: tools must be an object"]
    ] satisfies ReadonlyArray<readonly [unknown, string]>
  )("fails the entry %j", (config, expected) => {
    assert.include(messageOf(config), `mcp server "a" failed at config: ${expected}`)
  })

  it("never shows a value", () => {
    const message = messageOf({ command: "x", env: { TOKEN: ["s3cret-value"] } })
    assert.include(message, "mcpServers.a.env.TOKEN")
    assert.notInclude(message, "s3cret-value")
  })
})

const resolve = (config: unknown, variables: Record<string, string> = {}) =>
  McpConfig.resolve(local(config)).pipe(withVariables(variables), Effect.provide(platform))

describe("resolve", () => {
  it.effect("expands command, arguments and environment", () =>
    Effect.gen(function*() {
      const resolved = yield* resolve(
        {
          command: "${BIN:-node}",
          args: ["--key=${KEY}", "$${KEY}"],
          env: { T: "{env:KEY}", F: "${workspaceFolder}" }
        },
        { KEY: "k-123456" }
      )
      assert.strictEqual(resolved.command, "node")
      assert.deepStrictEqual(resolved.args, ["--key=k-123456", "${KEY}"])
      assert.deepStrictEqual({ ...resolved.env }, { T: "k-123456", F: "/project" })
      assert.deepStrictEqual(resolved.secrets, ["k-123456", "k-123456"])
    }))

  it.effect("names entry, field and variable of what is missing", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(resolve({ command: "x", env: { TOKEN: "Bearer ${NOPE}" } }))
      assert.strictEqual(
        error.message,
        "mcp server \"a\" failed at config: env.TOKEN: NOPE is not set, and there is no default"
      )
      const second = yield* Effect.flip(resolve({ command: "x", args: ["a", "${NOPE}"] }))
      assert.include(second.message, "args[1]: NOPE")
    }))

  it.effect("passes only the listed variables, unless all are asked for", () =>
    Effect.gen(function*() {
      const variables = { PATH: "/bin", HOME: "/h", LC_ALL: "C", TZ: "UTC", SECRET: "s", LCX: "n" }
      const few = yield* resolve({ command: "x", env: { A: "1", TZ: "CET" } }, variables)
      assert.deepStrictEqual({ ...few.env }, { PATH: "/bin", HOME: "/h", LC_ALL: "C", TZ: "CET", A: "1" })
      const all = yield* resolve({ command: "x", inheritEnv: true }, variables)
      assert.deepStrictEqual(Object.entries(all.env), Object.entries(variables))
    }))

  it.effect("reads an environment file, weaker than env", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFileString(
        `${folder}/.env`,
        "# comment\nexport A=1 # one\r\nB='two # not a comment'\nC=\"three\\nlines\"\nD=\nE=x=y\nnot a line\n"
      )
      const server = { ...local({ command: "x", envFile: "./${NAME}", env: { A: "mine" } }), folder }
      const { env } = yield* McpConfig.resolve(server).pipe(withVariables({ NAME: ".env" }))
      assert.deepStrictEqual({ ...env }, { A: "mine", B: "two # not a comment", C: "three\nlines", D: "", E: "x=y" })
      const missing = yield* Effect.flip(McpConfig.resolve({ ...server, envFile: "gone" }))
      assert.include(missing.message, "failed at config: envFile: gone can't be read: NotFound")
    }).pipe(Effect.provide(platform)))

  it.effect("says that a working directory isn't there", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(resolve({ command: "x", cwd: "sub" }))
      assert.include(error.message, "failed at spawn: cwd: sub can't be used: NotFound (relative to /project)")
    }))
})
