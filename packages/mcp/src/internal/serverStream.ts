/**
 * What a server has to say by itself, over a stream of its own. That it offers no such stream is normal, and it may be
 * cut at any time: then it is asked for again.
 */
import { beginning, type Position, readEvents } from "@effect-toolnexus/core/EventStream"
import type { HttpFailure, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import { type Answer, isRedirected, isStream } from "@effect-toolnexus/core/RemoteRequests"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HttpSession } from "./httpSession.ts"
import { elapsedMillis } from "./liveClock.ts"
import { discard } from "./remoteLink.ts"
import { MAX_IDLE_STREAMS, pauseBefore } from "./resumption.ts"

/** A server that has a stream of its own says so when it has the time. */
const BUSY: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/** Who lets a stream last so long doesn't end each at once: what ends a quiet one may be a proxy on the way. */
const LASTING_MILLIS = 10_000

interface ServerStream {
  readonly session: HttpSession
  readonly position: Position
  /** Whether the server has ever offered one. */
  wasOpen: boolean
}

/** What breaks costs the stream only. */
export const hearServer = (session: HttpSession): Effect.Effect<void> =>
  Effect.suspend(() => {
    const stream: ServerStream = { session, position: beginning(), wasOpen: false }
    return session.link.unbroken(hear(stream, 0), () => {})
  })

/** `attempts`: how many in a row brought nothing. */
const hear = (stream: ServerStream, attempts: number): Effect.Effect<void> => {
  if (attempts > MAX_IDLE_STREAMS) return Effect.void
  const { position, session } = stream
  return Effect.matchEffect(Effect.suspend(() => session.link.requests.send(session.stream(position, undefined))), {
    onFailure: (failure) => missed(stream, attempts, failure),
    onSuccess: (answer) => take(stream, attempts, answer)
  })
}

const missed = (stream: ServerStream, attempts: number, failure: HttpFailure): Effect.Effect<void> =>
  attempts === MAX_IDLE_STREAMS && !failure.wasSent
    ? Effect.sync(() => stream.session.gone(failure))
    : hearLater(stream, attempts + 1)

const take = (stream: ServerStream, attempts: number, answer: Answer): Effect.Effect<void> => {
  const isBusy = !isRedirected(answer) && BUSY.has(answer.status)
  if (isStream(answer)) return read(stream, attempts, answer)
  discard(answer)
  if (isBusy) return hearLater(stream, attempts + 1)
  // a session that is forgotten has no stream any more, and whoever waits for its news would wait for ever
  return stream.wasOpen ? Effect.sync(() => stream.session.probe()) : Effect.void
}

const read = (stream: ServerStream, attempts: number, response: HttpResponse): Effect.Effect<void> =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const { position, session } = stream
    const before = position.messages
    const since = elapsedMillis(clock)
    stream.wasOpen = true
    const events = readEvents(response, position, {
      take: ({ data }) => session.link.hear(data),
      tooLong: () => "nothing",
      wanted: () => "more"
    })
    return Effect.andThen(
      events,
      Effect.suspend(() => {
        const isWorthIt = position.messages > before || elapsedMillis(clock) - since >= LASTING_MILLIS
        return hearLater(stream, isWorthIt ? 1 : attempts + 1)
      })
    )
  })

const hearLater = (stream: ServerStream, attempts: number): Effect.Effect<void> =>
  Effect.andThen(pauseBefore(attempts, stream.position), hear(stream, attempts))
