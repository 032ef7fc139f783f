/**
 * Signals that end the process, which first close what is open. One listener for each signal, however many toolkits there
 * are: the last of them to be closed, and not the first, is when the process may end.
 */
import { constants } from "node:os"

export const CLOSING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

export type ClosingSignal = typeof CLOSING_SIGNALS[number]

type Close = () => Promise<unknown>

const open = new Map<ClosingSignal, Set<Close>>()

let isEnding = false

/** More than stubborn servers take by default. Only for a clean-up that hangs: a signal always ends the process. */
const LAST_RESORT_MS = 10_000

/** Closes at the first of these signals, until the function that is returned is called. */
export const closeOn = (signals: ReadonlyArray<ClosingSignal>, close: Close): () => void => {
  for (const signal of signals) add(signal, close)
  return () => {
    for (const signal of signals) remove(signal, close)
  }
}

const add = (signal: ClosingSignal, close: Close): void => {
  const closes = open.get(signal)
  if (closes !== undefined) return void closes.add(close)
  open.set(signal, new Set([close]))
  process.on(signal, onSignal)
}

const remove = (signal: ClosingSignal, close: Close): void => {
  const closes = open.get(signal)
  if (closes === undefined) return
  closes.delete(close)
  if (closes.size > 0) return
  open.delete(signal)
  process.off(signal, onSignal)
}

/** Another signal changes nothing, since what is under way ends the servers; and `npm start` sends a second Ctrl-C by itself. */
const onSignal = (signal: ClosingSignal): void => {
  if (isEnding) return
  isEnding = true
  void end(signal)
}

/** Whoever else listens hears it again, and decides how the process ends; where nobody does, it ends by the signal. */
const end = async (signal: ClosingSignal): Promise<void> => {
  const hanging = setTimeout(() => process.exit(128 + constants.signals[signal]), LAST_RESORT_MS)
  // what is opened meanwhile is closed as well
  for (let closes = open.get(signal); closes !== undefined; closes = open.get(signal)) {
    await Promise.all([...closes].map(async (close) => {
      await Promise.allSettled([close()])
      remove(signal, close)
    }))
  }
  clearTimeout(hanging)
  isEnding = false
  process.kill(process.pid, signal)
}
