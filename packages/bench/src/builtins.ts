/**
 * The builtins on what is large: a window of a file of 2 GB, and a command that prints 1 GB. The aims: a window takes
 * milliseconds wherever the file ends, and neither takes memory that grows with what is read or printed. Of the file the
 * first 256 MB are lines of text, the rest is a hole; a window far in has to find its first line, so it goes through all
 * that lies before it.
 */
import { Toolkit } from "@effect-toolnexus/core"
import { ToolkitLive } from "@effect-toolnexus/toolkit"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, openSync, rmSync, truncateSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { measure } from "./harness.ts"

const FILE_SIZE = 2_000_000_000
const TEXT_SIZE = 256_000_000

export interface Size {
  /** Bytes that the command prints. */
  readonly printed: number
  readonly samples: number
}

export const LARGE: Size = { printed: 1_000_000_000, samples: 3 }

/** Enough to see memory grow with what is printed. */
export const SMALL: Size = { printed: 300_000_000, samples: 1 }

/** MB that the memory may have grown by at its highest. What is collected late counts, so it is far above what is held. */
const LIMIT = 200

const LINE = `${"x".repeat(63)}\n`

export const builtins = Effect.fnUntraced(
  function*({ printed: bytes, samples }: Size) {
    const toolkit = yield* Toolkit
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "toolnexus-bench-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const path = join(folder, "large")
    yield* Effect.sync(() => makeFile(path))
    const run = Effect.runPromiseWith(yield* Effect.context())
    const read = (offset: number) => () => run(Effect.orDie(toolkit.call("read", { path, offset, limit: 100 })))
    const bash = (command: string) => () => run(Effect.orDie(toolkit.call("bash", { command })))

    const windows = yield* growth(measure({
      title: "100 lines of a file of 2 GB",
      batch: 1,
      samples: 9,
      unit: "ms",
      contenders: [
        { name: "the first", run: read(1) },
        { name: "behind a million lines (64 MB)", run: read(1_000_001) },
        { name: "behind three million lines (192 MB)", run: read(3_000_001) }
      ]
    }))
    const printed = yield* growth(measure({
      title: `a command that prints ${bytes / 1_000_000} MB`,
      batch: 1,
      samples,
      unit: "ms",
      contenders: [
        { name: "bare process, output thrown away", run: () => bare(`yes | head -c ${bytes}`) },
        { name: "bash", run: bash(`yes | head -c ${bytes}`) }
      ]
    }))
    yield* Console.log(`Memory grew by ${windows.toFixed(0)} MB and ${printed.toFixed(0)} MB (at most ${LIMIT})\n`)
    return { value: Math.max(windows, printed), limit: LIMIT }
  },
  Effect.scoped,
  Effect.provide(ToolkitLive({}))
)

const makeFile = (path: string) => {
  const file = openSync(path, "w")
  const piece = LINE.repeat(1_000_000 / LINE.length)
  for (let size = 0; size < TEXT_SIZE; size += piece.length) writeSync(file, piece)
  truncateSync(path, FILE_SIZE)
}

/** By how many MB the process grows, at its highest, while something runs. */
const growth = Effect.fnUntraced(function*<A, E, R>(running: Effect.Effect<A, E, R>) {
  const before = process.memoryUsage.rss()
  let highest = before
  const look = Effect.sync(() => {
    highest = Math.max(highest, process.memoryUsage.rss())
  })
  yield* Effect.raceFirst(running, Effect.forever(Effect.andThen(look, Effect.sleep(10))))
  return (highest - before) / 1024 / 1024
})

const bare = (command: string) =>
  new Promise<void>((resolve) => {
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] })
    child.stdout.resume()
    child.on("close", () => resolve())
  })
