import { EntryTexts, Environment } from "@effect-toolnexus/core"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const expandHeaders = (headers: Readonly<Record<string, string>>) => {
  const texts = EntryTexts.make({ kind: "agent", entry: "a", folder: "/project" })
  return texts.expandHeaders(headers).pipe(
    Effect.map((expanded) => ({ expanded, secrets: texts.secrets })),
    Effect.provideService(Environment, { TOKEN: "s3cret", LINES: "one\ntwo", NONE: undefined })
  )
}

layer(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer))("EntryTexts", (it) => {
  it.effect("has headers by their names in lower case, and remembers what variables put there", () =>
    Effect.gen(function*() {
      const { expanded, secrets } = yield* expandHeaders({
        Authorization: "Bearer ${TOKEN}",
        "X-Folder": "${workspaceFolder}",
        ["__proto__"]: "x"
      })
      assert.deepStrictEqual(
        Object.entries(expanded),
        [["authorization", "Bearer s3cret"], ["x-folder", "/project"], ["__proto__", "x"]]
      )
      assert.strictEqual(Object.getPrototypeOf(expanded), Object.prototype)
      assert.deepStrictEqual(secrets, ["s3cret"])
    }))

  it.effect("names the entry, the field and the variable where something is wrong, and shows no value", () =>
    Effect.gen(function*() {
      const cases = [
        [{ "größe": "${TOKEN}" }, "headers: \"größe\" is no header's name"],
        [{ "Authorization: Bearer s3cret": "" }, "headers: what begins with \"Authorization\" is no header's name"],
        [{ "Bearer s3cret": "" }, "headers: what begins with \"Bearer\" is no header's name"],
        [{ Key: "${NONE}" }, "headers.Key: NONE is not set, and there is no default"],
        [{ Key: "${LINES}" }, "headers.Key: its value has a character that a header can't hold, such as a line break"],
        [{ Key: "s3cret ☃" }, "headers.Key: its value has a character that a header can't hold, such as a line break"]
      ] as const
      for (const [headers, detail] of cases) {
        const error = yield* Effect.flip(expandHeaders(headers))
        assert.strictEqual(error.message, `agent "a" failed at config: ${detail}`)
      }
    }))
})
