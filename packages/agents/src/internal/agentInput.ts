/** What a model hands to an agent: a task in words, and files. */
import * as Json from "@effect-toolnexus/core/Json"
import type { ObjectSchema } from "@effect-toolnexus/core/Tool"
import { type ArgumentIssue, InvalidArguments } from "@effect-toolnexus/core/ToolError"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { FilePart, Part } from "../A2aTask.ts"

const ALONE = "It knows nothing of this conversation."
const REMEMBERING = "It remembers what it was told before, and nothing else of this conversation."

const FILE_SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", description: "The file's name" },
    mimeType: { type: "string", description: "Its media type, e.g. text/plain" },
    text: { type: "string", description: "Its contents, if they are text" },
    bytes: { type: "string", description: "Its contents in base64" },
    uri: { type: "string", description: "Where the agent can fetch it, instead of its contents" }
  },
  additionalProperties: false
}

export const inputSchema = (remembers: boolean): ObjectSchema => ({
  type: "object",
  properties: {
    task: {
      type: "string",
      description: `What the remote agent is to do, in plain words. ${remembers ? REMEMBERING : ALONE}`
    },
    files: {
      type: "array",
      items: FILE_SCHEMA,
      description: "Files that go with the task, each with one of text, bytes and uri"
    }
  },
  required: ["task"],
  additionalProperties: false
})

const MAX_FILES = 100
/** All files of a call together, in characters of base64. */
const MAX_FILE_SIZE = 16 * 1024 * 1024

export const toParts = (
  args: Json.JsonObject,
  toolName: string
): Effect.Effect<ReadonlyArray<Part>, InvalidArguments> => {
  const { files = [], task } = args
  const issues: Array<ArgumentIssue> = []
  if (typeof task !== "string") issues.push({ path: "task", message: "must be a string" })
  const read = Array.isArray(files) ? files.slice(0, MAX_FILES).map(toFile) : []
  if (!Array.isArray(files) || files.length > MAX_FILES) {
    issues.push({ path: "files", message: `must be a list of at most ${MAX_FILES} files` })
  }
  for (const [index, file] of read.entries()) {
    if (Result.isFailure(file)) issues.push({ path: `files.${index}`, message: file.failure })
  }
  const parts = read.flatMap((file) => Result.isSuccess(file) ? [file.success] : [])
  const size = parts.reduce((sum, { bytes = "" }) => sum + bytes.length, 0)
  if (size > MAX_FILE_SIZE) issues.push({ path: "files", message: `must not measure more than ${MAX_FILE_SIZE} bytes` })
  return issues.length > 0 || typeof task !== "string"
    ? Effect.fail(new InvalidArguments({ toolName, issues }))
    : Effect.succeed([{ kind: "text", text: task }, ...parts])
}

const toFile = (raw: Json.Json): Result.Result<FilePart, string> => {
  if (!Json.isJsonObject(raw)) return Result.fail("must be an object")
  const { bytes, mimeType, name, text, uri } = raw
  const given = [text, bytes, uri].filter((field) => typeof field === "string")
  if (given.length !== 1) return Result.fail("must have one of text, bytes and uri, as text")
  const about = {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof mimeType === "string" ? { mimeType } : typeof text === "string" ? { mimeType: "text/plain" } : {})
  }
  if (typeof text === "string") return Result.succeed({ kind: "file", ...about, bytes: Base64.encode(text) })
  if (typeof bytes === "string") {
    // with or without line breaks and padding, as tools write it
    const decoded = Base64.decode(bytes.replaceAll(/\s/g, ""))
    return Result.isFailure(decoded)
      ? Result.fail("bytes must be base64")
      : Result.succeed({ kind: "file", ...about, bytes: Base64.encode(decoded.success) })
  }
  // a file of ours is none that the agent could read
  const address = typeof uri === "string" ? URL.parse(uri) : null
  return address === null || address.protocol === "file:"
    ? Result.fail(
      "uri must be an address that the agent can fetch, e.g. https://...; a file here goes as text or bytes"
    )
    : Result.succeed({ kind: "file", ...about, uri: address.href })
}
