/** The `toolnexus` command over Node's platform. */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import * as Toolnexus from "../Toolnexus.ts"
import { runMain } from "./runMain.ts"

const files = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)
const platform = Layer.mergeAll(
  Layer.provideMerge(NodeChildProcessSpawner.layer, files),
  NodeStdio.layer,
  NodeTerminal.layer
)

/** This file is below `src` or `dist`; package.json is beside both. */
const { version } = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({ version: Schema.String })))(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

runMain(Effect.provide(Toolnexus.run({ version }), platform))
