/** The `toolnexus` command over Node's platform. */
import * as NodePlatform from "@effect-toolnexus/toolkit/NodePlatform"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import * as NodeTerminal from "@effect/platform-node-shared/NodeTerminal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import * as Toolnexus from "../Toolnexus.ts"
import { runMain } from "./runMain.ts"

const platform = Layer.mergeAll(NodePlatform.layer, NodeStdio.layer, NodeTerminal.layer)

/** This file is below `src` or `dist`; package.json is beside both. */
const { version } = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({ version: Schema.String })))(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

runMain(Effect.provide(Toolnexus.run({ version }), platform))
