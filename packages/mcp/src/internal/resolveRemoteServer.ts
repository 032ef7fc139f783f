/** Everything a remote server needs to be spoken to, expanded. */
import { Environment, type Variables } from "@effect-toolnexus/core/Environment"
import { isHeaderName, isHeaderValue } from "@effect-toolnexus/core/HeaderSyntax"
import { proxyVariables } from "@effect-toolnexus/core/RemoteRequests"
import * as TextFile from "@effect-toolnexus/core/TextFile"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { RemoteServer, ResolvedRemote } from "../McpConfig.ts"
import { entryError } from "./entryError.ts"
import { makeFields } from "./expandFields.ts"

export const resolveRemoteServer = Effect.fnUntraced(function*(server: RemoteServer) {
  const { expand, secrets } = makeFields(server)
  const url = yield* expand("url", server.url)
  const headers: Record<string, string> = Object.create(null)
  const shown: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(server.headers)) {
    const expanded = yield* expand(`headers.${name}`, value)
    headers[name] = yield* checkHeader(server.name, name, expanded.text)
    shown[name] = expanded.shown
  }
  const tls = yield* readTls(server)
  const proxy = proxyOf(server, yield* Environment)
  const credentials = [url.text, ...Object.values(proxy)].flatMap(credentialsOf)
  const resolved: ResolvedRemote = {
    name: server.name,
    url: yield* parseUrl(server.name, url.text),
    headers,
    tls,
    proxy,
    shown: { url: url.shown, headers: shown },
    secrets: [...new Set([...secrets, ...Object.values(headers), ...credentials])]
  }
  return resolved
})

const parseUrl = (entry: string, text: string) => {
  const parsed = Result.try(() => new URL(text))
  if (Result.isFailure(parsed)) {
    return Effect.fail(entryError(entry, "config", "url is no URL; it begins with https://"))
  }
  const { protocol } = parsed.success
  return protocol === "http:" || protocol === "https:"
    ? Effect.succeed(parsed.success)
    : Effect.fail(entryError(entry, "config", `url must begin with http:// or https://, not with ${protocol}`))
}

/** The user info of an address, also as it is sent, and the values of its query, are where tokens are put. */
const credentialsOf = (text: string): ReadonlyArray<string> =>
  Result.match(Result.try(() => new URL(text)), {
    onFailure: () => [],
    onSuccess: ({ password, searchParams, username }) => [
      ...Result.getOrElse(
        Result.try(() => sentAs(decodeURIComponent(username), decodeURIComponent(password))),
        () => []
      ),
      password,
      username,
      ...searchParams.values()
    ]
  }).filter((value) => value !== "")

const sentAs = (username: string, password: string): ReadonlyArray<string> =>
  username === "" && password === "" ? [] : [Base64.encode(`${username}:${password}`), username, password]

const checkHeader = (entry: string, name: string, value: string) => {
  const fail = (problem: string) => Effect.fail(entryError(entry, "config", `headers.${name}: ${problem}`))
  if (!isHeaderName(name)) return fail("is no name of a header")
  return isHeaderValue(value) ? Effect.succeed(value) : fail("its value has characters that HTTP doesn't allow")
}

/** Larger files are no certificates. */
const MAX_PEM_BYTES = 1024 * 1024

const readTls = Effect.fnUntraced(function*(server: RemoteServer) {
  const path = yield* Path.Path
  const read = (field: "ca" | "cert" | "key") => {
    const text = server[field]
    if (text === undefined) return Effect.succeed({})
    if (text.includes("-----BEGIN ")) return Effect.succeed({ [field]: text })
    return TextFile.read(path.resolve(server.folder, text), MAX_PEM_BYTES).pipe(
      Effect.mapError(({ message }) => entryError(server.name, "config", `${field}: ${text} ${message}`)),
      Effect.map((pem) => ({ [field]: pem }))
    )
  }
  const tls: ResolvedRemote["tls"] = { ...yield* read("ca"), ...yield* read("cert"), ...yield* read("key") }
  return tls
})

const proxyOf = ({ proxy }: RemoteServer, variables: Variables): Record<string, string> => {
  if (proxy === undefined) return proxyVariables(variables)
  return proxy === "" ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }
}
