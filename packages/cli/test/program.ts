/**
 * The command in this process: over its own sources, or over tools of the test, with or without somebody at a terminal.
 * A process takes a second of a busy machine to start, so only what is about processes starts one (`command.ts`).
 */
import type { Tool } from "@effect-toolnexus/core"
import * as ExtraSource from "@effect-toolnexus/extra/ExtraSource"
import * as ToolkitLayer from "@effect-toolnexus/toolkit/ToolkitLayer"
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import type * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Runtime from "effect/Runtime"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { format, stripVTControlCharacters } from "node:util"
import { ToolkitFactory } from "../src/ToolkitFactory.ts"
import * as Toolnexus from "../src/Toolnexus.ts"

/** What is typed, one list for each time that the terminal is read; nobody types where there is none. */
export type Typing = ReadonlyArray<ReadonlyArray<Terminal.UserInput>>

/** The command with these arguments: how it ends, and what it says on standard error. What it prints is in `printed`. */
const invoke = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  printed: Array<string>,
  stdio: Partial<Stdio.Stdio>,
  typing: Typing = []
) {
  const errors: Array<string> = []
  const platform = Layer.mergeAll(
    Layer.provideMerge(NodeChildProcessSpawner.layer, Layer.merge(NodeFileSystem.layer, NodePath.layer)),
    Stdio.layerTest({ args: Effect.succeed(args), stdout: collect(printed), stderr: collect(errors), ...stdio }),
    Layer.succeed(Terminal.Terminal, terminal(typing, printed))
  )
  const lines = (chunks: Array<string>) => (...parts: ReadonlyArray<unknown>) =>
    void chunks.push(`${format(...parts)}\n`)
  const exit = yield* Toolnexus.run({ version: "0.0.0" }).pipe(
    Effect.provideService(Console.Console, { ...globalThis.console, log: lines(printed), error: lines(errors) }),
    Effect.provide(platform),
    Effect.exit
  )
  return { exit, errors: errors.join("") }
})

/** What a shell would see of it. */
export const toolnexus = Effect.fnUntraced(
  function*(args: ReadonlyArray<string>, options: { readonly stdin?: string } = {}) {
    const stdin = Stream.make(new TextEncoder().encode(options.stdin ?? ""))
    const printed: Array<string> = []
    const { errors, exit } = yield* invoke(args, printed, { stdin })
    let code = 0
    Runtime.defaultTeardown(exit, (ended) => code = ended)
    return { code, stdout: printed.join(""), stderr: errors }
  }
)

/** What `--json` has printed. */
export const parse = (text: string): unknown => JSON.parse(text)

/** Over these tools; `atClose` is what had been printed when the toolkit was closed. */
export const run = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  tools: ReadonlyArray<Tool.Tool>,
  stdio: Partial<Stdio.Stdio> = {},
  typing: Typing = []
) {
  const printed: Array<string> = []
  const closed: Array<string> = []
  const closing = Layer.effectDiscard(
    Effect.addFinalizer(() => Effect.sync(() => closed.push(printed.join(""))))
  )
  const toolkit = ToolkitLayer.make([ExtraSource.layer(tools)])
  const { errors, exit } = yield* invoke(args, printed, stdio, typing).pipe(
    Effect.provideService(ToolkitFactory, () => Layer.merge(toolkit, closing))
  )
  return { exit, output: printed.join(""), errors, atClose: closed }
})

const collect = (chunks: Array<string>) => () =>
  Sink.forEach((chunk: string | Uint8Array) =>
    Effect.sync(() => {
      chunks.push(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk))
    })
  )

/** The same at a terminal: `shown` is what standard error shows. */
export const runAttended = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  tools: ReadonlyArray<Tool.Tool>,
  typing: Typing
) {
  const drawn: Array<string> = []
  const attended = {
    stdinIsTerminal: Effect.succeed(true),
    stderrIsTerminal: Effect.succeed(true),
    stderr: collect(drawn)
  }
  const ended = yield* run(args, tools, attended, typing)
  return { ...ended, shown: stripVTControlCharacters(drawn.join("")) }
})

/** A terminal that gives keys as Node's does. */
const terminal = (typing: Typing, printed: Array<string>): Terminal.Terminal => {
  const reads = typing.values()
  return Terminal.make({
    columns: Effect.succeed(40),
    rows: Effect.succeed(20),
    size: Effect.die("unused"),
    readInput: Effect.gen(function*() {
      const queue = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      const { done, value: keys } = reads.next()
      if (done === true) return yield* Effect.die("the terminal is read more often than the test types")
      yield* Queue.offerAll(queue, keys)
      if (keys.includes(CTRL_C)) yield* Queue.end(queue)
      return queue
    }),
    readLine: Effect.die("unused"),
    display: (text) => Effect.sync(() => printed.push(text))
  })
}

/** One key that isn't a character. */
export const key = (name: string): Terminal.UserInput => ({
  input: Option.none(),
  key: { name, ctrl: false, meta: false, shift: false }
})

export const ENTER = key("return")

export const CTRL_C: Terminal.UserInput = {
  input: Option.some("\u0003"),
  key: { name: "c", ctrl: true, meta: false, shift: false }
}

/** A text, key by key. */
export const text = (characters: string): ReadonlyArray<Terminal.UserInput> =>
  [...characters].map((character) => ({ ...key(character), input: Option.some(character) }))

export const failureTag = (exit: Exit.Exit<unknown, { readonly _tag: string }>) =>
  Option.getOrUndefined(Option.map(Exit.findErrorOption(exit), ({ _tag }) => _tag))
