/** Undoes the compression of a body, no further than to a bound: a small body may stand for a very large one. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Transform } from "node:stream"

/** What is asked of a server. */
export const ACCEPTED = "gzip, deflate, br"

export class EncodingFailed extends Data.TaggedError("EncodingFailed")<{ readonly detail: string }> {}

export interface Decoded {
  readonly bytes: Uint8Array
  /** False where there was more than the bound lets through, or than could be read. */
  readonly isWhole: boolean
  /** Why what follows can't be read, where that isn't the bound. */
  readonly flaw?: string | undefined
}

/** Nobody compresses the compressed; more than this is an attack. */
const MAX_LAYERS = 2

export const decode = (
  body: Decoded,
  header: string | undefined,
  limit: number
): Effect.Effect<Decoded, EncodingFailed> => {
  const layers = (header ?? "").toLowerCase().split(",").map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity")
  if (layers.length > MAX_LAYERS) {
    return Effect.fail(new EncodingFailed({ detail: `it is encoded ${layers.length} times over` }))
  }
  // what was done last is undone first
  return Effect.reduce(layers.toReversed(), () => body, (inner, name) => inflate(inner, name, limit))
}

const inflate = Effect.fnUntraced(function*(body: Decoded, name: string, limit: number) {
  if (body.bytes.length === 0) return body
  const zlib = yield* Effect.promise(() => import("node:zlib"))
  const options = { chunkSize: 65_536 }
  switch (name) {
    case "gzip":
    case "x-gzip":
      return yield* through(zlib.createGunzip(options), body, limit)
    case "br":
      return yield* through(zlib.createBrotliDecompress(options), body, limit)
    case "deflate":
      // by the standard with a header of zlib's; some servers leave it out
      return yield* through(
        hasZlibHeader(body.bytes) ? zlib.createInflate(options) : zlib.createInflateRaw(options),
        body,
        limit
      )
    default:
      return yield* new EncodingFailed({ detail: `its encoding "${name.slice(0, 40)}" is not known` })
  }
})

const DAMAGED = "its compressed body is damaged"

const hasZlibHeader = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

const through = (
  stream: Transform,
  { bytes, flaw, isWhole }: Decoded,
  limit: number
): Effect.Effect<Decoded, EncodingFailed> =>
  Effect.callback((resume) => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    const end = (isEnd: boolean, problem = flaw) => {
      stream.destroy()
      const kept = Buffer.concat(chunks).subarray(0, limit)
      resume(Effect.succeed({ bytes: kept, isWhole: isEnd && size <= limit, flaw: problem }))
    }
    stream.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > limit) end(false)
    })
    stream.on("end", () => end(isWhole))
    stream.on("error", (error) => {
      const isCut = "code" in error && error.code === "Z_BUF_ERROR"
      // the end is missing where the body was cut, and what comes before it is as good
      if (isCut && !isWhole) return end(false)
      if (size > 0) return end(false, isCut ? "its compressed body ends too early" : DAMAGED)
      resume(Effect.fail(new EncodingFailed({ detail: DAMAGED })))
    })
    stream.end(bytes)
    return Effect.sync(() => stream.destroy())
  })
