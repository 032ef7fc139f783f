/** What the official conformance suite asks of a client of revision 2025-11-25, but for authorization. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Yaml from "effect/encoding/Yaml"
import * as FileSystem from "effect/FileSystem"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { folder, platform } from "./support.ts"

const manifest = createRequire(import.meta.url).resolve("mcp-conformance/package.json")
const suite = join(dirname(manifest), "dist/index.js")

const run = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner
  const options = { detached: true, stdin: "ignore", forceKillAfter: "1 second" } as const
  const handle = yield* spawner.spawn(ChildProcess.make(process.execPath, [suite, ...args], options))
  const printed = yield* Stream.mkString(Stream.decodeText(handle.all))
  return { code: Number(yield* handle.exitCode), printed }
}, Effect.scoped)

// the suite hands it to a shell, with the URL of its server behind it
const client = `'${process.execPath}' '${join(folder, "conformanceClient.ts")}'`

const passes = (scenario: string) =>
  Effect.gen(function*() {
    const { code, printed } = yield* run(["client", "--scenario", scenario, "--command", client, "--timeout", "12000"])
    assert.match(printed, /Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/, printed)
    assert.include(printed, "OVERALL: PASSED", printed)
    assert.strictEqual(code, 0, printed)
  }).pipe(Effect.provide(platform))

const scenarios = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "json-schema-2020-12-preservation"
]

/** What a revision requires, as the suite has it. */
const Requirements = Schema.Struct({
  client: Schema.Array(Schema.String),
  not_scored: Schema.Array(Schema.Struct({ scenario: Schema.String, leg: Schema.String }))
})

const decodeRequirements = Schema.decodeUnknownEffect(Requirements)

describe("the official conformance suite", () => {
  // one after the other: `sse-retry` looks at the time
  it.live.each(scenarios)("passes us in %s", passes)

  it.live("has no other scenario for a client, but for authorization", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const file = yield* fs.readFileString(join(dirname(manifest), "requirements/2025-11-25.yaml"))
      const { client: scored, not_scored: others } = yield* decodeRequirements(Yaml.parse(file))
      const reported = others.flatMap(({ leg, scenario }) => leg === "client" ? [scenario] : [])
      const names = [...scored, ...reported].filter((name) => !name.startsWith("auth/"))
      assert.sameMembers(names, scenarios)
    }).pipe(Effect.provide(platform)))
})
