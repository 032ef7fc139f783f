/**
 * Server-sent events of one response, and what is needed to go on with them after a cut.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import { isHeaderValue } from "./HeaderSyntax.ts"
import type { HttpResponse, Wanted } from "./HttpConnections.ts"

/**
 * The longest event: as long as the longest line over stdio.
 *
 * @category constants
 * @since 0.1.0
 */
export const MAX_EVENT_LENGTH = 16 * 1024 * 1024

/** Longer ones make no header that a server takes. */
const MAX_ID_LENGTH = 1000

/**
 * Where a stream stands.
 *
 * @category models
 * @since 0.1.0
 */
export interface Position {
  /** The id of the last event that had one, as it stands in a header. */
  lastEventId?: string | undefined
  /** How long the server wants us to wait before we come back, in milliseconds. */
  retry?: number
  /** How many events came. */
  events: number
  /** How many of them said something. */
  messages: number
}

/**
 * @category constructors
 * @since 0.1.0
 */
export const beginning = (): Position => ({ events: 0, messages: 0 })

/**
 * @category models
 * @since 0.1.0
 */
export interface SseEvent {
  readonly event: string
  readonly data: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface EventReader {
  readonly take: (event: SseEvent) => void
  /** An event is longer than the limit; more is read only by who wants more. */
  readonly tooLong: () => Wanted
  /** Asked after each piece. */
  readonly wanted: () => Wanted
  /** An event counts also where the body ends without the empty line after it, which the standard throws away. */
  readonly takesRest?: boolean
}

/**
 * Reads to the end, whether that was meant or a cut.
 *
 * @category operations
 * @since 0.1.0
 */
export const readEvents = (response: HttpResponse, position: Position, reader: EventReader): Effect.Effect<void> =>
  Effect.suspend(() => {
    const parser = Sse.makeParser((parsed) => {
      if (parsed._tag === "Retry") {
        position.retry = Duration.toMillis(parsed.duration)
        return
      }
      position.events++
      if (parsed.id !== undefined) position.lastEventId = toHeader(parsed.id)
      // an event without data only says where the stream stands
      if (parsed.data === "") return
      position.messages++
      reader.take(parsed)
    }, { maxEventSize: MAX_EVENT_LENGTH })
    const pieces = response.pieces((text) => parser.feed(text) === undefined ? reader.wanted() : reader.tooLong())
    if (reader.takesRest !== true) return pieces
    return Effect.andThen(
      pieces,
      Effect.sync(() => {
        parser.feed("\n\n")
      })
    )
  })

/** In UTF-8, as the HTML standard has it; nothing where a header can't hold it, or an empty id takes the last one back. */
const toHeader = (id: string): string | undefined => {
  if (id === "" || id.length > MAX_ID_LENGTH) return undefined
  const text = String.fromCharCode(...new TextEncoder().encode(id))
  return isHeaderValue(text) ? text : undefined
}
