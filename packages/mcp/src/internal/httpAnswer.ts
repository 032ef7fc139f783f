/** What a server answers to a message over streamable HTTP: a body, a stream of events, or why there is neither. */
import { beginning, MAX_EVENT_LENGTH, type Position, readEvents } from "@effect-toolnexus/core/EventStream"
import { HttpFailure, type HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import { type Answer, hasEvents, isStream, type RemoteRequest } from "@effect-toolnexus/core/RemoteRequests"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { HttpSession } from "./httpSession.ts"
import { discard, isOk, type Outgoing } from "./remoteLink.ts"
import { MAX_IDLE_STREAMS, pauseBefore } from "./resumption.ts"

/** With these the older transport answers where it is sent what the newer one is. */
const OLDER: ReadonlySet<number> = new Set([400, 404, 405, 406])

const TOO_LONG = `the answer is longer than the limit of ${MAX_EVENT_LENGTH} bytes`

/** A message that was sent, and as what. */
export interface Asked extends Outgoing {
  readonly session: HttpSession
  readonly request: RemoteRequest
}

export const takeAnswer = (asked: Asked, answer: Answer): Effect.Effect<void, HttpFailure> => {
  const { request, session: { link } } = asked
  const admitted = link.admit(request, answer)
  if (Result.isFailure(admitted)) return Effect.sync(() => link.refuse(asked, admitted.failure))
  const response = admitted.success
  return isOk(response) ? readAnswer(asked, response) : readProblem(asked, response)
}

const readAnswer = (asked: Asked, response: HttpResponse): Effect.Effect<void, HttpFailure> => {
  const { id, method, session } = asked
  if (method === "initialize") session.begin(response)
  if (hasEvents(response)) return readStream(asked, response, beginning(), 0)
  if (id === undefined || response.status === 202 || response.status === 204) {
    response.discard()
    return Effect.sync(() =>
      session.link.lose(asked, `took the request and gave no answer (HTTP ${response.status})`, true)
    )
  }
  return readBody(asked, id, response)
}

const readBody = (asked: Asked, id: number, response: HttpResponse) => {
  const { link } = asked.session
  return Effect.map(response.text(MAX_EVENT_LENGTH), ({ isWhole, text }) => {
    if (!isWhole) return link.fail(asked, TOO_LONG)
    link.hear(text, id)
    if (!link.isOpen(id)) return
    const encoding = response.header("content-encoding") ?? "identity"
    link.fail(
      asked,
      encoding === "identity"
        ? `its answer is no message: ${link.shorten(text)}`
        : `its answer is encoded in a way it wasn't asked for: ${encoding}`
    )
  })
}

/** An answer that was cut off goes on where it was, if the server has said where that is. */
const readStream = (
  asked: Asked,
  response: HttpResponse,
  position: Position,
  attempts: number
): Effect.Effect<void> => {
  const { id, session: { link } } = asked
  const before = position.events
  const isAnswered = () => id !== undefined && !link.isOpen(id)
  const read = readEvents(response, position, {
    take: ({ data }) => link.hear(data, id),
    tooLong: () => {
      link.fail(asked, TOO_LONG)
      return "nothing"
    },
    // some servers never end it, and the connection is wanted back
    wanted: () => isAnswered() ? "soon" : "more"
  })
  const rest = Effect.suspend(() =>
    id === undefined || isAnswered()
      ? Effect.void
      : askForRest(asked, position, position.events > before ? 1 : attempts + 1)
  )
  return Effect.andThen(read, rest)
}

const askForRest = (asked: Asked, position: Position, attempt: number): Effect.Effect<void> => {
  const { request: { context }, session } = asked
  const cutOff = Effect.sync(() => session.link.lose(asked, "cut its answer off", true))
  if (position.lastEventId === undefined || attempt > MAX_IDLE_STREAMS) return cutOff
  const rest = Effect.matchEffect(Effect.suspend(() => session.link.requests.send(session.stream(position, context))), {
    // what the request asked for may have been done, whatever becomes of its answer
    onFailure: (failure) => Effect.sync(() => session.cutOff(asked, failure)),
    onSuccess: (again) => {
      if (isStream(again)) return readStream(asked, again, position, attempt)
      discard(again)
      return cutOff
    }
  })
  return Effect.andThen(pauseBefore(attempt, position), rest)
}

const readProblem = (asked: Asked, response: HttpResponse): Effect.Effect<void, HttpFailure> => {
  const { id, method, request, session } = asked
  const { status } = response
  if (id !== undefined && session.isUnknown(request, status)) {
    response.discard()
    return Effect.sync(() => session.forgotten(id))
  }
  return Effect.map(session.link.readProblem(response), ({ detail, text }) => {
    // it may be an answer all the same, in the protocol's own terms
    session.link.hear(text)
    if (id !== undefined && !session.link.isOpen(id)) return
    if (id !== undefined && session.isUnknown(request, status, text)) return session.forgotten(id)
    const isOlder = method === "initialize" && OLDER.has(status)
    session.link.refuse(asked, { phase: "initialize", detail, ...(isOlder ? { isOlder } : {}) })
  })
}
