/** What operations are called, which of them are wanted, and what is said of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { document, entryOf, namesOf, type Options } from "./documents.ts"

describe("names and filters", () => {
  const operations = document({
    "/users/{id}": {
      get: { operationId: "getUser", tags: ["users"] },
      delete: { tags: ["users", "admin"] }
    },
    "/users/{id}/repos.json": { get: { operationId: "repos/list:all", tags: ["repos"] } },
    "/a": { post: { operationId: "getUser" }, patch: { operationId: "  " } },
    "/1": { get: { operationId: "1st" } },
    "/long": { get: { operationId: "x".repeat(100) }, put: { operationId: `${"x".repeat(100)}y` } },
    "/ü": { get: {} }
  })

  it.live("are sensible, distinct and legal for every provider", () =>
    Effect.gen(function*() {
      const entry = yield* entryOf(operations)
      const names = namesOf(entry)
      assert.deepStrictEqual(names.slice(0, 6), [
        "getUser",
        "delete_users_id",
        "repos_list_all",
        "post_a",
        "patch_a",
        "_1st"
      ])
      assert.match(names[6] ?? "", /^x{57}_[0-9a-f]{6}$/)
      assert.match(names[7] ?? "", /^x{57}_[0-9a-f]{6}$/)
      assert.strictEqual(new Set(names).size, names.length)
      assert.deepStrictEqual(entry.tools.slice(0, 3).map(({ origin }) => origin.name), [
        "getUser",
        "DELETE /users/{id}",
        "repos/list:all"
      ])
    }))

  it.live("operations are chosen by name, tag and method, and a rule for nothing is told", () =>
    Effect.gen(function*() {
      const chosen = (options: Options) =>
        Effect.map(entryOf(operations, { baseUrl: "http://h.example", ...options }), namesOf)
      assert.deepStrictEqual(yield* chosen({ include: ["users"] }), ["getUser", "delete_users_id"])
      assert.deepStrictEqual(yield* chosen({ include: ["repos/*", "DELETE /users/{id}"] }), [
        "delete_users_id",
        "repos_list_all"
      ])
      assert.deepStrictEqual(yield* chosen({ include: ["users"], exclude: ["delete"] }), ["getUser"])
      assert.deepStrictEqual(yield* chosen({ include: [{ tag: "users", method: "GET" }] }), ["getUser"])
      assert.deepStrictEqual(yield* chosen({ include: [] }), [])
      const entry = yield* entryOf(operations, {
        baseUrl: "http://h.example",
        exclude: ["delet_users_id", { tag: "no" }]
      })
      const unknown = entry.diagnostics.filter(({ code }) => code === "unknown-operation")
      assert.strictEqual(unknown.length, 2)
    }))

  it.live("descriptions and hints are the document's and the method's", () =>
    Effect.gen(function*() {
      const { tools } = yield* entryOf(document({
        "/a": {
          get: { summary: "Short", description: "Long", deprecated: true },
          put: { summary: "Short", description: "Short and long" },
          delete: {}
        }
      }))
      assert.deepStrictEqual(tools.map(({ description }) => description), [
        "Short\n\nLong\n\nDeprecated.",
        "Short and long",
        "DELETE /a"
      ])
      assert.deepStrictEqual(tools.map(({ annotations }) => annotations?.destructiveHint), [false, true, true])
      assert.strictEqual(tools[0]?.annotations?.readOnlyHint, true)
    }))
})
