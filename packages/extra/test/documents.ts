/** Documents made of what a test is about, their entries, and calls of their operations. */
import type { Json, SourceEntry } from "@effect-toolnexus/core"
import { openApiTools } from "@effect-toolnexus/extra"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build, callIn, serve } from "./support.ts"

export const document = (paths: Json.JsonObject, rest: Json.JsonObject = {}): Json.JsonObject => ({
  openapi: "3.0.3",
  info: { title: "Test", version: "1" },
  paths,
  ...rest
})

export type Options = NonNullable<Parameters<typeof openApiTools>[1]>

export const entryOf = (given: Json.JsonObject | string, options: Options = { baseUrl: "http://127.0.0.1:1" }) =>
  Effect.map(build([openApiTools(given, options)]), ([entry]): SourceEntry.SourceEntry => {
    assert.isDefined(entry)
    return entry
  })

export const namesOf = ({ tools }: SourceEntry.SourceEntry) => tools.map(({ name }) => name)
export const schemaOf = ({ tools }: SourceEntry.SourceEntry, index = 0) =>
  tools[index]?.inputSchema ?? { type: "object" }
export const errorOf = (entry: SourceEntry.SourceEntry) => "error" in entry ? entry.error : undefined
export const brokenOf = ({ diagnostics }: SourceEntry.SourceEntry) =>
  diagnostics.filter(({ code }) => code === "broken-operation").map(({ message }) => message)

/** One operation of a server that is really there, called; what arrived, and the result. */
export const called = Effect.fnUntraced(
  function*(method: string, path: string, operation: Json.JsonObject, args: Json.JsonObject, rest?: Json.JsonObject) {
    const server = yield* serve()
    const entries = yield* build([
      openApiTools(document({ [path]: { [method]: { operationId: "op", ...operation } } }, rest), {
        baseUrl: `${server.origin}/base/`
      })
    ])
    const result = yield* Effect.result(callIn(entries, "op", args))
    const [first] = server.seen
    return { result, first, seen: server.seen, entry: entries[0] }
  }
)

export const parameter = (name: string, place: string, rest: Json.JsonObject = {}) => ({
  name,
  in: place,
  schema: {},
  ...rest
})
