/** What a server answered to `resources/read`, `prompts/get` and `completion/complete`: what of it can be used. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import { isWithin } from "@effect-toolnexus/core/Json"
import * as Text from "@effect-toolnexus/core/Text"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Completion, FilledPrompt, PromptMessage } from "../McpPrompt.ts"
import type { ReadResource, ResourceContents } from "../McpResource.ts"
import { diagnostic } from "./entryError.ts"
import type { Fields } from "./jsonRpc.ts"
import { ANSWER_BOUNDS, MAX_PARTS, mimeTypeOf, textIn, toJson, toJsonObject } from "./lenient.ts"
import { readPart } from "./resultMapping.ts"

/** An answer, or where it isn't what the protocol asks for. */
export type Answer<A> = Result.Result<A, string>

export const readContents = (server: string, asked: string, { contents }: Fields): Answer<ReadResource> => {
  const place = { server, key: "contents", noun: "part", of: `the resource "${shorten(asked)}"` }
  const items = readItems(place, contents, (raw) => readPartOf(asked, raw))
  return Result.map(items, ({ diagnostics, items: parts }) => ({ contents: parts, diagnostics }))
}

const readPartOf = (asked: string, raw: unknown): ResourceContents | undefined => {
  if (!Predicate.isObject(raw)) return undefined
  const text = textIn(raw, "text")
  const blob = textIn(raw, "blob")
  const fields = { uri: textIn(raw, "uri") ?? asked, ...mimeTypeOf(raw), raw: toJsonObject(raw) }
  if (text !== undefined) return { ...fields, text: text.toWellFormed() }
  return blob === undefined ? undefined : { ...fields, blob }
}

export const readPrompt = (server: string, asked: string, answer: Fields): Answer<FilledPrompt> => {
  const description = textIn(answer, "description")?.toWellFormed()
  const place = { server, key: "messages", noun: "message", of: `the prompt "${shorten(asked)}"` }
  return Result.map(readItems(place, answer["messages"], readMessage), ({ diagnostics, items }) => ({
    ...(description === undefined ? {} : { description }),
    messages: items,
    diagnostics
  }))
}

const readMessage = (raw: unknown): PromptMessage | undefined => {
  if (!Predicate.hasProperty(raw, "content") || !Predicate.hasProperty(raw, "role")) return undefined
  const { content, role } = raw
  if (role !== "user" && role !== "assistant" || content === undefined) return undefined
  const { part } = readPart(content)
  return {
    role,
    ...(part === undefined
      ? {}
      : { content: part.type === "text" ? { ...part, text: part.text.toWellFormed() } : part }),
    raw: toJson(raw)
  }
}

/** As the protocol bounds them. */
const MAX_VALUES = 100

export const readCompletion = ({ completion }: Fields): Answer<Completion> => {
  if (!Predicate.isObject(completion)) return Result.fail("completion")
  const { hasMore, total, values } = completion
  if (!Array.isArray(values)) return Result.fail("completion.values")
  const texts = values.slice(0, MAX_VALUES).filter(Predicate.isString)
  return Result.succeed({
    values: texts,
    ...(typeof total === "number" && total >= 0 ? { total } : {}),
    hasMore: hasMore === true || values.length > MAX_VALUES
  })
}

const shorten = (name: string): string => Text.cut(name, SHOWN_NAME, "...")

const SHOWN_NAME = 200

interface Place {
  readonly server: string
  /** Where the answer has the items. */
  readonly key: string
  /** What one is called, and what it is a part of. */
  readonly noun: string
  readonly of: string
}

interface Items<A> {
  readonly items: ReadonlyArray<A>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** Servers forget the list around a single item. What `read` finds nothing in is left out, and counted. */
const readItems = <A>(
  { key, noun, of, server }: Place,
  given: unknown,
  read: (raw: unknown) => A | undefined
): Answer<Items<A>> => {
  if (!Predicate.isObjectOrArray(given)) return Result.fail(key)
  const list: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  const items = list.slice(0, MAX_PARTS).flatMap((raw) => {
    const item = isWithin(raw, ANSWER_BOUNDS) ? read(raw) : undefined
    return item === undefined ? [] : [item]
  })
  const kept = Math.min(list.length, MAX_PARTS)
  const diagnostics: Array<Diagnostic> = []
  const say = (code: string, message: string) => diagnostics.push(diagnostic(server, "warning", code, message))
  if (items.length < kept) {
    const count = kept - items.length
    say(`malformed-${noun}`, `${of} has ${count} ${noun}${count === 1 ? "" : "s"} that can't be read, and are left out`)
  }
  if (list.length > kept) say("answer-cut", `${of} is cut after ${MAX_PARTS} ${noun}s`)
  return Result.succeed({ items, diagnostics })
}
