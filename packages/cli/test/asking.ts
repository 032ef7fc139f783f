/** The command as a process over tools that ask a person. */
import { defineTool, Suspension } from "@effect-toolnexus/core"
import * as ExtraSource from "@effect-toolnexus/extra/ExtraSource"
import * as ToolkitLayer from "@effect-toolnexus/toolkit/ToolkitLayer"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { runMain } from "../src/internal/runMain.ts"
import { ToolkitFactory } from "../src/ToolkitFactory.ts"
import * as Toolnexus from "../src/Toolnexus.ts"

/** Asks for leave, then for a colour. */
const paint = defineTool({
  name: "paint",
  handler: (_, call) =>
    Effect.gen(function*() {
      const { resumed } = call
      yield* call.progress({ progress: 1 })
      if (resumed === undefined) return yield* Suspension.request(call, { kind: "approval", prompt: "Paint it?" })
      return resumed.answer.data === undefined
        ? yield* Suspension.request(call, { kind: "input", prompt: "Which colour?" })
        : resumed.answer.data
    })
})

const tools = ExtraSource.layer([{ ...paint, suspension: { rounds: 2 } }])

const platform = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeStdio.layer,
  NodeTerminal.layer,
  Layer.succeed(ChildProcessSpawner.ChildProcessSpawner, ChildProcessSpawner.make(() => Effect.die("unused")))
)

runMain(
  Toolnexus.run({ version: "0.0.0" }).pipe(
    Effect.provideService(ToolkitFactory, () => ToolkitLayer.make([tools])),
    Effect.provide(platform)
  )
)
