/** Endpoints and documents keep the contract of sources, beside functions. */
import { ExtraSource, httpTool, openApiTools } from "@effect-toolnexus/extra"
import { sourceContract } from "@effect-toolnexus/testing/SourceContract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { json, platform, type Script, serve } from "./support.ts"

const script: Script = (seen, response) => {
  if (seen.path === "/hang") return
  json(response, 200, seen.path === "/openapi.json" ? document : { got: seen.target })
}

const document = {
  openapi: "3.1.0",
  info: { title: "Contract", version: "1" },
  paths: { "/echo": { get: { operationId: "echo", parameters: [{ name: "city", in: "query", schema: {} }] } } }
}

/** The source of a server that is started and stopped with it. */
const source = (others: ReadonlyArray<ExtraSource.Item> = [], path = "/openapi.json") =>
  Layer.unwrap(
    Effect.map(serve(script), ({ origin }) =>
      ExtraSource.layer([
        httpTool({ name: "hang", url: `${origin}/hang` }),
        openApiTools(`${origin}${path}`),
        ...others
      ]))
  ).pipe(Layer.provide(platform))

sourceContract("ExtraSource, over HTTP", {
  kind: "extra",
  toolKind: "http",
  good: source(),
  tools: ["hang", "echo"],
  call: { tool: "echo", args: { city: "Oslo" }, output: "Oslo" },
  hang: { tool: "hang", args: {} },
  bad: { layer: source([openApiTools("nowhere.json")]), entry: "nowhere.json" },
  slow: source([], "/hang")
})
