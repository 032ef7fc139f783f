/**
 * Who listens to which resources. However many listen to one, the server is asked once, and is told when the last of
 * them has left: it keeps no count of its own (MCP, Resources: Subscriptions).
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { McpCallError } from "../McpError.ts"
import type { RequestOptions } from "../McpSession.ts"
import { inRealTime } from "./liveClock.ts"
import type { Notices } from "./notices.ts"
import type { Peer } from "./peer.ts"

/** A listener that is slower misses the oldest, which the newer ones make up for. */
const MAX_WAITING = 256

/** So long whoever leaves may be held up by a server. */
const FAREWELL = "1 second"

/** Of one URI. */
interface Subscription {
  /** One request at a time: over HTTP a later one may overtake an earlier one. */
  readonly lock: Semaphore.Semaphore
  listeners: number
  /** Whether the server sends updates; unknown where it was asked and has not answered. */
  isOn: boolean | undefined
}

export class Subscriptions {
  readonly #peer: Pick<Peer, "request" | "closed" | "isClosed">
  readonly #notices: Notices
  readonly #byUri = new Map<string, Subscription>()

  constructor(peer: Pick<Peer, "request" | "closed" | "isClosed">, notices: Notices) {
    this.#peer = peer
    this.#notices = notices
  }

  updates(uri: string, limits: RequestOptions["limits"]): Stream.Stream<string, McpCallError> {
    return Stream.unwrap(Effect.gen({ self: this }, function*() {
      const queue = yield* Queue.sliding<string>(MAX_WAITING)
      const hear = (updated: string) => {
        if (isWithin(uri, updated)) Queue.offerUnsafe(queue, updated)
      }
      const subscription = this.#enter(uri)
      // registered before the server is asked, so that it is told also by whoever is interrupted meanwhile
      yield* Effect.addFinalizer(() => {
        this.#notices.onUpdate.delete(hear)
        return this.#leave(uri, subscription)
      })
      this.#notices.onUpdate.add(hear)
      yield* subscription.lock.withPermit(Effect.suspend(() => this.#ask(uri, subscription, limits)))
      return Stream.concat(Stream.make(uri), Stream.fromQueue(queue))
    })).pipe(Stream.interruptWhen(this.#peer.closed))
  }

  #enter(uri: string): Subscription {
    const known = this.#byUri.get(uri)
    const subscription = known ?? { lock: Semaphore.makeUnsafe(1), listeners: 0, isOn: false }
    subscription.listeners++
    this.#byUri.set(uri, subscription)
    return subscription
  }

  #ask(uri: string, subscription: Subscription, limits: RequestOptions["limits"]): Effect.Effect<void, McpCallError> {
    if (subscription.isOn === true) return Effect.void
    subscription.isOn = undefined
    const asked = this.#peer.request("resources/subscribe", { uri }, limits === undefined ? {} : { limits })
    return Effect.matchEffect(asked, {
      onFailure: (error) => {
        if (error._tag === "McpRejected") subscription.isOn = false
        return Effect.fail(error)
      },
      onSuccess: () => {
        subscription.isOn = true
        return Effect.void
      }
    })
  }

  #leave(uri: string, subscription: Subscription): Effect.Effect<void> {
    // who stays may be waiting for the server, and holds up nobody who leaves
    if (--subscription.listeners > 0) return Effect.void
    return subscription.lock.withPermit(Effect.suspend(() => {
      // somebody came while this one waited for its turn
      if (subscription.listeners > 0) return Effect.void
      return Effect.andThen(this.#end(uri, subscription), Effect.sync(() => this.#forget(uri, subscription)))
    }))
  }

  #end(uri: string, subscription: Subscription): Effect.Effect<void> {
    if (subscription.isOn === false || this.#peer.isClosed) return Effect.void
    subscription.isOn = false
    const ended = Effect.interruptible(this.#peer.request("resources/unsubscribe", { uri }))
    return ended.pipe(Effect.timeoutOption(FAREWELL), Effect.ignore, inRealTime)
  }

  /** Unless somebody came while the server was told. */
  #forget(uri: string, subscription: Subscription) {
    if (subscription.listeners === 0 && this.#byUri.get(uri) === subscription) this.#byUri.delete(uri)
  }
}

/** What changed may be below what was subscribed to, e.g. a file in a folder. */
const isWithin = (uri: string, updated: string): boolean => {
  if (!updated.startsWith(uri)) return false
  return updated.length === uri.length || uri.endsWith("/") || /^[/?#]/.test(updated.slice(uri.length))
}
