/**
 * What may befall the messages between a client and a server, drawn from a seed: which fault the n-th message of a
 * direction meets, and what that makes of its bytes. It carries nothing itself: `ChaosProxy` does, for servers over
 * stdio, and whatever else passes messages on can do the same.
 *
 * **Details**
 *
 * The fault of a message depends on the seed, the direction, and the number of the message in that direction: on nothing
 * that the other direction does, and on no clock. So one seed gives the same faults for the same messages.
 *
 * What is garbled is never a message any more: a reader may lose it, but can't be blamed for taking it for another one.
 *
 * @since 0.1.0
 */

/**
 * The names of the faults, in the order in which they share out the chances.
 *
 * @category models
 * @since 0.1.0
 */
export const faultNames = ["delay", "split", "join", "duplicate", "noise", "drop", "garble", "cut"] as const

/**
 * How likely each fault is, from 0 to 1. A message meets one fault at most: where the sum exceeds 1, the later ones in
 * {@link faultNames} get what the earlier ones leave.
 *
 * @category models
 * @since 0.1.0
 */
export type Rates = Readonly<Record<(typeof faultNames)[number], number>>

/**
 * The chances where nothing else is asked for.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaultRates: Rates = {
  delay: 0.1,
  split: 0.1,
  join: 0.1,
  duplicate: 0.03,
  noise: 0.02,
  drop: 0.02,
  garble: 0.02,
  cut: 0.003
}

/**
 * From the client to the server, or back.
 *
 * @category models
 * @since 0.1.0
 */
export type Direction = "toServer" | "toClient"

/**
 * Everything beside the seed is optional.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly seed: number
  /** Which of several connections it is; each has faults of its own. Default: 0. */
  readonly connection?: number
  /** Chances in both directions. What isn't given is as in {@link defaultRates}. */
  readonly rates?: Partial<Rates>
  /** What is different on the way to the server. */
  readonly toServer?: Partial<Rates>
  /** What is different on the way to the client. */
  readonly toClient?: Partial<Rates>
  /** So many messages of each direction nothing befalls, e.g. those of the handshake. Default: 0. */
  readonly spare?: number
  /** The longest wait, in milliseconds. Default: 20. */
  readonly maxDelay?: number
}

/**
 * How a connection ends: its process by itself or by a signal; or only its output is closed, and it still listens.
 *
 * @category models
 * @since 0.1.0
 */
export type Cut =
  | { readonly exit: number }
  | { readonly signal: "SIGTERM" | "SIGKILL" | "SIGSEGV" }
  | { readonly closes: "output" }

/**
 * What befalls one message. Places in it are shares of its length, from 0 to 1.
 *
 * **Details**
 *
 * - `Delay`: it comes later, and so does all that is behind it
 * - `Split`: it comes in pieces, with `millis` between them; `insideCharacter` has them end within a character of several
 *   bytes, where there is one
 * - `Join`: it comes in one chunk with the next one
 * - `Duplicate`: it comes twice
 * - `Noise`: a line that is no message comes before it
 * - `Drop`: it never comes
 * - `Garble`: some of its bytes are others (`Bytes`), or its end is missing (`Truncated`)
 * - `Cut`: the connection ends before it (`at` is 0), in the middle of it, or right after it (`at` is 1)
 *
 * @category models
 * @since 0.1.0
 */
export type Fault =
  | { readonly _tag: "None" }
  | { readonly _tag: "Delay"; readonly millis: number }
  | {
    readonly _tag: "Split"
    readonly at: ReadonlyArray<number>
    readonly insideCharacter: boolean
    readonly millis: number
  }
  | { readonly _tag: "Join" }
  | { readonly _tag: "Duplicate"; readonly millis: number }
  | { readonly _tag: "Noise"; readonly line: string }
  | { readonly _tag: "Drop" }
  | { readonly _tag: "Garble"; readonly garbling: Garbling }
  | { readonly _tag: "Cut"; readonly at: number; readonly cut: Cut }

/**
 * @category models
 * @since 0.1.0
 */
export type Garbling =
  | { readonly _tag: "Bytes"; readonly at: ReadonlyArray<number> }
  | { readonly _tag: "Truncated"; readonly at: number }

/**
 * The fault of the message with this number, from 0, in its direction.
 *
 * @category models
 * @since 0.1.0
 */
export type Plan = (direction: Direction, index: number) => Fault

/**
 * Draws the faults of one connection.
 *
 * **Example**
 *
 * ```ts
 * const plan = Chaos.plan({ seed: 7, spare: 3, rates: { cut: 0.001 }, toServer: { drop: 0 } })
 * const fault = plan("toClient", 12)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const plan = (options: Options): Plan => {
  const { connection = 0, maxDelay = 20, seed, spare = 0 } = options
  const rates = {
    toServer: { ...defaultRates, ...options.rates, ...options.toServer },
    toClient: { ...defaultRates, ...options.rates, ...options.toClient }
  }
  return (direction, index) => {
    if (index < spare) return { _tag: "None" }
    const random = randomFrom([seed, connection, direction === "toServer" ? 0 : 1, index])
    return draw(rates[direction], maxDelay, random)
  }
}

/**
 * What a carrier does for one message, one step after the other: write these bytes; wait, and with it all that is behind;
 * write these bytes together with whatever comes next; end the connection.
 *
 * @category models
 * @since 0.1.0
 */
export type Step =
  | { readonly write: Uint8Array }
  | { readonly wait: number }
  | { readonly hold: Uint8Array }
  | { readonly cut: Cut }

/**
 * What a fault makes of a message. A message on a line is given with its line end, which stays as it is.
 *
 * **Example**
 *
 * ```ts
 * const line = new TextEncoder().encode(`${JSON.stringify(message)}\n`)
 * for (const step of Chaos.steps(plan("toClient", 12), line)) perform(step)
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const steps = (fault: Fault, message: Uint8Array): ReadonlyArray<Step> => {
  switch (fault._tag) {
    case "Delay":
      return [{ wait: fault.millis }, { write: message }]
    case "Split":
      return split(fault, message)
    case "Join":
      return [{ hold: message }]
    case "Duplicate":
      return [{ write: message }, { wait: fault.millis }, { write: message }]
    case "Noise":
      return [{ write: new TextEncoder().encode(`${fault.line}\n`) }, { write: message }]
    case "Drop":
      return []
    case "Garble":
      return garble(fault.garbling, message)
    case "Cut":
      return [{ write: message.subarray(0, placeIn(message.length + 1, fault.at)) }, { cut: fault.cut }]
    default:
      return [{ write: message }]
  }
}

type Random = () => number

/** Mulberry32 over a mixture of the numbers: neighbouring ones give series that have nothing to do with each other. */
const randomFrom = (numbers: ReadonlyArray<number>): Random => {
  let state = numbers.reduce((mixed, number) => mix(mixed ^ number) + 0x9e3779b9, 0) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The finaliser of MurmurHash3: every bit of the number moves every bit of the result. */
const mix = (number: number): number => {
  let mixed = number | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

const draw = (rates: Rates, maxDelay: number, random: Random): Fault => {
  let rest = random()
  for (const name of faultNames) {
    if (rest < rates[name]) return drawn[name](random, maxDelay)
    rest -= rates[name]
  }
  return { _tag: "None" }
}

/** Pieces and doubles follow each other closely: they are about what comes together, not about waiting. */
const MAX_GAP = 3

const drawn: Readonly<Record<keyof Rates, (random: Random, maxDelay: number) => Fault>> = {
  delay: (random, maxDelay) => ({ _tag: "Delay", millis: random() * maxDelay }),
  split: (random, maxDelay) => ({
    _tag: "Split",
    at: several(random, 3),
    insideCharacter: random() < 0.5,
    millis: random() * Math.min(MAX_GAP, maxDelay)
  }),
  join: () => ({ _tag: "Join" }),
  duplicate: (random, maxDelay) => ({ _tag: "Duplicate", millis: random() * Math.min(MAX_GAP, maxDelay) }),
  noise: (random) => ({ _tag: "Noise", line: pick(random, NOISE) }),
  drop: () => ({ _tag: "Drop" }),
  garble: (random) => ({ _tag: "Garble", garbling: drawGarbling(random) }),
  cut: (random) => ({ _tag: "Cut", at: pick(random, [0, random(), 1]), cut: drawCut(random) })
}

const drawGarbling = (random: Random): Garbling =>
  pick<() => Garbling>(random, [
    () => ({ _tag: "Bytes", at: several(random, 4) }),
    () => ({ _tag: "Truncated", at: random() })
  ])()

const drawCut = (random: Random): Cut =>
  pick<() => Cut>(random, [
    () => ({ exit: pick(random, [0, 1, 137]) }),
    () => ({ signal: pick(random, ["SIGTERM", "SIGKILL", "SIGSEGV"]) }),
    () => ({ closes: "output" })
  ])()

/** As programs print them where only messages belong. None answers anything. */
const NOISE: Choices<string> = [
  "starting up...",
  "",
  "null",
  "[]",
  "{\"level\":\"info\",\"id\":1,\"msg\":\"ready\"}",
  "{\"jsonrpc\":\"2.0\"}",
  "(node:4711) Warning: something is deprecated",
  "\u001b[32m✔\u001b[0m ünïcode"
]

type Choices<A> = readonly [A, ...ReadonlyArray<A>]

const pick = <A>(random: Random, choices: Choices<A>): A => choices[placeIn(choices.length, random())] ?? choices[0]

const several = (random: Random, most: number): ReadonlyArray<number> =>
  Array.from({ length: 1 + placeIn(most, random()) }, random).toSorted((left, right) => left - right)

/** One of `length` places, at this share of the whole. */
const placeIn = (length: number, share: number): number => Math.max(0, Math.min(length - 1, Math.floor(share * length)))

const split = (
  { at, insideCharacter, millis }: Extract<Fault, { readonly _tag: "Split" }>,
  message: Uint8Array
): ReadonlyArray<Step> => {
  const places = at.map((share) => {
    const place = placeIn(message.length, share)
    return insideCharacter ? insideCharacterAt(message, place) : place
  })
  const ends = [...new Set([...places, message.length])].filter((end) => end > 0).toSorted((a, b) => a - b)
  return ends.flatMap((end, index): ReadonlyArray<Step> => {
    const start = ends[index - 1] ?? 0
    const write = { write: message.subarray(start, end) }
    return index === 0 ? [write] : [{ wait: millis }, write]
  })
}

/** The next place at which a character of several bytes is cut in two; from the beginning, where none follows. */
const insideCharacterAt = (message: Uint8Array, place: number): number => {
  const next = message.findIndex((byte, index) => index >= place && isContinuation(byte))
  if (next !== -1) return next
  const first = message.findIndex(isContinuation)
  return first === -1 ? place : first
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

/** JSON allows it nowhere, so that no garbled message is still one. */
const CONTROL = 0x01
/** UTF-8 allows it nowhere. */
const NO_TEXT = 0xff

const garble = (garbling: Garbling, message: Uint8Array): ReadonlyArray<Step> => {
  const length = bodyLength(message)
  if (length === 0) return [{ write: message }]
  if (garbling._tag === "Truncated") {
    const kept = message.subarray(0, placeIn(length, garbling.at))
    return [{ write: concat(kept, message.subarray(length)) }]
  }
  const changed = Uint8Array.from(message)
  garbling.at.forEach((share, index) => {
    changed[placeIn(length, share)] = index === garbling.at.length - 1 ? CONTROL : NO_TEXT
  })
  return [{ write: changed }]
}

/** Without the line end. */
const bodyLength = (message: Uint8Array): number => {
  let length = message.length
  while (length > 0 && (message[length - 1] === 0x0a || message[length - 1] === 0x0d)) length--
  return length
}

const concat = (left: Uint8Array, right: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(left.length + right.length)
  whole.set(left)
  whole.set(right, left.length)
  return whole
}
