/** An endpoint of one's own, its headers filled in and its connections opened. */
import { EntryTexts, HttpAddress, type Tool } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type { HttpTool } from "../HttpTool.ts"
import { makeClosed } from "./closed.ts"
import { Endpoint } from "./endpoint.ts"
import { type CallSettings, DEFAULT_TIMEOUT, handler } from "./endpointCall.ts"
import { annotationsOf } from "./methodHints.ts"
import { userInfoOf } from "./userInfo.ts"

export const connectEndpoint = Effect.fnUntraced(function*(httpTool: HttpTool) {
  const { definition, inputSchema, location, name, plan } = httpTool
  const { headers = {}, method = "GET", resultMode = "text", retry = "safe", timeout = DEFAULT_TIMEOUT } = definition
  const path = yield* Path.Path
  const texts = EntryTexts.make({ kind: "extra", entry: name, folder: path.resolve(".") })
  const expanded = yield* texts.expandHeaders(headers)
  const userInfo = userInfoOf(definition.url)
  const address = userInfo === undefined ? undefined : HttpAddress.parse(`http://${userInfo}@localhost`)
  const url = URL.parse(plan.url.origin)
  const settings: CallSettings = {
    endpoint: yield* Endpoint.make({
      entry: name,
      // its host may have placeholders, and with them more than one origin
      headers: { ...address?.headers, ...expanded },
      addresses: [],
      secrets: [...texts.secrets, ...address?.secrets ?? []],
      named: { urls: url === null ? [] : [url], advice: "give it as the tool's \"url\"" },
      retry
    }),
    // by whoever wrote the tool
    namedFrom: "machine",
    timeout,
    mode: resultMode,
    permits: undefined,
    closed: yield* makeClosed
  }
  const { annotations = annotationsOf(method), description = "" } = definition
  const tool: Tool.Tool = {
    name,
    description,
    inputSchema,
    annotations,
    source: "http",
    origin: { kind: "http", entry: "", name, location },
    handler: handler(plan, settings)
  }
  return tool
})
