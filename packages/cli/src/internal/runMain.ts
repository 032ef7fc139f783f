/**
 * Runs the command as this process: signals, and what a library throws where nobody catches it, end it in an orderly
 * way, with the exit code that a shell has for a signal; else it exits when all that was printed is out.
 */
import * as Runtime from "effect/Runtime"
import { constants } from "node:os"
import { inspect } from "node:util"
import { plainText } from "./plainText.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

type Signal = typeof signals[number]

/**
 * Closing takes up to 2.5 s, for stubborn servers. This is only for a clean-up that hangs, so that Ctrl-C always ends
 * the process.
 */
const LAST_RESORT_MS = 6000

const makeRunMain = Runtime.makeRunMain(({ fiber, teardown }) => {
  let forced: number | undefined

  // a second Ctrl-C changes nothing: the clean-up that is under way is what ends the servers
  const end = (code: number) => {
    if (forced === undefined) setTimeout(() => process.exit(code), LAST_RESORT_MS).unref()
    forced ??= code
    fiber.interruptUnsafe(fiber.id)
  }
  const onSignal = (signal: Signal) => end(128 + constants.signals[signal])
  const onThrow = (error: unknown) => {
    process.stderr.write(`error: Unexpected failure of toolnexus ${plainText(inspect(error))}\n`)
    end(1)
  }
  // a reader that goes away is no reason to end without the clean-up; writes report it where it matters
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
  for (const signal of signals) process.on(signal, onSignal)
  process.on("uncaughtException", onThrow)

  fiber.addObserver((exit) => {
    for (const signal of signals) process.removeListener(signal, onSignal)
    if (forced !== undefined) process.exit(forced)
    teardown(exit, (code) => whenWritten(process.stdout, () => whenWritten(process.stderr, () => process.exit(code))))
  })
})

/** `process.exit` drops what a pipe hasn't taken yet. */
const whenWritten = (stream: NodeJS.WriteStream, done: () => void): void => {
  if (stream.destroyed || stream.writableLength === 0) return done()
  stream.write("", () => done())
}

/** Runs the command, whose failures are reported by itself. */
export const runMain = makeRunMain({ disableErrorReporting: true })
