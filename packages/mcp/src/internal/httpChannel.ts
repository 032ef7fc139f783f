/**
 * Streamable HTTP (MCP 2025-11-25, Transports): each message is a POST, whose response is an answer or a stream of
 * messages; a GET stream brings what the server has to say by itself.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ResolvedRemote } from "../McpConfig.ts"
import { type Channel, noProcess } from "./channel.ts"
import { takeAnswer } from "./httpAnswer.ts"
import { HttpSession } from "./httpSession.ts"
import { type Message, serialize } from "./jsonRpc.ts"
import { inRealTime } from "./liveClock.ts"
import { discard, makeLink, type Outgoing, outgoing, type RemoteLink } from "./remoteLink.ts"
import { hearServer } from "./serverStream.ts"

/** Said goodbye for so long: the server may be gone. */
const GOODBYE = "1 second"

/** What else is sent waits so long for the server to take the word that we are ready. */
const GREETING_LIMIT = "5 seconds"

export const openHttp = (server: ResolvedRemote) =>
  Effect.map(makeLink(server), (link): Channel => {
    const session = new HttpSession(link, server.url)
    const posts = new Posts(session)
    return {
      ...noProcess,
      listen: (receiver) => Effect.sync(() => link.listen(receiver)),
      send: (message, context) => posts.send(message, context),
      withdraw: (id) => link.withdraw(id),
      negotiated: (revision) => session.negotiated(revision),
      refusal: () => link.refusal,
      leave: leave(session),
      redact: link.redact
    }
  })

const leave = (session: HttpSession): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { link } = session
    if (link.isLeft) return Effect.void
    link.leave()
    const { goodbye } = session
    if (goodbye === undefined) return Effect.void
    return Effect.map(link.requests.send(goodbye), discard).pipe(
      Effect.timeoutOption(GOODBYE),
      // whatever breaks on the way, e.g. who makes our headers
      Effect.exit,
      Effect.asVoid,
      inRealTime
    )
  })

/** Messages on their way to the server. */
class Posts {
  readonly #session: HttpSession
  readonly #link: RemoteLink
  readonly #isOver: (id: number) => void
  /** Done when the server has taken the word that we are ready, which nothing overtakes. */
  #greeting: Effect.Effect<unknown> | undefined

  constructor(session: HttpSession) {
    this.#session = session
    this.#link = session.link
    this.#isOver = (id) => session.isOver(id)
  }

  send(message: Message, context: unknown) {
    const sent = outgoing(message)
    const body = serialize(message)
    if (message.method === "notifications/initialized") this.#greet(sent, body)
    else this.#link.send(sent, this.#afterGreeting(this.#deliver(sent, body, context)), this.#isOver)
  }

  #greet(sent: Outgoing, body: string) {
    const taken = Deferred.makeUnsafe<void>()
    const isTaken = () => void Deferred.doneUnsafe(taken, Effect.void)
    this.#greeting = Effect.timeoutOption(Deferred.await(taken), GREETING_LIMIT)
    this.#link.send(sent, Effect.ensuring(this.#deliver(sent, body, undefined, isTaken), Effect.sync(isTaken)))
    this.#link.run(Effect.andThen(this.#greeting, hearServer(this.#session)))
  }

  #afterGreeting<A>(delivery: Effect.Effect<A>): Effect.Effect<A> {
    const greeting = this.#greeting
    if (greeting === undefined) return delivery
    const taken = Effect.andThen(
      greeting,
      Effect.sync(() => {
        this.#greeting = undefined
      })
    )
    return Effect.andThen(taken, delivery)
  }

  /** `isTaken`: called when the server begins to answer. */
  #deliver(sent: Outgoing, body: string, context: unknown, isTaken?: () => void): Effect.Effect<void> {
    const session = this.#session
    const delivery = Effect.suspend(() => {
      session.asks(sent)
      const request = session.post(body, context)
      return Effect.flatMap(this.#link.requests.send(request), (answer) => {
        session.isHeard(sent)
        isTaken?.()
        return takeAnswer({ ...sent, session, request }, answer)
      })
    })
    const settled = Effect.catch(delivery, (failure) => Effect.sync(() => session.failed(sent, failure)))
    return this.#link.unbroken(settled, (reason) => this.#link.lose(sent, reason, true))
  }
}
