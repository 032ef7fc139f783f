/**
 * From a definition to where its card is and what goes there: variables expanded, and checked before they are used.
 *
 * The configured headers are sent to the card's own origin and to those that the definition allows, and kept out of what the
 * source says in its own name, also where that repeats the agent: names, descriptions and origins of tools, diagnostics,
 * errors, logs, and what a person is asked. Results of calls (output, content, structured, ids in the metadata) are exempt by
 * decision: they are data, and blotting would corrupt them.
 */
import * as EntryTexts from "@effect-toolnexus/core/EntryTexts"
import { Environment } from "@effect-toolnexus/core/Environment"
import * as HttpAddress from "@effect-toolnexus/core/HttpAddress"
import { proxyVariables, type Remote } from "@effect-toolnexus/core/RemoteRequests"
import * as Effect from "effect/Effect"
import type { AgentDefinition } from "../AgentDefinition.ts"

export interface AgentAddress {
  /** Without user info, which is sent as a header. */
  readonly url: URL
  readonly remote: Remote & Required<Pick<Remote, "isTrusted">>
}

export const resolve = Effect.fnUntraced(function*(entry: string, definition: AgentDefinition) {
  const texts = EntryTexts.make({ kind: "agent", entry, folder: definition.folder })
  const card = HttpAddress.parse((yield* texts.expand("card", definition.card)).text)
  if (card === undefined) return yield* texts.fail("card: must be an http or https URL")
  const headers = { ...card.headers, ...yield* texts.expandHeaders(definition.headers ?? {}) }
  const urls: Array<URL> = []
  for (const text of definition.allowOrigins ?? []) {
    const url = URL.parse(text)
    if (url === null || url.origin === "null") {
      return yield* texts.fail("allowOrigins: must hold origins, e.g. \"https://agents.example\"")
    }
    urls.push(url)
  }
  const allowed = new Set([card.url, ...urls].map(({ origin }) => origin))
  const address: AgentAddress = {
    url: card.url,
    remote: {
      kind: "agent",
      name: entry,
      headers,
      secrets: [...card.secrets, ...texts.secrets, ...Object.values(headers).flatMap(withoutScheme)],
      tls: {},
      proxy: proxyVariables(yield* Environment),
      // a card, or a redirect, may name whatever it likes
      named: { asked: card.url, urls, advice: "add its origin to \"allowOrigins\"" },
      isTrusted: (url) => allowed.has(url.origin),
      // a card is for everybody; what a person wrote goes nowhere that nobody named
      mayLeave: ({ method, url }, target) =>
        allowed.has(target.origin) || (method === "GET" && !isDowngrade(url, target))
    }
  }
  return address
})

const isDowngrade = (from: URL, to: URL): boolean => from.protocol === "https:" && to.protocol !== "https:"

/** `Token SECRET` is a secret as a whole and without its scheme, whatever that is. */
const withoutScheme = (value: string): ReadonlyArray<string> => [value, value.slice(value.indexOf(" ") + 1)]
