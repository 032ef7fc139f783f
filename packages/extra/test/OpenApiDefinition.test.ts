import { Environment } from "@effect-toolnexus/core"
import { OpenApiDefinition, openApiTools } from "@effect-toolnexus/extra"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { build, serve } from "./support.ts"

describe("the name of a document", () => {
  it.each([
    ["https://me:secret@api.example/openapi.json?key=1#x", "https://api.example/openapi.json"],
    ["http:me:secret@api.example/openapi.json", "http://api.example/openapi.json"],
    ["./pets.yaml", "./pets.yaml"],
    ["C:\\pets.yaml", "C:\\pets.yaml"],
    ["file:///project/pets.yaml", "/project/pets.yaml"],
    ["{\"info\": {\"title\": \"Pets\"}}", "Pets"]
  ])("of %s", (document, name) => assert.strictEqual(OpenApiDefinition.entryName(document), name))

  it("shows nothing of what can't be read", () => {
    assert.match(OpenApiDefinition.entryName("https://me:secret@:x/"), /^invalid-document-url-[0-9a-f]{6}$/)
  })
})

describe("a secret in a document's address", () => {
  it.live("is shown nowhere, however it stands there", () =>
    Effect.gen(function*() {
      const server = yield* serve((_seen, response) => response.writeHead(500).end())
      const secret = "a b/c\"d-secret"
      const [entry] = yield* Effect.provideService(
        build([openApiTools(`${server.origin}/\${TOKEN}/openapi.json`, { retry: "never" })]),
        Environment,
        { TOKEN: secret }
      )
      assert.strictEqual(server.seen[0]?.path, "/a%20b/c%22d-secret/openapi.json")
      assert.strictEqual(entry !== undefined && "error" in entry, true)
      assert.include(JSON.stringify(entry), "/<redacted>/openapi.json answered HTTP 500")
      for (const part of ["d-secret", "a%20b"]) assert.notInclude(JSON.stringify(entry), part)
    }))
})
