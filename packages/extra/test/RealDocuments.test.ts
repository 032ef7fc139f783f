/** Documents that people publish, out of packages: every operation of theirs becomes a tool, or a diagnostic. */
import { ProviderSchema, type Tool } from "@effect-toolnexus/core"
import { openApiTools } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
// the rules are written apart from the lowering, once for the whole product
import { problemsOf, ways } from "../../toolkit/test/providerWays.ts"
import { build } from "./support.ts"

// not all of them let their files be resolved
const packageFile = (name: string, file: string) => join(import.meta.dirname, "../node_modules", name, file)
const examples = (version: string) =>
  globSync(`${version}/*/*.{json,yaml}`, { cwd: packageFile("@readme/oas-examples", "") })
    .toSorted().map((file) => packageFile("@readme/oas-examples", file))

/** As text, a path, or, where it is packed, the document itself. */
const documents: Readonly<Record<string, readonly [document: string, operations: number]>> = {
  "GitHub (3.0, JSON)": [packageFile("@octokit/openapi", "generated/api.github.com.json"), 706],
  "GitHub Enterprise, dereferenced (3.0, JSON)": [
    packageFile("@octokit/openapi", "generated/ghes-2.22.deref.json"),
    631
  ],
  "Kubernetes (Swagger 2.0, JSON)": [
    gunzipSync(readFileSync(packageFile("kubernetes-client", "lib/specs/swagger-1.13.json.gz"))).toString(),
    1014
  ],
  "Netlify (Swagger 2.0, JSON)": [packageFile("@netlify/open-api", "dist/swagger.json"), 181],
  "rclone (3.1, YAML)": [packageFile("rclone-openapi", "openapi.yaml"), 101]
}

const TIMEOUT = 240_000

const baseUrl = "http://127.0.0.1:1"

describe.each(Object.entries(documents))("%s", (_name, [document, operations]) => {
  let tools: ReadonlyArray<Tool.Tool> = []

  it.live("has a tool for each operation", () =>
    Effect.gen(function*() {
      const [entry] = yield* build([openApiTools(document, { baseUrl, headers: { Authorization: "x" } })])
      tools = entry?.tools ?? []
      assert.strictEqual(entry?._tag, "Loaded")
      assert.deepStrictEqual(entry?.diagnostics, [])
      assert.strictEqual(entry?.tools.length, operations)
      const names = entry?.tools.map(({ name }) => name) ?? []
      assert.strictEqual(new Set(names).size, operations)
      for (const name of names) assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/)
    }), TIMEOUT)

  it.each(Object.entries(ways))("is taken by %s", (_provider, way) => {
    assert.deepStrictEqual(problemsOf(way, ProviderSchema.make(), tools).slice(0, 5), [])
  }, TIMEOUT)

  it("loses no tool to a provider", () => {
    const schemas = ProviderSchema.make()
    for (const provider of ["openai", "anthropic", "gemini", "bedrock"] as const) {
      assert.deepStrictEqual(schemas.check(tools, provider).left_out.slice(0, 3), [])
    }
  }, TIMEOUT)
})

describe("the examples of every version", () => {
  it.live.each([...examples("2.0"), ...examples("3.0"), ...examples("3.1")])("%s", (file) =>
    Effect.gen(function*() {
      const [entry] = yield* build([openApiTools(file, { baseUrl })])
      assert.strictEqual(entry?._tag, "Loaded", entry !== undefined && "error" in entry ? entry.error.message : "")
      const broken = entry?.diagnostics.filter(({ code }) => code === "broken-operation") ?? []
      const count = (entry?.tools.length ?? 0) + broken.length
      // some have webhooks or schemas only
      if (count === 0) assert.match(file, /webhooks|schema-|components|readme-extensions/)
      assert.deepStrictEqual(broken, [])
    }), TIMEOUT)
})
