import { ToolkitFactory, Toolnexus } from "@effect-toolnexus/cli"
import { defineTool } from "@effect-toolnexus/core"
import { ExtraSource } from "@effect-toolnexus/extra"
import { NodePlatform, ToolkitLayer } from "@effect-toolnexus/toolkit"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import { Effect, Layer } from "effect"

const hello = defineTool({ name: "hello", description: "Says hello", handler: () => "hello" })

Toolnexus.run({ version: "1.0.0" }).pipe(
  Effect.provideService(ToolkitFactory, () => ToolkitLayer.make([ExtraSource.layer([hello])])),
  Effect.provide(Layer.mergeAll(NodePlatform.layer, NodeStdio.layer, NodeTerminal.layer)),
  // the command has said what there is to say
  NodeRuntime.runMain({ disableErrorReporting: true })
)
