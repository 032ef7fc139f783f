/** Server-sent events of one response, and what is needed to go on with them after a cut. */
import type { HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"

/** The longest event: as long as the longest line over stdio. */
export const MAX_EVENT_LENGTH = 16 * 1024 * 1024

/** Where a stream stands. */
export interface Position {
  /** The id of the last event that had one. */
  lastEventId?: string
  /** How long the server wants us to wait before we come back, in milliseconds. */
  retry?: number
  /** How many events came. */
  events: number
}

export interface SseEvent {
  readonly event: string
  readonly data: string
}

/** Reads to the end, whether that was meant or a cut. An event that is too long ends it, and is told. */
export const readEvents = (
  response: HttpResponse,
  position: Position,
  take: (event: SseEvent) => void,
  tooLong: () => void
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const parser = Sse.makeParser((parsed) => {
      if (parsed._tag === "Retry") {
        position.retry = Duration.toMillis(parsed.duration)
        return
      }
      position.events++
      if (parsed.id !== undefined) position.lastEventId = parsed.id
      // an event without data only says where the stream stands
      if (parsed.data !== "") take(parsed)
    }, { maxEventSize: MAX_EVENT_LENGTH })
    return response.pieces((text) => {
      if (parser.feed(text) !== undefined) tooLong()
    })
  })
