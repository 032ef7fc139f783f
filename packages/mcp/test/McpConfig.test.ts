import { McpConfig } from "@effect-toolnexus/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { execFileSync } from "node:child_process"
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
  return Result.isFailure(result) ? result.failure.error.message : "it is fine"
}

const complaints = (config: unknown) => {
  const result = normalize(config)
  if (Result.isSuccess(result)) throw new Error("it is fine")
  return result.failure.diagnostics.map(({ message }) => message)
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
      ["mcpServers.a.comand", "\"mcpServers.a.comand\" is unknown; did you mean \"command\"?"],
      ["mcpServers.a.zzz", "\"mcpServers.a.zzz\" is unknown and was ignored"],
      ["mcpServers.a.timeout.startUp", "\"mcpServers.a.timeout.startUp\" is unknown; did you mean \"startup\"?"]
    ])
  })

  it("takes no member of a program's object for a key, if no configuration can hold it", () => {
    const server = { connect: () => ({}), setTools: () => {}, sessions: new Map(), tols: ["a"] }
    assert.deepStrictEqual(normalized(server).diagnostics.map(({ path }) => path), ["mcpServers.a.tols"])
  })

  it("reads how many calls may run at once, and what the owner says of the whole entry", () => {
    const { maxConcurrent, required, trusted } = local({
      command: "x",
      maxConcurrent: 2,
      required: true,
      trusted: true
    })
    assert.deepStrictEqual([maxConcurrent, required, trusted], [2, true, true])
    const plain = local({ command: "x" })
    assert.deepStrictEqual([plain.maxConcurrent, plain.required, plain.trusted], [undefined, false, false])
    assert.deepStrictEqual(codes({ command: "x", maxConcurrent: 2, required: true, trusted: true }), [])
  })

  it("says of a key that it is misplaced", () => {
    assert.deepStrictEqual(
      codes({ transport: { command: "x", headers: {} }, url: "http://x", resourcesAsTools: true }),
      [["misplaced-key", "mcpServers.a.transport.headers"], ["misplaced-key", "mcpServers.a.url"]]
    )
  })

  it("reads whether resources are tools as well, of every kind of server", () => {
    assert.isFalse(local({ command: "x" }).resourcesAsTools)
    assert.isTrue(local({ command: "x", resourcesAsTools: true }).resourcesAsTools)
    assert.deepStrictEqual(codes({ url: "http://x", resourcesAsTools: true }), [])
  })

  it.each(
    [
      [3, "mcpServers.a must be an object"],
      [{}, "mcpServers.a needs a command or a url"],
      [{ command: "" }, "mcpServers.a needs a command"],
      [{ type: "stdio", url: "http://h/mcp" }, "mcpServers.a is of type stdio and needs a command"],
      [{ type: "http", command: "x" }, "mcpServers.a is of type http and needs a url"],
      [{ type: "pipe", command: "x" }, "mcpServers.a.type is wrong: type must be one of local, stdio"],
      [{ command: "x", args: "y" }, "mcpServers.a.args is wrong: args must be a list of strings"],
      [{ command: "x", args: ["y", {}] }, "mcpServers.a.args[1] is wrong: args must be a list of strings"],
      [{ command: "x", transport: 3 }, "mcpServers.a.type is wrong: type must be one of"],
      [{ command: "x", cwd: 3 }, "mcpServers.a.cwd is wrong: cwd must be a string"],
      [{ command: "x", timeout: -1 }, "mcpServers.a.timeout is wrong: timeout must be a number"],
      [{ command: "x", disabled: "no" }, "mcpServers.a.disabled is wrong: disabled must be true or false"],
      [{ command: "x", maxConcurrent: 0 }, "mcpServers.a.maxConcurrent is wrong: maxConcurrent must be a whole number"],
      [{ command: "x", required: "yes" }, "mcpServers.a.required is wrong: required must be true or false"],
      [{ command: "x", tools: { a: "yes" } }, "mcpServers.a.tools.a is wrong: tools must be an object"]
    ] satisfies ReadonlyArray<readonly [unknown, string]>
  )("fails the entry %j", (config, expected) => {
    assert.include(messageOf(config), `mcp server "a" failed at config: ${expected}`)
  })

  it("says of a failed entry, too, what is wrong with its keys", () => {
    assert.deepStrictEqual(complaints({ comand: "node", timeout: { startUp: 5, call: 30 }, headers: {} }), [
      "\"mcpServers.a.comand\" is unknown; did you mean \"command\"?",
      "\"mcpServers.a.timeout.startUp\" is unknown; did you mean \"startup\"?",
      "\"mcpServers.a.timeout.startUp\" is 5 milliseconds; were seconds meant (5000)?",
      "\"mcpServers.a.timeout.call\" is 30 milliseconds; were seconds meant (30000)?"
    ])
    assert.deepStrictEqual(complaints({ command: "x", args: "y", argss: [], timeout: "soon" }), [
      "\"mcpServers.a.argss\" is unknown; did you mean \"args\"?"
    ])
    assert.deepStrictEqual(complaints("nothing"), [])
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
      assert.deepStrictEqual([resolved.label, resolved.secrets], ["${BIN:-node}", ["k-123456"]])
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
      assert.include(missing.message, "failed at config: envFile: gone can't be read: there is no such file")
    }).pipe(Effect.provide(platform)))

  it.live("never waits for an environment file that is none", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      execFileSync("mkfifo", [`${folder}/fifo`])
      yield* fs.writeFileString(`${folder}/large`, "A=1\n".repeat(100_000))
      const read = (envFile: string) => {
        const resolved = McpConfig.resolve({ ...local({ command: "x", envFile }), folder })
        return Effect.map(Effect.timeout(Effect.flip(resolved), "2 seconds"), ({ message }) => message)
      }
      assert.include(yield* read("fifo"), "envFile: fifo can't be read: it is no file but a fifo")
      assert.include(yield* read("/dev/zero"), "envFile: /dev/zero can't be read: it is no file but")
      assert.include(yield* read("large"), "envFile: large can't be read: it is larger than 262144 bytes")
    }).pipe(Effect.provide(platform)))

  it.effect("knows every secret the server gets", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFileString(`${folder}/.env`, "FILE=from-env-file\n")
      const config = {
        command: "${COMMAND}",
        args: ["--key=${ARG}", "--port=8080"],
        envFile: "${ENV_FILE}",
        cwd: "${CWD}",
        env: { LITERAL: "literal-value", MIXED: "pre-${MIXED}-post", FOLDER: "${workspaceFolder}", HOME: "${HOME}" }
      }
      const variables = {
        COMMAND: "secret-command",
        ARG: "secret-arg",
        ENV_FILE: ".env",
        CWD: ".",
        MIXED: "secret-env",
        HOME: "/home/me",
        API_KEY: "inherited-key",
        DB_PASSWORD: "inherited-password",
        KEYBOARD: "querty",
        EDITOR: "editor"
      }
      const secretsOf = (more: object) =>
        McpConfig.resolve({ ...local({ ...config, ...more }), folder }).pipe(
          withVariables(variables),
          Effect.map(({ secrets }) => secrets.toSorted())
        )
      const own = [
        ".",
        ".env",
        "from-env-file",
        "literal-value",
        "pre-secret-env-post",
        "secret-arg",
        "secret-command",
        "secret-env"
      ]
      assert.deepStrictEqual(yield* secretsOf({}), own)
      assert.deepStrictEqual(
        yield* secretsOf({ inheritEnv: true }),
        [...own, "inherited-key", "inherited-password"].toSorted()
      )
    }).pipe(Effect.provide(platform)))

  it.effect("says that a working directory isn't there", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(resolve({ command: "x", cwd: "sub" }))
      assert.include(
        error.message,
        "failed at spawn: cwd: sub can't be used: there is no such directory (relative to /project)"
      )
    }))
})
