import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { Environment, Expansion } from "../src/index.ts"

const variables = { TOKEN: "s3cret", EMPTY: "", HOME: "/home/me", NESTED: "${TOKEN}" }
const expand = (text: string, folder = "/project") =>
  Expansion.expand(text, { folder }).pipe(Effect.provideService(Environment, variables))

layer(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer))("expand", (it) => {
  it.effect("knows every dialect", () =>
    Effect.gen(function*() {
      const cases = [
        ["Bearer ${TOKEN}", "Bearer s3cret"],
        ["${env:TOKEN}|{env:TOKEN}", "s3cret|s3cret"],
        ["${NOPE:-fallback}${EMPTY:-fallback}", "fallbackfallback"],
        ["[${NOPE:-}][${EMPTY}]", "[][]"],
        ["${workspaceFolder}/x ${userHome}", "/project/x /home/me"],
        ["$${TOKEN} $TOKEN {TOKEN} ${} ${a b} ${input:x}", "${TOKEN} $TOKEN {TOKEN} ${} ${a b} ${input:x}"],
        ["${NESTED}", "${TOKEN}"]
      ] as const
      for (const [text, expected] of cases) assert.strictEqual(yield* expand(text), expected, text)
    }))

  it.effect("names a missing variable, and no value", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(expand("${TOKEN} ${NOPE}"))
      assert.strictEqual(error.variable, "NOPE")
      assert.notInclude(error.message, "s3cret")
      assert.strictEqual((yield* Effect.flip(expand("${toString}"))).variable, "toString")
    }))

  it.effect("reads a file relative to the folder, without its last line break", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      yield* fs.writeFileString(`${folder}/key`, "k1\n")
      assert.strictEqual(yield* expand("{file:key}{file:./key}", folder), "k1k1")
      const error = yield* Effect.flip(expand("{file:gone}", folder))
      assert.include(error.message, "{file:gone} can't be read: NotFound")
    }))
})
