/** Whatever the document and the arguments: what the server receives is what the document says. */
import { openApiTools } from "@effect-toolnexus/extra"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { generate } from "./generatedOperations.ts"
import { build, callIn, serve } from "./support.ts"

const SEEDS = Number(process.env["SEEDS"] ?? 400)

it.live(`${SEEDS} operations and arguments by chance`, () =>
  Effect.gen(function*() {
    const server = yield* serve()
    const cases = Array.from({ length: SEEDS }, (_, seed) => generate(seed))
    const paths = Object.fromEntries(cases.map(({ method, operation, path }) => [path, { [method]: operation }]))
    const document = { openapi: "3.1.0", info: { title: "By chance", version: "1" }, paths }
    const entries = yield* build([openApiTools(document, { baseUrl: server.origin })])
    assert.strictEqual(entries[0]?.tools.length, SEEDS)
    for (const [seed, { args, differences }] of cases.entries()) {
      server.seen.length = 0
      const result = yield* Effect.result(callIn(entries, `case${seed}`, args))
      assert.strictEqual(result._tag, "Success", `seed ${seed}: ${JSON.stringify(result)}`)
      const [seen] = server.seen
      assert.isDefined(seen)
      const found = yield* Effect.promise(() => differences(seen))
      assert.deepStrictEqual(found, [], `seed ${seed}`)
    }
  }), 30_000 + SEEDS * 50)
