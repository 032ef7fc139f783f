/** `toolnexus call`: one call of one tool. */
import type { Snapshot, SourceEntry, ToolkitEntry } from "@effect-toolnexus/core"
import { InlineResolver } from "@effect-toolnexus/core/HostResolver"
import { Toolkit } from "@effect-toolnexus/core/Toolkit"
import * as ToolName from "@effect-toolnexus/core/ToolName"
import type { ToolResult } from "@effect-toolnexus/core/ToolResult"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type { SourceFlags } from "../SourceFlags.ts"
import { CallFailed, InputTooLarge, StdioFailed } from "../ToolnexusError.ts"
import { callAnswered } from "./answeredCall.ts"
import type { GivenAnswer } from "./answerFlag.ts"
import { logProblems } from "./diagnostics.ts"
import { makeInlineResolver } from "./inlineAnswers.ts"
import { printJson, printLine } from "./output.ts"
import { plainText } from "./plainText.ts"
import { isAttended } from "./promptTerminal.ts"
import { useToolkit } from "./useToolkit.ts"

/** The command line of one call. */
export interface CallInput {
  readonly name: string
  readonly args: Option.Option<string>
  readonly timeout: Option.Option<number>
  readonly answer: Option.Option<GivenAnswer>
}

/** Standard input is read before anything is started: whoever types it shouldn't keep servers waiting. */
export const call = Effect.fnUntraced(function*(flags: SourceFlags, isJson: boolean, input: CallInput) {
  const args = yield* readArguments(input.args)
  const answered = {
    name: input.name,
    args,
    timeout: Option.getOrUndefined(input.timeout),
    answer: Option.getOrUndefined(input.answer),
    // whoever typed the arguments has ended standard input
    isAttended: !isPiped(input.args) && (yield* isAttended)
  }
  const used = useToolkit(
    flags,
    isJson,
    Effect.gen(function*() {
      const toolkit = yield* Toolkit
      const snapshot = yield* toolkit.snapshot
      yield* logProblems(snapshot)
      const result = yield* callAnswered(toolkit, answered)
      yield* isJson ? printJson(result) : printResult(result)
      if (result.metadata?.["error"] === "ToolNotFound") yield* explainUnknown(input.name, snapshot)
      return yield* result.isError ? Effect.fail(new CallFailed({ toolName: input.name })) : Effect.void
    })
  )
  yield* Effect.provideService(used, InlineResolver, yield* makeInlineResolver(answered))
})

/** A request that nobody could be asked is the output, which alone doesn't look like one. */
const HOW_TO_ANSWER =
  `This waits for an answer: call at a terminal, or with --answer '{"ok": true, "data": ...}'; --json shows what data is wanted`

const printResult = Effect.fnUntraced(function*({ metadata, output }: ToolResult) {
  yield* printLine(plainText(output))
  if (metadata?.["pending"] !== undefined) yield* Effect.logInfo(HOW_TO_ANSWER)
  const suggestions = metadata?.["suggestions"]
  if (Array.isArray(suggestions) && suggestions.length > 0) {
    yield* Effect.logInfo(`Did you mean ${suggestions.join(", ")}?`)
  }
})

/** The tools of an entry that failed are unknown, and that may well be all that is wrong. */
const explainUnknown = Effect.fnUntraced(function*(name: string, { entries }: Snapshot) {
  const owner = entries
    .filter(({ entry, kind }) =>
      entry.tools.length === 0 && "error" in entry && OWNERS.has(kind) && isPrefix(entry, name)
    )
    .reduce<ToolkitEntry | undefined>(
      (longest, next) => longest !== undefined && longest.entry.name.length >= next.entry.name.length ? longest : next,
      undefined
    )
  if (owner === undefined) return
  yield* Effect.logWarning(
    `${name} may be a tool of ${
      OWNERS.get(owner.kind)
    } "${owner.id}", which failed (see above), so none of its tools is there`
  )
})

/** The kinds whose tools begin with a name of their own. */
const OWNERS: ReadonlyMap<string, string> = new Map([["mcp", "mcp server"], ["agent", "agent"]])

const isPrefix = (entry: SourceEntry.SourceEntry, name: string): boolean =>
  name.startsWith(`${ToolName.sanitize(entry.name)}_`)

/** Arguments are written by hand or by a model; more than this is the wrong file. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024

const readInput = Effect.flatMap(Stdio.Stdio, (stdio) => {
  const stdin: Stream.Stream<Uint8Array, StdioFailed | InputTooLarge> = Stream.mapError(
    stdio.stdin,
    StdioFailed.from("stdin")
  )
  const tooLarge = Stream.fail(new InputTooLarge({ limit: MAX_INPUT_BYTES }))
  return Stream.limitBytes(stdin, MAX_INPUT_BYTES, () => tooLarge).pipe(Stream.decodeText(), Stream.mkString)
})

/** `-` stands for standard input; what is in it goes the same way as text on the command line. */
const isPiped = (args: Option.Option<string>): boolean => Option.contains(args, "-")

const readArguments = (args: Option.Option<string>) =>
  isPiped(args) ? readInput : Effect.succeed(Option.getOrUndefined(args))
