/** From where a host says a document is to the document itself. */
import {
  type EntryTexts,
  HttpAddress,
  type Json,
  type NetworkPolicy,
  SourceEntry,
  TextFile
} from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { isDocumentText, type OpenApiDefinition } from "../OpenApiDefinition.ts"
import * as DocumentText from "./documentText.ts"
import type { Endpoint, EndpointAnswer } from "./endpoint.ts"
import { failure } from "./entryFailure.ts"

/** Where it is, all variables filled in. */
export type DocumentPlace =
  | { readonly _tag: "Value"; readonly value: Json.JsonObject }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "File"; readonly path: string }
  | { readonly _tag: "Url"; readonly url: URL }

export const placeOf = Effect.fnUntraced(
  function*(definition: Pick<OpenApiDefinition, "document" | "folder">, texts: EntryTexts.EntryTexts) {
    const { document, folder } = definition
    const found = (place: DocumentPlace, address?: HttpAddress.HttpAddress) => ({ place, address })
    if (typeof document !== "string") return found({ _tag: "Value", value: document })
    // a document of its own may well speak of ${variables}
    if (isDocumentText(document)) return found({ _tag: "Text", text: document })
    const text = (yield* texts.expand("document", document)).text.trim()
    const address = HttpAddress.parse(text)
    if (address !== undefined) return found({ _tag: "Url", url: address.url }, address)
    const path = yield* Path.Path
    if (/^file:/i.test(text)) {
      const file = yield* Effect.mapError(
        Effect.try(() => new URL(text)).pipe(Effect.flatMap((url) => path.fromFileUrl(url))),
        () => texts.fail("document is no file: URL that stands for a path")
      )
      return found({ _tag: "File", path: file })
    }
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
      return yield* texts.fail("document must be an http or https URL, or a path")
    }
    return found({ _tag: "File", path: path.resolve(folder, text) })
  }
)

export interface Found {
  readonly document: Json.JsonObject
  /** Where it came from in the end, if that was a URL. */
  readonly url: URL | undefined
  /** Who can reach the place it came from: a file or a value is one's own. */
  readonly reach: NetworkPolicy.Reach
}

export const read = Effect.fnUntraced(
  function*(
    entry: string,
    place: DocumentPlace,
    source: DocumentSource
  ): Effect.fn.Return<Found, SourceEntry.EntryError, FileSystem.FileSystem> {
    if (place._tag === "Url") return yield* fetchDocument(entry, place.url, source)
    const document = yield* Effect.mapError(
      place._tag === "Value"
        ? DocumentText.fromValue(place.value)
        : place._tag === "Text"
        ? DocumentText.parse(place.text)
        : readFile(place.path),
      (detail) => failure(entry, "list", detail)
    )
    return { document, url: undefined, reach: "machine" }
  }
)

const readFile = (path: string) =>
  TextFile.read(path, DocumentText.MAX_BYTES).pipe(
    Effect.mapError(({ message }) => `${path} ${message}`),
    Effect.flatMap((text) =>
      Effect.mapError(DocumentText.parse(text), (problem) => `${path} can't be read: ${problem}`)
    )
  )

export interface DocumentSource {
  readonly endpoint: Endpoint
  /** The host's headers are meant for another server than the document's. */
  readonly isForeign: boolean
}

const fetchDocument = Effect.fnUntraced(function*(entry: string, url: URL, { endpoint, isForeign }: DocumentSource) {
  const request = { method: "GET", url, headers: ACCEPT, body: undefined, context: undefined, isForeign }
  const answer = yield* Effect.mapError(
    endpoint.send({ ...request, limit: DocumentText.MAX_BYTES }),
    ({ detail, wasSent }) =>
      failure(entry, wasSent ? "initialize" : "connect", endpoint.redact(`${HttpAddress.bareHref(url)}: ${detail}`))
  )
  yield* checkStatus(entry, answer)
  if (!answer.isWhole) {
    return yield* failure(entry, "list", `the document is larger than ${DocumentText.MAX_BYTES} bytes`)
  }
  const text = new TextDecoder().decode(answer.bytes)
  const document = yield* Effect.mapError(
    DocumentText.parse(text),
    (problem) => failure(entry, "list", answer.redact(`${HttpAddress.bareHref(answer.url)}: ${problem}`))
  )
  return { document, url: answer.url, reach: answer.reach }
})

const ACCEPT = { accept: "application/json, application/yaml, text/yaml, */*;q=0.8" }

const checkStatus = (entry: string, answer: EndpointAnswer) => {
  const { redact, status, url } = answer
  if (status >= 200 && status <= 299) return Effect.void
  const challenge = redact(answer.header("www-authenticate") ?? "").slice(0, 2000)
  const isAsked = status === 401 || status === 403
  return Effect.fail(
    new SourceEntry.EntryError({
      kind: "extra",
      entry,
      phase: "initialize",
      detail: `${redact(HttpAddress.bareHref(url))} answered HTTP ${status}${isAsked ? ": it asks who we are" : ""}`,
      ...(isAsked ? { challenge } : {})
    })
  )
}
