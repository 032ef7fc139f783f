/** What of a server's lists of resources, templates and prompts can be used: each item by itself. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { Redaction } from "@effect-toolnexus/core/Redaction"
import * as Text from "@effect-toolnexus/core/Text"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { McpCallError } from "../McpError.ts"
import type { Prompt, PromptArgument } from "../McpPrompt.ts"
import type { Resource, ResourceTemplate } from "../McpResource.ts"
import type { Listing } from "../McpSession.ts"
import { mimeTypeOf, textIn, toJsonObject } from "./lenient.ts"
import {
  LONG_NAME,
  malformed,
  MAX_NAME,
  type Paged,
  readAllPages,
  readDescription,
  type Reading,
  requestPage
} from "./pages.ts"
import type { Peer } from "./peer.ts"

/** A kind of list, and how one of its items is read. */
export interface ListKind<A> extends Paged {
  readonly read: (reading: Reading, id: string, raw: object) => A
  /** What its id may be long. */
  readonly maxId: number
}

export const readListing = <A>(
  kind: ListKind<A>,
  server: string,
  redact: Redaction,
  peer: Pick<Peer, "request">
): Effect.Effect<Listing<A>, McpCallError> =>
  Effect.suspend(() => {
    const items: Array<A> = []
    const diagnostics: Array<Diagnostic> = []
    const reading: Reading = { server, redact, paged: kind, diagnostics }
    const readPage = (cursor: string | undefined) => requestPage(server, peer, kind, cursor)
    return Effect.as(readAllPages(reading, readPage, (raw) => readItem(kind, reading, items, raw)), {
      items,
      diagnostics
    })
  })

const readItem = <A>(kind: ListKind<A>, reading: Reading, items: Array<A>, raw: unknown) => {
  const id = textIn(raw, kind.id) ?? ""
  if (!Predicate.isObject(raw) || id === "") {
    reading.diagnostics.push(malformed(reading, raw, `it is no object with a text as ${kind.id}`))
  } else if (id.length > kind.maxId) {
    const problem = kind.maxId === MAX_NAME ? LONG_NAME : `its ${kind.id} is longer than ${kind.maxId} characters`
    reading.diagnostics.push(malformed(reading, raw, problem))
  } else {
    items.push(kind.read(reading, id, raw))
  }
}

/** What is longer can't be shown, and is sent back with each request; a resource that is all in its URI is no use. */
const MAX_URI = 8192

export const RESOURCES: ListKind<Resource> = {
  method: "resources/list",
  key: "resources",
  noun: "resource",
  id: "uri",
  maxId: MAX_URI,
  read: (reading, uri, raw) => {
    const size = Predicate.hasProperty(raw, "size") ? raw.size : undefined
    return {
      server: reading.server,
      uri,
      ...describe(reading, uri, raw),
      ...mimeTypeOf(raw),
      ...(typeof size === "number" && size >= 0 ? { size } : {}),
      raw: toJsonObject(raw)
    }
  }
}

export const TEMPLATES: ListKind<ResourceTemplate> = {
  method: "resources/templates/list",
  key: "resourceTemplates",
  noun: "resource template",
  id: "uriTemplate",
  maxId: MAX_URI,
  read: (reading, uriTemplate, raw) => ({
    server: reading.server,
    uriTemplate,
    ...describe(reading, uriTemplate, raw),
    ...mimeTypeOf(raw),
    raw: toJsonObject(raw)
  })
}

export const PROMPTS: ListKind<Prompt> = {
  method: "prompts/list",
  key: "prompts",
  noun: "prompt",
  id: "name",
  maxId: MAX_NAME,
  read: (reading, name, raw) => ({
    server: reading.server,
    ...describe(reading, name, raw),
    name,
    arguments: readArguments(reading, name, raw),
    raw: toJsonObject(raw)
  })
}

/** A person can't fill in more. */
const MAX_ARGUMENTS = 1000

const readArguments = (reading: Reading, prompt: string, raw: object): ReadonlyArray<PromptArgument> => {
  const given: unknown = Predicate.hasProperty(raw, "arguments") ? raw.arguments : undefined
  if (given === undefined || given === null) return []
  const own: Reading = { ...reading, paged: { ...reading.paged, noun: "prompt argument" } }
  const list: ReadonlyArray<unknown> = Array.isArray(given) ? given.slice(0, MAX_ARGUMENTS) : [given]
  return list.flatMap((argument) => {
    const name = textIn(argument, "name") ?? ""
    if (name !== "" && name.length <= MAX_NAME && Predicate.isObject(argument)) {
      return [{ ...describe(own, name, argument), name, required: argument["required"] === true }]
    }
    const problem = name === "" ? `the prompt is "${Text.cut(prompt, 100, "...")}"` : LONG_NAME
    reading.diagnostics.push(malformed(own, argument, problem))
    return []
  })
}

/** Names and titles are for people to choose by. */
const describe = (reading: Reading, id: string, raw: object) => {
  const title = textIn(raw, "title")
  const description = textIn(raw, "description")
  return {
    name: Text.cut(textIn(raw, "name") ?? title ?? id, MAX_NAME, "..."),
    ...(title === undefined ? {} : { title: Text.cut(title, MAX_NAME, "...") }),
    ...(description === undefined ? {} : { description: readDescription(reading, id, description) })
  }
}
