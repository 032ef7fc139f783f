/** All operations of a document, which of them the host wants, and what each is called. */
import { type Json, Text, ToolName } from "@effect-toolnexus/core"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { at, isObject, listAt, objectAt, textAt } from "./json.ts"
import * as References from "./references.ts"

export interface Operation {
  /** In capitals. */
  readonly method: string
  readonly path: string
  /** `METHOD /path`, which is unique in a document. */
  readonly place: string
  readonly id: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly operation: Json.JsonObject
  readonly pathItem: Json.JsonObject
}

/** A path that can't be read. */
export interface BrokenPath {
  readonly path: string
  readonly problem: string
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

/** Of one operation; more tell nothing apart. */
const MAX_TAGS = 100

/** Longer ones are no names, and each tool would have one. */
const MAX_ID = 1000

type Listed = Result.Result<Operation, BrokenPath>

/** In the document's order; those of no further path when there are more than `most`. */
export const operationsOf = (document: Json.JsonObject, most: number): ReadonlyArray<Listed> => {
  const listed: Array<Listed> = []
  for (const [path, item] of Object.entries(objectAt(document, "paths"))) {
    if (listed.length > most) break
    if (!path.startsWith("x-")) listed.push(...operationsAt(document, path, item))
  }
  return listed
}

const operationsAt = (document: Json.JsonObject, path: string, item: Json.Json): ReadonlyArray<Listed> => {
  const pathItem = References.resolve(document, item)
  if (Result.isFailure(pathItem)) return [Result.fail({ path, problem: `it ${pathItem.failure}` })]
  return METHODS.filter((method) => Object.hasOwn(pathItem.success, method)).map((method): Listed => {
    const operation = at(pathItem.success, method)
    const place = `${method.toUpperCase()} ${path}`
    if (!isObject(operation)) return Result.fail({ path: place, problem: "it is no object" })
    const id = textAt(operation, "operationId")
    return Result.succeed({
      method: method.toUpperCase(),
      path,
      place,
      id: id === undefined || id.length > MAX_ID ? undefined : id,
      tags: listAt(operation, "tags").slice(0, MAX_TAGS).filter((tag) => typeof tag === "string"),
      operation,
      pathItem: pathItem.success
    })
  })
}

/** Legal for every provider, and sensible: the operation's own name, or what it does where. */
export const nameOperations = Effect.fnUntraced(function*(operations: ReadonlyArray<Operation>) {
  const names = new Map<Operation, string>()
  const taken = new Set<string>()
  const seen = new Set<string>()
  for (const operation of operations) {
    const { id, place } = operation
    // the first of an id has it; a second one is called after its place, as one without
    const isOwn = id !== undefined && /[a-zA-Z0-9]/.test(id) && !seen.has(id)
    if (isOwn) seen.add(id)
    const plain = begun(isOwn ? ToolName.sanitize(id) : words(operation))
    const digest = plain.length > MAX_NAME || taken.has(plain) ? yield* hash(place) : ""
    const name = digest === "" ? plain : distinct(plain, digest, taken)
    taken.add(name)
    names.set(operation, name)
  }
  return names
})

/** What OpenAI takes; the others take more. */
const MAX_NAME = 64

/** `get_users_id` for `GET /users/{id}`. */
const words = ({ method, path }: Operation): string =>
  [method.toLowerCase(), ...path.split(/[^a-zA-Z0-9-]+/u)].filter((word) => word !== "").join("_")

const begun = (name: string): string => /^[a-zA-Z_]/.test(name) ? name : `_${name}`

const distinct = (plain: string, digest: string, taken: ReadonlySet<string>): string => {
  for (let digits = 6; digits < digest.length; digits++) {
    const name = `${Text.cut(plain, MAX_NAME - digits - 1)}_${digest.slice(0, digits)}`
    if (!taken.has(name)) return name
  }
  return `_${digest.slice(0, MAX_NAME - 1)}`
}

const hash = Effect.fnUntraced(function*(text: string) {
  const digest = yield* Digest.Digest
  return yield* digest.digestHex(Digest.sha256, new TextEncoder().encode(text))
}, Effect.provide(Digest.layerWebCrypto))
