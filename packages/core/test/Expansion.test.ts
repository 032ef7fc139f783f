import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
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
        ["$${TOKEN} $TOKEN {TOKEN} ${} ${a b} ${x:0:3}", "${TOKEN} $TOKEN {TOKEN} ${} ${a b} ${x:0:3}"],
        ["${NESTED}", "${TOKEN}"]
      ] as const
      for (const [text, expected] of cases) assert.strictEqual((yield* expand(text)).text, expected, text)
    }))

  it.effect("says which parts came out of variables, and are not to be shown", () =>
    Effect.gen(function*() {
      const expanded = yield* expand("https://h/${TOKEN}/x/${NOPE:-open}/${workspaceFolder}/${TOKEN}")
      assert.deepStrictEqual(expanded.secrets, ["s3cret", "s3cret"])
    }))

  it.effect("doesn't wait for what is no file, and reads no endless one", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      execFileSync("mkfifo", [`${folder}/fifo`])
      assert.include((yield* Effect.flip(expand("{file:fifo}", folder))).message, "it is no file but a fifo")
      assert.include((yield* Effect.flip(expand("{file:/dev/zero}"))).message, "it is no file but a characterdevice")
      yield* fs.writeFileString(`${folder}/large`, "x".repeat(65_537))
      assert.include((yield* Effect.flip(expand("{file:large}", folder))).message, "it is larger than 65536 bytes")
    }))

  it.effect("doesn't pass on what an editor would ask a person for", () =>
    Effect.gen(function*() {
      assert.include((yield* Effect.flip(expand("Bearer ${input:api-key}"))).message, "${input:api-key} asks a person")
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
      assert.deepStrictEqual(yield* expand("{file:key}{file:./key}", folder), {
        text: "k1k1",
        shown: "{file:key}{file:./key}",
        secrets: ["k1", "k1"]
      })
      const error = yield* Effect.flip(expand("{file:gone}", folder))
      assert.include(error.message, "{file:gone} can't be read: there is no such file")
    }))
})
