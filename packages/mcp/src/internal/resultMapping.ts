/** A server's answer made a result: text for the model, and beside it every part as data (CONTRACT 5). */
import { isJson } from "@effect-toolnexus/core/Json"
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import * as Predicate from "effect/Predicate"
import type { RawCallResult } from "../McpSession.ts"

export const toToolResult = (server: string, raw: RawCallResult): ToolResult.ToolResult => {
  const parts = Array.isArray(raw.content) ? raw.content.map(readPart) : []
  const text = parts.map(({ line }) => line).join("\n")
  const structured = isJson(raw.structuredContent) && raw.structuredContent !== null ? raw.structuredContent : undefined
  const content = parts.flatMap(({ part }) => part === undefined ? [] : [part])
  return {
    output: text.trim() === "" && structured !== undefined ? JSON.stringify(structured) : text,
    isError: raw.isError === true,
    metadata: { server },
    ...(content.length === 0 ? {} : { content }),
    ...(structured === undefined ? {} : { structured })
  }
}

/** What a part looks like in the text, and as data; a part we don't know is a line only. */
interface Read {
  readonly line: string
  readonly part?: ToolResult.ContentPart
}

const readPart = (raw: unknown): Read => {
  const type = field(raw, "type") ?? "unknown"
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
  const text = field(raw, "text")
  return text === undefined ? { line: "[text]" } : { line: text, part: { type: "text", text } }
}

const readBytes = (raw: unknown, type: "image" | "audio"): Read => {
  const data = field(raw, "data")
  const mimeType = field(raw, "mimeType")
  if (data === undefined || mimeType === undefined) return { line: `[${type}]` }
  return { line: `[${type} ${mimeType}, ${byteLength(data)} bytes]`, part: { type, data, mimeType } }
}

const readResource = (raw: unknown): Read => {
  const resource = Predicate.hasProperty(raw, "resource") ? raw.resource : undefined
  const uri = field(resource, "uri")
  if (uri === undefined) return { line: "[resource]" }
  const mimeType = field(resource, "mimeType")
  const named = { type: "resource", uri, ...(mimeType === undefined ? {} : { mimeType }) } as const
  const text = field(resource, "text")
  if (text !== undefined) return { line: `[resource ${uri}]\n${text}`, part: { ...named, text } }
  const blob = field(resource, "blob")
  if (blob === undefined) return { line: `[resource ${uri}]`, part: named }
  const size = `${byteLength(blob)} bytes`
  const line = mimeType === undefined ? `[resource ${uri}, ${size}]` : `[resource ${uri}, ${mimeType}, ${size}]`
  return { line, part: { ...named, blob } }
}

const readLink = (raw: unknown): Read => {
  const uri = field(raw, "uri")
  if (uri === undefined) return { line: "[resource_link]" }
  const name = field(raw, "name") ?? ""
  const mimeType = field(raw, "mimeType")
  const description = field(raw, "description")
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

const field = (raw: unknown, key: string): string | undefined => {
  if (!Predicate.hasProperty(raw, key)) return undefined
  const value = raw[key]
  return typeof value === "string" ? value : undefined
}

/** How many bytes base64 text stands for; line breaks in it don't count. */
const byteLength = (base64: string): number => {
  const digits = base64.replaceAll(/[\s=]/g, "").length
  return Math.floor((digits * 3) / 4)
}
