/** OpenAPI documents of a configuration: entries like any other, and tools that can be called. */
import { SourceEntry, Toolkit } from "@effect-toolnexus/core"
import { httpTool, openApiTools } from "@effect-toolnexus/extra"
import { ToolkitConfig, ToolkitLive } from "@effect-toolnexus/toolkit"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { createServer } from "node:http"

const pets = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets/{id}": {
      get: {
        operationId: "getPet",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }]
      },
      delete: { operationId: "deletePet" }
    }
  }
}

/** Serves the document, and answers everything else with what it was asked for. */
const server = Effect.acquireRelease(
  Effect.callback<{ readonly origin: string; readonly close: () => void }>((resume) => {
    const http = createServer((request, response) => {
      const isDocument = request.url === "/openapi.json"
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(isDocument ? pets : { url: request.url, tenant: request.headers["x-tenant"] }))
    })
    http.listen(0, "127.0.0.1", () => {
      const address = http.address()
      const port = typeof address === "object" ? address?.port : undefined
      resume(Effect.succeed({ origin: `http://127.0.0.1:${port}`, close: () => void http.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("OpenAPI documents", () => {
  it.live("of a configuration are entries, and their operations tools behind the pipeline", () =>
    Effect.gen(function*() {
      const { origin } = yield* server
      const config = {
        mcpServers: {},
        openapi: {
          pets: {
            document: `${origin}/openapi.json`,
            headers: { "X-Tenant": "acme" },
            exclude: ["DELETE"],
            required: true
          },
          builtin: { document: pets, baseUrl: origin, include: ["deletePet"] },
          gone: { document: "nowhere.json" },
          odd: { documnt: "x", headers: 1 },
          off: { document: "nowhere.json", disabled: true },
          number: 5
        }
      }
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.deepStrictEqual(yield* toolkit.toolNames, ["deletePet", "getPet", "ping"])
        assert.deepStrictEqual({ ...yield* toolkit.statuses }, {
          pets: "connected",
          "openapi:builtin": "connected",
          gone: "failed",
          off: "disabled",
          odd: "failed",
          builtin: "disabled",
          "<config>": "connected"
        })
        const errors = yield* toolkit.errors
        assert.match(errors["gone"] ?? "", /failed at list: .*nowhere\.json can't be read: there is no such file/)
        assert.match(errors["odd"] ?? "", /failed at config: headers must be/)
        const diagnostics = (yield* toolkit.diagnostics).map(({ code, path }) => [code, path])
        assert.deepInclude(diagnostics, ["invalid-value", "openapi.number"])
        assert.deepInclude(diagnostics, ["unknown-key", "openapi.odd.documnt"])
        const result = yield* toolkit.call("getPet", { id: 7 })
        assert.deepStrictEqual(result.structured, { url: "/pets/7", tenant: "acme" })
        const wrong = yield* Effect.flip(toolkit.call("getPet", { id: "seven" }))
        assert.strictEqual(wrong._tag, "InvalidArguments")
        const { origin: from, source } = Option.getOrThrow(yield* toolkit.get("getPet"))
        assert.deepInclude(from, { kind: "http", entry: "pets", name: "getPet", location: `${origin}/openapi.json` })
        assert.strictEqual(source, "http")
        assert.strictEqual((yield* toolkit.sources).extra, "connected")
      }).pipe(
        Effect.provide(ToolkitLive({
          config,
          builtins: false,
          tools: [httpTool({ name: "ping", url: `${origin}/ping` })]
        }))
      )
    }))

  it.live("given in code are named by where they come from, and may be required", () =>
    Effect.gen(function*() {
      const { origin } = yield* server
      yield* Effect.gen(function*() {
        const toolkit = yield* Toolkit
        assert.strictEqual((yield* toolkit.statuses)[`${origin}/openapi.json`], "connected")
        assert.match((yield* toolkit.execute("getPet", { id: 1 })).output, /\/pets\/1/)
      }).pipe(Effect.provide(ToolkitLive({ builtins: false, tools: [openApiTools(`${origin}/openapi.json`)] })))
      const required = ToolkitLive({ tools: [openApiTools("nowhere.yaml", { required: true })] })
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(required)))
      assert.isTrue(Exit.isFailure(exit))
      const error = yield* Effect.flip(Effect.scoped(Layer.build(required)))
      assert.instanceOf(error, SourceEntry.RequiredEntriesFailed)
      assert.deepStrictEqual(error.entries.map(({ entry }) => entry), ["nowhere.yaml"])
    }))

  it.effect("are shown without what is secret", () =>
    Effect.gen(function*() {
      const config = yield* ToolkitConfig.load({
        openapi: {
          a: {
            document: "https://me:s3cret@h.example/x.json?key=s3cret",
            headers: { Authorization: "s3cret" },
            security: { key: "s3cret" }
          }
        }
      })
      const shown = ToolkitConfig.describe(config)
      assert.notInclude(JSON.stringify(shown), "s3cret")
      assert.deepStrictEqual(Object.keys(Object(shown["openapi"])), ["a"])
    }).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer])))
})
