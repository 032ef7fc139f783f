/** Everything a remote server needs to be spoken to, expanded. */
import * as EntryTexts from "@effect-toolnexus/core/EntryTexts"
import { Environment, type Variables } from "@effect-toolnexus/core/Environment"
import * as HttpAddress from "@effect-toolnexus/core/HttpAddress"
import { proxyVariables } from "@effect-toolnexus/core/RemoteRequests"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as TextFile from "@effect-toolnexus/core/TextFile"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import type { RemoteServer, ResolvedRemote } from "../McpConfig.ts"
import { entryError } from "./entryError.ts"

export const resolveRemoteServer = Effect.fnUntraced(function*(server: RemoteServer) {
  const { expand, expandHeader, secrets } = EntryTexts.make({ kind: "mcp", entry: server.name, folder: server.folder })
  const url = yield* expand("url", server.url)
  const headers = new Map<string, string>()
  const shown = new Map<string, string>()
  for (const [name, value] of Object.entries(server.headers)) {
    const expanded = yield* expandHeader(name, value)
    headers.set(name, expanded.text)
    shown.set(name, expanded.shown)
  }
  const tls = yield* readTls(server)
  const proxy = yield* proxyOf(server, yield* Environment)
  const credentials = [url.text, ...Object.values(proxy)].flatMap((text) => HttpAddress.parse(text)?.secrets ?? [])
  const resolved: ResolvedRemote = {
    name: server.name,
    url: yield* parseUrl(server.name, "url", url.text),
    headers: Object.fromEntries(headers),
    tls,
    proxy,
    shown: { url: url.shown, headers: Object.fromEntries(shown) },
    secrets: [...new Set([...secrets, ...headers.values(), ...credentials])]
  }
  return resolved
})

const parseUrl = (entry: string, field: "proxy" | "url", text: string) => {
  const url = URL.parse(text)
  if (url === null) {
    return Effect.fail(entryError(entry, "config", `${field} is no URL; it begins with http:// or https://`))
  }
  return url.protocol === "http:" || url.protocol === "https:"
    ? Effect.succeed(url)
    : Effect.fail(entryError(entry, "config", `${field} must begin with http:// or https://, not with ${url.protocol}`))
}

/** As far as it matters that a file of another form, or half of one, is told apart: the platform passes over what it can't read. */
const PEM = /-----BEGIN ([A-Z0-9 ]+)-----[^]+?-----END \1-----/

const NO_PEM = "is no PEM: lines from -----BEGIN ...----- to -----END ...-----"

/** Larger files are no certificates. */
const MAX_PEM_BYTES = 1024 * 1024

const readTls = Effect.fnUntraced(function*(server: RemoteServer) {
  const path = yield* Path.Path
  const fail = (problem: string) => entryError(server.name, "config", problem)
  const read = (field: "ca" | "cert" | "key") => {
    const text = server[field]
    if (text === undefined) return Effect.succeed({})
    if (text.includes("-----BEGIN ")) {
      return PEM.test(text) ? Effect.succeed({ [field]: text }) : Effect.fail(fail(`${field} ${NO_PEM}`))
    }
    return TextFile.read(path.resolve(server.folder, text), MAX_PEM_BYTES).pipe(
      Effect.mapError(({ message }) => fail(`${field}: ${text} ${message}`)),
      Effect.filterOrFail((pem) => PEM.test(pem), () => fail(`${field}: ${text} ${NO_PEM}`)),
      Effect.map((pem) => ({ [field]: pem }))
    )
  }
  const tls: ResolvedRemote["tls"] = { ...yield* read("ca"), ...yield* read("cert"), ...yield* read("key") }
  return tls
})

/** One that can't be read would be passed over, and the server spoken to directly. */
const proxyOf = (
  { name, proxy }: RemoteServer,
  variables: Variables
): Effect.Effect<Record<string, string>, EntryError> => {
  if (proxy === undefined) return Effect.succeed(proxyVariables(variables))
  if (proxy === "") return Effect.succeed({})
  return Effect.as(parseUrl(name, "proxy", proxy), { HTTP_PROXY: proxy, HTTPS_PROXY: proxy })
}
