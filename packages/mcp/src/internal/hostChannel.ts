/** A channel over a transport that the host brings, of the kind the SDK has: what it gives and takes is the host's word. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type Channel, noProcess, type Receiver } from "./channel.ts"
import { isRequest, type Message } from "./jsonRpc.ts"
import { inRealTime } from "./liveClock.ts"

export interface HostTransport {
  readonly start: () => Promise<void>
  readonly send: (message: object) => Promise<void>
  readonly close: () => Promise<void>
  readonly setProtocolVersion?: (revision: string) => void
  onmessage?: (message: unknown) => void
  onclose?: () => void
}

export const isTransport = (value: unknown): value is HostTransport =>
  Predicate.isObject(value) && ["start", "send", "close"].every((name) => typeof value[name] === "function")

/** Closing could take longer, or for ever. */
const CLOSE_LIMIT = "1 second"

export const makeHostChannel = (transport: HostTransport): Channel => {
  let receiver: Receiver | undefined
  const end = () => receiver?.end(undefined)
  return {
    ...noProcess,
    listen: (listening) =>
      Effect.tryPromise({
        try: async () => {
          receiver = listening
          transport.onmessage = (message) => void listening.receive(message)
          transport.onclose = end
          return transport.start()
        },
        catch: wordsOf
      }),
    send: (message) => {
      deliver(transport, message).catch((cause: unknown) => {
        if (isRequest(message)) receiver?.fail(Number(message.id), wordsOf(cause))
      })
    },
    withdraw: () => false,
    negotiated: (revision) => transport.setProtocolVersion?.(revision),
    refusal: () => undefined,
    leave: Effect.tryPromise(() => transport.close()).pipe(
      Effect.timeoutOption(CLOSE_LIMIT),
      Effect.ignore,
      Effect.andThen(Effect.sync(end)),
      inRealTime
    ),
    redact: (text) => text
  }
}

/** What it throws is a rejection like any other. */
const deliver = async (transport: HostTransport, message: Message): Promise<void> =>
  transport.send({ jsonrpc: "2.0", ...message })

const wordsOf = (cause: unknown): string =>
  cause instanceof Error && cause.message !== "" ? cause.message : "it didn't answer"
