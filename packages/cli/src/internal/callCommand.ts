/** `toolnexus call`: one call of one tool. */
import type { Snapshot, ToolkitEntry } from "@effect-toolnexus/core"
import { InlineResolver } from "@effect-toolnexus/core/HostResolver"
import * as ToolError from "@effect-toolnexus/core/ToolError"
import { Toolkit } from "@effect-toolnexus/core/Toolkit"
import * as ToolResult from "@effect-toolnexus/core/ToolResult"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as SourceFlags from "../SourceFlags.ts"
import { CallFailed, InputTooLarge, StdioFailed } from "../ToolnexusError.ts"
import { type AnsweredCall, callAnswered, tookTooLong } from "./answeredCall.ts"
import type { GivenAnswer } from "./answerFlag.ts"
import { logProblems } from "./diagnostics.ts"
import { makeInlineResolver } from "./inlineAnswers.ts"
import { printJson, printLine } from "./output.ts"
import { isPrefix, rivalsOf } from "./ownerOfName.ts"
import { plainText } from "./plainText.ts"
import { isAttended } from "./promptTerminal.ts"
import { awaitEntries, buildToolkit } from "./useToolkit.ts"

/** The command line of one call. */
export interface CallInput {
  readonly name: string
  readonly args: Option.Option<string>
  readonly timeout: Option.Option<number>
  readonly maxOutput: Option.Option<number>
  readonly answer: Option.Option<GivenAnswer>
}

/** Standard input is read before anything is started: whoever types it shouldn't keep servers waiting. */
export const call = Effect.fnUntraced(function*(flags: SourceFlags.SourceFlags, isJson: boolean, input: CallInput) {
  const args = yield* readArguments(input.args)
  const started: StartedCall = {
    startedAt: yield* Clock.currentTimeMillis,
    name: input.name,
    args,
    timeout: Option.getOrUndefined(input.timeout),
    answer: Option.getOrUndefined(input.answer),
    // whoever typed the arguments has ended standard input
    isAttended: !isPiped(input.args) && (yield* isAttended)
  }
  const resolver = yield* makeInlineResolver(started)
  const called = callWhenThere(flags, isJson, started)
  const { result: whole, snapshot } = yield* Effect.provideService(called, InlineResolver, resolver)
  const result = Option.match(input.maxOutput, { onNone: () => whole, onSome: (limit) => shorten(whole, limit) })
  yield* isJson ? printJson(result) : printResult(result)
  if (result.metadata?.["error"] === "ToolNotFound" && snapshot !== undefined) {
    yield* explainUnknown(input.name, snapshot)
  }
  return yield* result.isError ? Effect.fail(new CallFailed({ toolName: input.name })) : Effect.void
  // what is printed comes before the clean-up
}, Effect.scoped)

/** The limit counts from `startedAt`, in milliseconds of the clock: the way to the tool is a part of the call. */
interface StartedCall extends AnsweredCall {
  readonly startedAt: number
}

/** What came of it, and of which tools it was one. */
interface Called {
  readonly result: ToolResult.ToolResult
  readonly snapshot?: Snapshot
}

const callWhenThere = Effect.fnUntraced(
  function*(flags: SourceFlags.SourceFlags, isJson: boolean, started: StartedCall) {
    const { name } = started
    const built = yield* within(started, buildToolkit(flags, isJson, SourceFlags.toCallOptions))
    if (Option.isNone(built)) return late(started)
    const toolkit = Context.get(built.value.context, Toolkit)
    const rivals = rivalsOf(name, built.value.documents)
    const settled = yield* within(started, awaitEntries(toolkit, rivals))
    const snapshot = yield* toolkit.snapshot
    yield* logProblems(snapshot)
    if (Option.isNone(settled)) {
      const names = rivals(snapshot).map(({ id }) => id)
      yield* Effect.logWarning(`${name} was waiting for ${names.join(", ")}`)
      return late(started)
    }
    const result = yield* callAnswered(toolkit, { ...started, spent: yield* spentBy(started) })
    return { result, snapshot }
  }
)

const spentBy = ({ startedAt }: StartedCall) => Effect.map(Clock.currentTimeMillis, (now) => now - startedAt)

/** Nothing where it takes longer than the call may. */
const within = Effect.fnUntraced(function*<A, E, R>(started: StartedCall, start: Effect.Effect<A, E, R>) {
  return started.timeout === undefined
    ? Option.some(yield* start)
    : yield* Effect.timeoutOption(start, Math.max(started.timeout - (yield* spentBy(started)), 0))
})

const late = ({ name, timeout = 0 }: StartedCall): Called => ({
  result: ToolError.toResult(tookTooLong(name, timeout))
})

/** A text that is left out of the output isn't in the parts either: there it is once, as it is in the output. */
const shorten = (result: ToolResult.ToolResult, limit: number): ToolResult.ToolResult => {
  const short = ToolResult.normalize(result, limit)
  if (short.output === result.output || short.content === undefined) return short
  const others = short.content.filter((part) => !("text" in part))
  return { ...short, content: [{ type: "text", text: short.output }, ...others] }
}

/** A request that nobody could be asked is the output, which alone doesn't look like one. */
const HOW_TO_ANSWER =
  `This waits for an answer: call at a terminal, or with --answer '{"ok": true, "data": ...}'; --json shows what data is wanted`

const printResult = Effect.fnUntraced(function*({ metadata, output }: ToolResult.ToolResult) {
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
