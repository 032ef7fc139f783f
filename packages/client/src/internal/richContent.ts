/** The files among a result's parts that a model takes beside text. */
import type { ProviderSchema, ToolResult } from "@effect-toolnexus/core"

export interface MediaFile {
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

const IMAGES = ["image/gif", "image/jpeg", "image/png", "image/webp"]
const PDF = "application/pdf"
const AUDIO = ["audio/aac", "audio/flac", "audio/mp3", "audio/mpeg", "audio/ogg", "audio/wav"]

/** What each takes in a tool's result; a file of any other kind would cost the whole request. */
const TAKEN: Readonly<Record<ProviderSchema.Target, ReadonlySet<string>>> = {
  openai: new Set(IMAGES),
  "openai-responses": new Set([...IMAGES, PDF]),
  anthropic: new Set([...IMAGES, PDF]),
  gemini: new Set([...IMAGES, PDF, ...AUDIO]),
  bedrock: new Set([...IMAGES, PDF]),
  common: new Set(IMAGES)
}

export const takes = (target: ProviderSchema.Target) => (mediaType: string): boolean => TAKEN[target].has(mediaType)

export const filesOf = (
  { content = [] }: ToolResult.ToolResult,
  isTaken: (mediaType: string) => boolean
): ReadonlyArray<MediaFile> =>
  content.flatMap((part) => {
    const file = fileIn(part)
    return file !== undefined && isTaken(file.mediaType) ? [file] : []
  })

const fileIn = (part: ToolResult.ContentPart): MediaFile | undefined => {
  switch (part.type) {
    case "image":
    case "audio":
      return { mediaType: part.mimeType.toLowerCase(), data: part.data }
    case "resource":
      return part.blob === undefined || part.mimeType === undefined
        ? undefined
        : { mediaType: part.mimeType.toLowerCase(), data: part.blob }
    default:
      return undefined
  }
}
