/** HTTP without sockets, so that time is the test's alone. */
import { HttpConnections, type HttpResponse } from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"

interface Asked {
  readonly method: string
  readonly body: { readonly id?: number; readonly method?: string }
}

/** A body of JSON, or a stream of events that lasts as long as `pieces`. */
type Reply = { readonly text: string } | Pick<HttpResponse, "pieces">

export const fakeHttp = (replyTo: (asked: Asked) => Reply): HttpConnections["Service"] =>
  HttpConnections.of({
    open: () =>
      Effect.succeed({
        exchange: ({ body, method }) =>
          Effect.sync(() => toResponse(replyTo({ method, body: body === undefined ? {} : JSON.parse(String(body)) })))
      })
  })

const toResponse = (reply: Reply): HttpResponse => {
  const isStream = "pieces" in reply
  const type = isStream ? "text/event-stream" : "application/json"
  return {
    status: 200,
    header: (name) => name === "content-type" ? type : undefined,
    text: () => Effect.succeed({ text: isStream ? "" : reply.text, isWhole: true }),
    bytes: () => Effect.die("nobody asks for bytes"),
    pieces: isStream ? reply.pieces : () => Effect.void,
    discard: () => {}
  }
}
