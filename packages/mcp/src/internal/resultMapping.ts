/** A server's answer made a result: text for the model, and beside it every part as data (CONTRACT 5). */
import { isJson, isWithin, type Json } from "@effect-toolnexus/core/Json"
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import * as Predicate from "effect/Predicate"
import type { RawCallResult } from "../McpSession.ts"
import { ANSWER_BOUNDS, MAX_PARTS, textIn, toJson } from "./lenient.ts"

export const toToolResult = (server: string, raw: RawCallResult): ToolResult.ToolResult => {
  const { note: partsNote, parts } = readContent(raw.content)
  const text = parts.length === 1 ? parts[0]?.line ?? "" : parts.map(({ line }) => line).join("\n")
  const { leftOut, note: structuredNote, structured } = readStructured(raw.structuredContent)
  const content = contentOf(parts)
  const note = noteOf([partsNote, leftOut, structuredNote])
  return {
    output: text.trim() === "" ? leftOut ?? (structured === undefined ? text : JSON.stringify(structured)) : text,
    isError: raw.isError === true,
    metadata: note === undefined ? { server } : { server, note },
    ...(content.length === 0 ? undefined : { content }),
    ...(structured === undefined ? undefined : { structured })
  }
}

/** By hand, as it is done for every call: `flatMap` takes as long as all the rest. */
const contentOf = (parts: ReadonlyArray<Read>): ReadonlyArray<ToolResult.ContentPart> => {
  const content: Array<ToolResult.ContentPart> = []
  for (const { part } of parts) if (part !== undefined) content.push(part)
  return content
}

const noteOf = (notes: ReadonlyArray<string | undefined>): string | undefined =>
  notes.every(Predicate.isUndefined) ? undefined : notes.filter(Predicate.isNotUndefined).join(" ")

const LEFT_OUT =
  `[structured content left out: deeper than ${ANSWER_BOUNDS.levels} levels, or more than ${ANSWER_BOUNDS.values} values]`

interface Structured {
  readonly structured?: Json
  /** Why there is none although the server sent some. */
  readonly leftOut?: string
  /** What is different from what the server sent. */
  readonly note?: string
}

const NOTHING: Structured = {}

const readStructured = (raw: unknown): Structured => {
  if (raw === undefined || raw === null) return NOTHING
  if (!isWithin(raw, ANSWER_BOUNDS)) return { leftOut: LEFT_OUT }
  if (isJson(raw)) return { structured: raw }
  return { structured: toJson(raw), note: "[what is no JSON value in the structured content, e.g. 1e999, is null]" }
}

interface Content {
  readonly parts: ReadonlyArray<Read>
  /** What is different from what the server sent. */
  readonly note?: string
}

/** Servers forget the list around a single part, or the part around its text. */
const readContent = (content: unknown): Content => {
  if (content === undefined || content === null) return { parts: [] }
  if (!Array.isArray(content)) return { parts: [readPart(content)], note: "[the content was no list]" }
  const parts = content.slice(0, MAX_PARTS).map(readPart)
  const rest = content.length - parts.length
  return { parts: rest === 0 ? parts : [...parts, { line: `[${rest} more parts]` }] }
}

/** What a part looks like in the text, and as data; a part we don't know is a line only. */
export interface Read {
  readonly line: string
  readonly part?: ToolResult.ContentPart
}

export const readPart = (raw: unknown): Read => {
  if (typeof raw === "string") return { line: raw, part: { type: "text", text: raw } }
  const type = textIn(raw, "type") ?? "unknown"
  switch (type) {
    case "text":
      return readText(raw)
    case "image":
    case "audio":
      return readBytes(raw, type)
    case "resource":
      return readResource(raw)
    case "resource_link":
      return readLink(raw)
    default:
      return { line: `[${type}]` }
  }
}

const readText = (raw: unknown): Read => {
  const text = textIn(raw, "text")
  return text === undefined ? { line: "[text]" } : { line: text, part: { type: "text", text } }
}

const readBytes = (raw: unknown, type: "image" | "audio"): Read => {
  const data = textIn(raw, "data")
  const mimeType = textIn(raw, "mimeType")
  if (data === undefined || mimeType === undefined) return { line: `[${type}]` }
  return { line: `[${type} ${mimeType}, ${byteLength(data)} bytes]`, part: { type, data, mimeType } }
}

const readResource = (raw: unknown): Read => {
  const resource = Predicate.hasProperty(raw, "resource") ? raw.resource : undefined
  const uri = textIn(resource, "uri")
  if (uri === undefined) return { line: "[resource]" }
  const mimeType = textIn(resource, "mimeType")
  const named = { type: "resource", uri, ...(mimeType === undefined ? {} : { mimeType }) } as const
  const text = textIn(resource, "text")
  if (text !== undefined) return { line: `[resource ${uri}]\n${text}`, part: { ...named, text } }
  const blob = textIn(resource, "blob")
  if (blob === undefined) return { line: `[resource ${uri}]`, part: named }
  const size = `${byteLength(blob)} bytes`
  const line = mimeType === undefined ? `[resource ${uri}, ${size}]` : `[resource ${uri}, ${mimeType}, ${size}]`
  return { line, part: { ...named, blob } }
}

const readLink = (raw: unknown): Read => {
  const uri = textIn(raw, "uri")
  if (uri === undefined) return { line: "[resource_link]" }
  const name = textIn(raw, "name") ?? ""
  const mimeType = textIn(raw, "mimeType")
  const description = textIn(raw, "description")
  return {
    line: name === "" ? `[link ${uri}]` : `[link ${uri} ${name}]`,
    part: {
      type: "resource_link",
      uri,
      name,
      ...(mimeType === undefined ? {} : { mimeType }),
      ...(description === undefined ? {} : { description })
    }
  }
}

/** How many bytes base64 text stands for; line breaks in it don't count. */
const byteLength = (base64: string): number => {
  const digits = base64.replaceAll(/[\s=]/g, "").length
  return Math.floor((digits * 3) / 4)
}
