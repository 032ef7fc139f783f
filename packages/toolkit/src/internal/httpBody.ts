/** Reading what a response brings: whole up to a bound, piece by piece, or not at all. */
import type { BodyBytes, BodyText, HttpFailure, Wanted } from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"
import type { IncomingMessage } from "node:http"
import { ENDED, toFailure } from "./networkFailure.ts"

const SMALL_BODY = 64 * 1024

/** A connection is worth so much waiting for the end of a body that nobody wants, in milliseconds. */
const SOON = 1000

/** What is long, or takes long, isn't read for the sake of a connection. */
export const letGo = (message: IncomingMessage) => {
  let rest = SMALL_BODY
  if (Number(message.headers["content-length"] ?? 0) > rest) return message.destroy()
  cutSoon(message)
  return message.on("data", (chunk: Uint8Array) => {
    rest -= chunk.length
    if (rest < 0) message.destroy()
  })
}

const cutSoon = (message: IncomingMessage) => {
  if (message.destroyed) return
  const timer = setTimeout(() => message.destroy(), SOON)
  message.on("close", () => clearTimeout(timer))
}

export const readBytes = (message: IncomingMessage, limit: number): Effect.Effect<BodyBytes, HttpFailure> =>
  Effect.callback((resume) => {
    if (message.destroyed) return resume(ENDED)
    const chunks: Array<Uint8Array> = []
    let size = 0
    const end = () => resume(Effect.succeed({ bytes: firstBytes(chunks, limit), isWhole: size <= limit }))
    message.on("data", (chunk: Uint8Array) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= limit) return
      message.destroy()
      end()
    })
    message.on("end", end)
    message.on("error", (error) => resume(toFailure(error, false)))
    return Effect.sync(() => message.destroy())
  })

const firstBytes = (chunks: ReadonlyArray<Uint8Array>, limit: number): Uint8Array =>
  (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)).subarray(0, limit)

export const readText = (message: IncomingMessage, limit: number): Effect.Effect<BodyText, HttpFailure> =>
  Effect.map(
    readBytes(message, limit),
    // a character that the bound cuts in two is left out
    ({ bytes, isWhole }) => ({ text: new TextDecoder().decode(bytes, { stream: !isWhole }), isWhole })
  )

export const readPieces = (message: IncomingMessage, take: (text: string) => Wanted): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (message.destroyed) return resume(Effect.void)
    const decoder = new TextDecoder()
    let isEnding = false
    message.on("data", (chunk: Uint8Array) => {
      const wanted = take(decoder.decode(chunk, { stream: true }))
      if (wanted === "more") return
      if (wanted === "nothing") message.destroy()
      else if (!isEnding) cutSoon(message)
      isEnding = true
    })
    for (const event of ["end", "error", "close"]) message.on(event, () => resume(Effect.void))
    return Effect.sync(() => message.destroy())
  })
