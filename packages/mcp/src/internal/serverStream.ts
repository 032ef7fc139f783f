/**
 * What a server has to say by itself, over a stream of its own. That it offers no such stream is normal, and it may be
 * cut at any time: then it is asked for again.
 */
import { beginning, type Position, readEvents } from "@effect-toolnexus/core/EventStream"
import type { HttpFailure, HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import { type Answer, isRedirected, isStream } from "@effect-toolnexus/core/RemoteRequests"
import * as Effect from "effect/Effect"
import type { HttpSession } from "./httpSession.ts"
import { discard } from "./remoteLink.ts"
import { MAX_IDLE_STREAMS, pauseBefore } from "./resumption.ts"

/** A server that has a stream of its own says so when it has the time. */
const BUSY: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/** What breaks costs the stream only. */
export const hearServer = (session: HttpSession): Effect.Effect<void> =>
  session.link.unbroken(Effect.suspend(() => hear(session, 0, beginning())), () => {})

/** `attempts`: how many in a row brought nothing. */
const hear = (session: HttpSession, attempts: number, position: Position): Effect.Effect<void> => {
  if (attempts > MAX_IDLE_STREAMS) return Effect.void
  return Effect.matchEffect(session.link.requests.send(session.stream(position, undefined)), {
    onFailure: (failure) => missed(session, attempts, position, failure),
    onSuccess: (answer) => take(session, attempts, position, answer)
  })
}

const missed = (session: HttpSession, attempts: number, position: Position, failure: HttpFailure) =>
  attempts === MAX_IDLE_STREAMS && !failure.wasSent
    ? Effect.sync(() => session.gone(failure))
    : hearLater(session, attempts + 1, position)

const take = (session: HttpSession, attempts: number, position: Position, answer: Answer): Effect.Effect<void> => {
  const isBusy = !isRedirected(answer) && BUSY.has(answer.status)
  if (isStream(answer)) return read(session, attempts, position, answer)
  discard(answer)
  return isBusy ? hearLater(session, attempts + 1, position) : Effect.void
}

const read = (session: HttpSession, attempts: number, position: Position, response: HttpResponse) => {
  const before = position.messages
  const events = readEvents(response, position, {
    take: ({ data }) => session.link.hear(data),
    tooLong: () => "nothing",
    wanted: () => "more"
  })
  const again = Effect.suspend(() => hearLater(session, position.messages > before ? 1 : attempts + 1, position))
  return Effect.andThen(events, again)
}

const hearLater = (session: HttpSession, attempts: number, position: Position): Effect.Effect<void> =>
  Effect.andThen(pauseBefore(attempts, position), Effect.suspend(() => hear(session, attempts, position)))
