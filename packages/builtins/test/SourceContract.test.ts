import { BuiltinSource } from "@effect-toolnexus/builtins"
import { sourceContract } from "@effect-toolnexus/testing/SourceContract"
import * as Layer from "effect/Layer"
import { platform } from "./harness.ts"

const source = (options: BuiltinSource.BuiltinOptions) => BuiltinSource.layer(options).pipe(Layer.provide(platform))

sourceContract("BuiltinSource", {
  kind: "builtin",
  toolKind: "builtin",
  good: source(true),
  tools: ["bash", "read", "write", "edit", "apply_patch", "grep", "glob", "webfetch", "question", "todowrite"],
  call: { tool: "bash", args: { command: "echo hello" }, output: "hello" },
  hang: { tool: "bash", args: { command: "sleep 60" } },
  // its tools hold nothing that ends with a close: the list of `todowrite` is a value in memory
  isPure: true
})
