import { defineTool, type SourceEntry, type Tool, Toolkit } from "@effect-toolnexus/core"
import { McpSource } from "@effect-toolnexus/mcp"
import { SkillSource } from "@effect-toolnexus/skills"
import {
  A2aReply,
  assertNothingLeft,
  FakeA2aAgent,
  InMemoryMcpServer,
  NothingLeft,
  ScriptedMcpServer
} from "@effect-toolnexus/testing"
import { NodeHttp, Precedence, ToolkitLive, ToolkitOptions } from "@effect-toolnexus/toolkit"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const { command } = ScriptedMcpServer

const CALLED_BUILTINS = ["bash", "read", "question", "todowrite"]

/** Without the builtins that no test here is about. */
const inQuestion = (tools: ReadonlyArray<Tool.Tool>): ReadonlyArray<string> =>
  tools.filter(({ name, source }) => source !== "builtin" || CALLED_BUILTINS.includes(name)).map(({ name }) => name)
const echo = command({ tools: [{ name: "echo" }] })

/** A folder with a skill, a configuration and a file that is no folder. */
const project = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  yield* fs.makeDirectory(`${folder}/skills/notes`, { recursive: true })
  yield* fs.writeFileString(
    `${folder}/skills/notes/SKILL.md`,
    "---\nname: notes\ndescription: Takes notes\n---\nWrite.\n"
  )
  yield* fs.writeFileString(`${folder}/file`, "no folder")
  return { folder, write: (name: string, text: string) => fs.writeFileString(`${folder}/${name}`, text) }
}).pipe(Effect.provide(NodeFileSystem.layer))

describe("ToolkitLive", () => {
  it.live(
    "builds every source of a configuration file, calls each, and leaves nothing",
    () =>
      assertNothingLeft(Effect.gen(function*() {
        const { folder, write } = yield* project
        const agent = yield* FakeA2aAgent.make({ name: "Helper", reply: (text) => A2aReply.completed(`did ${text}`) })
        yield* write(
          "mcp.json",
          JSON.stringify({
            mcpServers: { local: echo },
            skills: "skills",
            agents: { helper: { card: agent.cardUrl, pollEvery: 20 } },
            builtins: { root: "skills" },
            disableTools: ["bash", "write", "edit", "apply_patch", "question"]
          })
        )
        const add = defineTool({ name: "add", handler: ({ a, b }) => Number(a) + Number(b) })
        yield* Effect.gen(function*() {
          const toolkit = yield* Toolkit
          assert.deepStrictEqual({ ...yield* toolkit.statuses }, {
            local: "connected",
            "<skills>": "connected",
            builtin: "connected",
            helper: "connected",
            "<config>": "connected"
          })
          const calls = [
            ["local_echo", { a: 1 }, `{"a":1}`],
            ["skill", { name: "notes" }, "# Skill: notes"],
            ["read", { path: "notes/SKILL.md" }, "name: notes"],
            ["todowrite", { todos: [{ id: "1", text: "a", completed: true }] }, "1 of 1 done"],
            ["Helper_answer", { task: "it" }, "did it"],
            ["add", { a: 2, b: 3 }, "5"]
          ] as const
          assert.deepStrictEqual(inQuestion(yield* toolkit.tools), calls.map(([name]) => name))
          for (const [name, args, expected] of calls) {
            assert.include((yield* toolkit.call(name, args)).output, expected)
          }
          assert.match(yield* toolkit.skillsPrompt, /^## Available Skills\n.*\n?- \*\*notes\*\*: Takes notes/)
          assert.isTrue((yield* toolkit.execute("read", { path: "../mcp.json" })).isError)
          assert.deepStrictEqual([...(yield* McpSource.use((source) => source.connections)).keys()], ["local"])
          assert.strictEqual((yield* SkillSource.use((source) => source.skills)).length, 1)
        }).pipe(Effect.provide(ToolkitLive({ config: `${folder}/mcp.json`, tools: [add] })))
      })),
    30_000
  )

  it.live("keeps working with all the rest, whatever is broken", () =>
    assertNothingLeft(Effect.gen(function*() {
      const { folder, write } = yield* project
      yield* write("bad.json", `{"mcpServers": {`)
      const options = {
        config: [
          `${folder}/bad.json`,
          {
            mcpServers: {
              good: echo,
              dead: command({ exit: { code: 7, stderr: "out of licences" } }),
              silent: { ...command({ methods: { initialize: "hang" } }), timeout: { startup: 1000 } },
              gone: { command: "no-such-command-here" }
            },
            agents: { broken: { headers: {} } }
          }
        ],
        skills: [`${folder}/file`, `${folder}/skills`],
        skillProvider: () => {
          throw new Error("no database")
        },
        agents: { refused: { card: "http://127.0.0.1:1/card.json" } }
      }
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.deepStrictEqual({ ...yield* toolkit.statuses }, {
          dead: "failed",
          gone: "failed",
          good: "connected",
          silent: "failed",
          "<skills>": "failed",
          "<skill-provider>": "failed",
          builtin: "connected",
          refused: "failed",
          broken: "failed",
          "<config>": "failed"
        })
        const errors = yield* toolkit.errors
        assert.match(errors["dead"] ?? "", /^mcp server "dead" failed at initialize: .*code 7[\s\S]*out of licences/)
        assert.match(errors["gone"] ?? "", /^mcp server "gone" failed at spawn: .*no-such-command-here.*ENOENT/)
        assert.match(errors["silent"] ?? "", /^mcp server "silent" failed at initialize: .*1000 ms/)
        assert.match(errors["<skills>"] ?? "", /^skills failed at list: .*file/)
        assert.match(errors["<skill-provider>"] ?? "", /no database/)
        assert.match(errors["refused"] ?? "", /^agent "refused" failed at connect: /)
        assert.match(errors["broken"] ?? "", /^agent "broken" failed at config: .*card/)
        assert.match(errors["<config>"] ?? "", /^configuration failed at config: .*bad\.json:1:17: /)
        assert.deepStrictEqual(inQuestion(yield* toolkit.tools).toSorted(), [
          "bash",
          "good_echo",
          "question",
          "read",
          "skill",
          "todowrite"
        ])
        assert.strictEqual((yield* toolkit.call("good_echo", { a: 1 })).output, `{"a":1}`)
        assert.include((yield* toolkit.call("skill", { name: "notes" })).output, "Write.")
      }).pipe(Effect.provide(ToolkitLive(options)))
    })), 30_000)

  it.live("knows a server's tools as soon as whoever added it is told that it is there", () =>
    assertNothingLeft(
      Effect.gen(function*() {
        const [toolkit, source] = [yield* Toolkit, yield* McpSource]
        const definition = { config: echo, folder: ".", path: "late" }
        for (let round = 0; round < 5; round++) {
          assert.strictEqual((yield* source.add("late", definition))._tag, "Loaded")
          assert.strictEqual((yield* toolkit.call("late_echo", { round })).output, JSON.stringify({ round }))
          yield* source.remove("late")
          assert.strictEqual((yield* Effect.flip(toolkit.call("late_echo")))._tag, "ToolNotFound")
        }
      }).pipe(Effect.provide(ToolkitLive({ builtins: false })))
    ))

  it.live("lists in the same order whatever order servers answer in, and shadows a name that a server lists twice", () =>
    Effect.gen(function*() {
      const server = (startupDelay: number, ...names: ReadonlyArray<string>) =>
        command({ startupDelay, tools: names.map((name) => ({ name, does: [{ text: name }] })) })
      const namesOf = (first: number, last: number) =>
        Toolkit.use((toolkit) => toolkit.snapshot).pipe(
          Effect.map(({ shadowed, tools }) => [tools.map(({ name }) => name), shadowed.map(({ name }) => name)]),
          Effect.provide(ToolkitLive({
            config: { mcpServers: { b: server(last, "z", "a", "z"), a: server(first, "y") } },
            builtins: false
          }))
        )
      const expected = [["a_y", "b_z", "b_a"], ["b_z"]]
      assert.deepStrictEqual(yield* namesOf(0, 150), expected)
      assert.deepStrictEqual(yield* namesOf(150, 0), expected)
    }))

  it.live("lets the file switch builtins off, and a background build show what is still on its way", () =>
    Effect.gen(function*() {
      const config = {
        mcpServers: { quick: echo, slow: command({ startupDelay: 1500, tools: [{ name: "t" }] }) },
        builtins: false
      }
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        const seen = yield* toolkit.changes.pipe(
          Stream.map(({ snapshot }) => ({ ...snapshot.statuses })),
          Stream.takeUntil((statuses) => statuses["slow"] === "connected"),
          Stream.runCollect
        )
        assert.deepStrictEqual(seen.at(0)?.["builtin"], "disabled")
        assert.include(seen.map((statuses) => `${statuses["quick"]} ${statuses["slow"]}`), "connected connecting")
        assert.strictEqual((yield* toolkit.call("slow_t")).output, "{}")
      }).pipe(Effect.provide(ToolkitLive({ config, startup: "background" })))
    }))

  it.live(
    "a required server that fails fails the build, in one error that lists them all",
    () =>
      assertNothingLeft(Effect.gen(function*() {
        const config = {
          mcpServers: {
            good: echo,
            gone: { command: "no-such-command-here", required: true },
            dead: { ...command({ exit: { code: 3 } }), required: true }
          },
          agents: { lost: { card: "http://127.0.0.1:1/", required: true }, odd: { required: true } }
        }
        const build = Effect.scoped(Layer.build(ToolkitLive({ config })))
        const error = yield* Effect.flip(build)
        assert.sameMembers(error.entries.map(({ entry }) => entry), ["gone", "dead", "lost", "odd"])
      })),
    20_000
  )

  it.live("joins lists, code first, and lets code win over the file in the rest", () =>
    Effect.gen(function*() {
      const { folder } = yield* project
      const card = (yield* FakeA2aAgent.make({ name: "In code" })).cardUrl
      const another = (yield* FakeA2aAgent.make({ name: "Another" })).cardUrl
      const config = {
        skills: `${folder}/skills`,
        builtins: { tools: { read: false } },
        disableTools: ["skill"],
        agents: { another: { card: another }, one: { card: "http://127.0.0.1:1/" } }
      }
      const layer = ToolkitLive({
        config,
        builtins: { tools: { bash: false } },
        disableTools: ["nope"],
        agents: { one: { card } }
      })
      const { diagnostics, statuses, tools } = yield* Toolkit.use((toolkit) => toolkit.snapshot).pipe(
        Effect.provide(layer)
      )
      assert.deepStrictEqual(inQuestion(tools), [
        "read",
        "question",
        "todowrite",
        "In_code_answer",
        "Another_answer"
      ])
      assert.strictEqual(statuses["one"], "connected")
      assert.deepStrictEqual(diagnostics.map(({ code }) => code), ["unknown-tool"])
    }))

  it.live("lets a tool of one's own replace a builtin, unless another order is asked for", () =>
    Effect.gen(function*() {
      const bash = defineTool({ name: "bash", handler: () => "mine" })
      const run = (options: ToolkitOptions.ToolkitOptions) =>
        Toolkit.use((toolkit) => toolkit.call("bash", { command: "echo theirs" })).pipe(
          Effect.map(({ output }) => output.trim()),
          Effect.provide(ToolkitLive({ tools: [bash], ...options }))
        )
      assert.strictEqual(yield* run({}), "mine")
      assert.strictEqual(yield* run({ precedence: Precedence.make(["builtin", "extra"]) }), "theirs")
      assert.strictEqual(yield* run({ precedence: Precedence.layered }), "mine")
    }))

  it.live("takes an agent that makes no sense for a failed entry", () =>
    Effect.gen(function*() {
      // @ts-expect-error: untyped callers
      const layer = ToolkitLive({ agents: [null, {}], builtins: false })
      const errors = yield* Toolkit.use((toolkit) => toolkit.errors).pipe(Effect.provide(layer))
      assert.deepStrictEqual(Object.values(errors).map((message) => message.includes("failed at config")), [true])
    }))

  it.live("puts an agent that is added in the place of one that failed in the file", () =>
    Effect.gen(function*() {
      const { cardUrl } = yield* FakeA2aAgent.make({ name: "Helper" })
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.strictEqual((yield* toolkit.statuses)["helper"], "failed")
        const { entry, id } = yield* toolkit.addAgent({ card: cardUrl }, "helper")
        assert.deepStrictEqual([id, entry._tag], ["helper", "Loaded"])
        assert.strictEqual((yield* toolkit.statuses)["helper"], "connected")
        assert.strictEqual((yield* toolkit.execute("Helper_answer", { task: "it" })).isError, false)
      }).pipe(Effect.provide(ToolkitLive({ config: { agents: { helper: { card: 3 } } }, builtins: false })))
    }))

  it.live("asks for what the handlers of its tools need", () =>
    Effect.gen(function*() {
      class Greeting extends Context.Service<Greeting, string>()("test/Greeting") {}
      const tool = defineTool({ name: "greet", handler: () => Effect.map(Greeting, (text) => text) })
      const layer: Layer.Layer<Toolkit, SourceEntry.RequiredEntriesFailed, Greeting> = ToolkitLive({
        tools: [tool],
        builtins: false
      })
      const result = yield* Toolkit.use((toolkit) => toolkit.call("greet")).pipe(
        Effect.provide(Layer.provide(layer, Layer.succeed(Greeting, "hello")))
      )
      assert.strictEqual(result.output, "hello")
    }))

  it.live("runs on a platform that its environment gives", () =>
    Effect.gen(function*() {
      const server = yield* InMemoryMcpServer.make({ tools: [{ name: "echo", handler: () => "hi" }] })
      const files = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)
      const platform = Layer.mergeAll(Layer.provideMerge(NodeChildProcessSpawner.layer, files), NodeHttp.layer)
      const layer = Layer.provide(ToolkitOptions.layer({ config: { mcpServers: { s: server } } }), platform)
      const result = yield* Toolkit.use((toolkit) => toolkit.call("s_echo")).pipe(Effect.provide(layer))
      assert.strictEqual(result.output, "hi")
    }))

  it("takes no option that it doesn't know", () => {
    // @ts-expect-error no option at all
    assert.isTrue(Layer.isLayer(ToolkitLive({ servers: {} })))
  })
})

describe("closing", () => {
  /** Servers that don't want to end, each with a process below it. */
  const stubborn = {
    wrapped: { command: "sh", args: ["-c", `"$0" "$@" & wait`, echo.command, ...echo.args] },
    deaf: command({ tools: [{ name: "t" }], ignores: ["stdin", "SIGTERM"], grandchild: { ignoresSigterm: true } }),
    parent: command({ tools: [{ name: "pids", does: [{ report: "pids" }] }], grandchild: {} })
  }

  it.live(
    "ends every process of every server within three seconds, also on failure",
    () =>
      assertNothingLeft(
        Effect.gen(function*() {
          const exit = yield* Effect.gen(function*() {
            const toolkit = yield* Toolkit
            assert.strictEqual((yield* toolkit.snapshot).sources.mcp, "connected")
            return yield* Effect.fail("on purpose")
          }).pipe(Effect.provide(ToolkitLive({ config: { mcpServers: stubborn } })), Effect.exit)
          assert.isTrue(Exit.isFailure(exit))
        }),
        { grace: 500 }
      ),
    30_000
  )

  it.live("also when the build is interrupted half-way", () =>
    assertNothingLeft(
      Effect.gen(function*() {
        const mcpServers = {
          ...stubborn,
          silent: command({ methods: { initialize: "hang" }, ignores: ["stdin", "SIGTERM"] })
        }
        const build = yield* Effect.forkChild(Effect.scoped(Layer.build(ToolkitLive({ config: { mcpServers } }))))
        yield* Effect.sleep("400 millis")
        yield* Effect.timeout(Fiber.interrupt(build), "3 seconds")
      }),
      { grace: 500 }
    ), 30_000)

  it.live("fifty builds and closes leave no more than the first", () =>
    Effect.gen(function*() {
      const { folder } = yield* project
      const agent = yield* FakeA2aAgent.make()
      const layer = ToolkitLive({
        config: { mcpServers: { a: echo, b: echo }, skills: `${folder}/skills` },
        agents: [{ card: agent.cardUrl }]
      })
      const once = Toolkit.use((toolkit) => toolkit.call("a_echo")).pipe(Effect.provide(layer))
      yield* once
      yield* NothingLeft.assertNothingLeft(Effect.replicateEffect(once, 50, { discard: true }))
    }), 60_000)
})
