import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Logger from "effect/Logger"
import * as ToolError from "../src/ToolError.ts"
import type * as ToolResult from "../src/ToolResult.ts"

const { fail } = Cause
const unavailable = new ToolError.ToolUnavailable({ toolName: "t", reason: "gone" })
const textOf = ({ output }: ToolResult.ToolResult) => output
const causing = (cause: Cause.Cause<ToolError.ToolError>) => ToolError.fold(Effect.failCause(cause), textOf)

describe("ToolError.fold", () => {
  it.effect("lets what succeeds be, and answers an error with what it says", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* ToolError.fold(Effect.succeed("as it is"), textOf), "as it is")
      assert.strictEqual(yield* causing(fail(unavailable)), "t is unavailable: gone")
    }))

  it.effect("gives results the form in which they leave a toolkit", () =>
    Effect.gen(function*() {
      const failed = (text: string) => new ToolError.ToolFailed({ toolName: "t", message: text })
      assert.strictEqual(yield* causing(fail(failed(" "))), "(no output)")
      const cut = yield* ToolError.fold(Effect.fail(failed("x".repeat(1000))), textOf, 200)
      assert.strictEqual(cut.length, 200)
    }))

  it.effect("answers a defect with its id alone, and logs it once under that", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => {
        lines.push(String(message))
      })
      const result = yield* ToolError.fold(Effect.die(new Error("secret")), identity).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      const id = /^The tool failed unexpectedly \((.+)\)\.$/.exec(result.output)?.[1] ?? "none"
      assert.deepStrictEqual([result.isError, result.metadata], [true, { error: "Defect", id }])
      assert.strictEqual(lines.length, 1)
      assert.match(lines[0] ?? "", new RegExp(`^A tool broke unexpectedly \\(${id}\\),Error: secret`))
    }))

  it.effect("lets interruption pass, whatever came with it", () =>
    Effect.gen(function*() {
      const mixed = Cause.combine(Cause.combine(fail(unavailable), Cause.interrupt(1)), Cause.die("d"))
      const exit = yield* Effect.exit(causing(mixed))
      assert.isTrue(Exit.isFailure(exit))
      const tags = Exit.isFailure(exit) ? exit.cause.reasons.map(({ _tag }) => _tag) : []
      assert.deepStrictEqual(tags, ["Interrupt", "Die"])
    }))
})
