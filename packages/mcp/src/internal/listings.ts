/** What of a server's lists of resources, templates and prompts can be used: each item by itself. */
import * as Text from "@effect-toolnexus/core/Text"
import * as Predicate from "effect/Predicate"
import type { Prompt, PromptArgument } from "../McpPrompt.ts"
import type { Resource, ResourceTemplate } from "../McpResource.ts"
import { mimeTypeOf, textIn, toJsonObject } from "./lenient.ts"
import { type ListKind, LONG_NAME, malformed, MAX_NAME, readDescription, type Reading } from "./pages.ts"

/** An item that has its id, of at most `maxId` characters. */
const withId =
  <A>(maxId: number, read: (reading: Reading, id: string, raw: object) => A) =>
  (reading: Reading, raw: unknown): A | undefined => {
    const { diagnostics, paged } = reading
    const id = textIn(raw, paged.id) ?? ""
    if (!Predicate.isObject(raw) || id === "") {
      diagnostics.push(malformed(reading, raw, `it is no object with a text as ${paged.id}`))
    } else if (id.length > maxId) {
      const problem = maxId === MAX_NAME ? LONG_NAME : `its ${paged.id} is longer than ${maxId} characters`
      diagnostics.push(malformed(reading, raw, problem))
    } else {
      return read(reading, id, raw)
    }
    return undefined
  }

/** What is longer can't be shown, and is sent back with each request; a resource that is all in its URI is no use. */
const MAX_URI = 8192

export const RESOURCES: ListKind<Resource> = {
  method: "resources/list",
  key: "resources",
  noun: "resource",
  id: "uri",
  read: withId(MAX_URI, (reading, uri, raw) => {
    const size = Predicate.hasProperty(raw, "size") ? raw.size : undefined
    return {
      server: reading.server,
      uri,
      ...describe(reading, uri, raw),
      ...mimeTypeOf(raw),
      ...(typeof size === "number" && size >= 0 ? { size } : {}),
      raw: toJsonObject(raw)
    }
  })
}

export const TEMPLATES: ListKind<ResourceTemplate> = {
  method: "resources/templates/list",
  key: "resourceTemplates",
  noun: "resource template",
  id: "uriTemplate",
  read: withId(MAX_URI, (reading, uriTemplate, raw) => ({
    server: reading.server,
    uriTemplate,
    ...describe(reading, uriTemplate, raw),
    ...mimeTypeOf(raw),
    raw: toJsonObject(raw)
  }))
}

export const PROMPTS: ListKind<Prompt> = {
  method: "prompts/list",
  key: "prompts",
  noun: "prompt",
  id: "name",
  read: withId(MAX_NAME, (reading, name, raw) => ({
    server: reading.server,
    ...describe(reading, name, raw),
    name,
    arguments: readArguments(reading, name, raw),
    raw: toJsonObject(raw)
  }))
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
