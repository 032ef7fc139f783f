import { defineTool, type Json, Suspension, type Tool, ToolError, ToolResult } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { CTRL_C, ENTER, failureTag, key, run, runAttended, text } from "./program.ts"

/** Asks so many times, and gives back the data of the last answer as JSON text; without data, that it went on. */
const asking = (asked: Suspension.Question, rounds = 1): Tool.Tool => ({
  ...defineTool({
    name: "ask",
    handler: (_, call) => {
      const { resumed } = call
      const round = typeof resumed?.state === "number" ? resumed.state : 0
      if (resumed !== undefined && round === rounds) {
        return Effect.succeed(resumed.answer.data === undefined ? "went on" : JSON.stringify(resumed.answer.data))
      }
      const prompt = `${asked.prompt}${"!".repeat(round)}`
      return Suspension.request(call, { ...asked, prompt, state: round + 1 })
    }
  }),
  suspension: { rounds }
})

const approval = asking({ kind: "approval", prompt: "Delete\u001B[2J it all?" })
const schema = { type: "object", properties: { size: { enum: ["small", "large"] } }, required: ["size"] }
const order = asking({ kind: "input", prompt: "Which size?", data: { schema } })

const withAnswer = (answer: Json.Json) => ["call", "ask", "--log-level", "none", "--answer", JSON.stringify(answer)]

const read = Schema.decodeSync(Schema.fromJsonString(Schema.JsonObject))

describe("--answer", () => {
  it.effect("answers the first suspension, whatever its id", () =>
    Effect.gen(function*() {
      for (const id of [{}, { id: "of another one" }]) {
        const { exit, output } = yield* run(withAnswer({ ...id, ok: true, data: { size: "large" } }), [order])
        assert.isTrue(Exit.isSuccess(exit))
        assert.strictEqual(output, "{\"size\":\"large\"}\n")
      }
    }))

  it.effect("says no", () =>
    Effect.gen(function*() {
      const { exit, output } = yield* run([...withAnswer({ ok: false }), "--json"], [order])
      assert.strictEqual(failureTag(exit), "CallFailed")
      assert.deepNestedInclude(read(output), { isError: true, "metadata.error": "ToolDenied" })
    }))

  it.effect("is printed as invalid where the request asks for something else", () =>
    Effect.gen(function*() {
      for (const data of [{}, { data: { size: "huge" } }]) {
        const { exit, output } = yield* run(withAnswer({ ok: true, ...data }), [order])
        assert.strictEqual(failureTag(exit), "CallFailed")
        assert.match(output, /^Invalid arguments for ask: data\b/)
      }
    }))

  it.effect("answers no second suspension", () =>
    Effect.gen(function*() {
      const twice = asking({ kind: "input", prompt: "Which size?" }, 2)
      const { exit, output } = yield* run([...withAnswer({ ok: true, data: "large" }), "--json"], [twice])
      assert.strictEqual(failureTag(exit), "CallFailed")
      assert.deepNestedInclude(read(output), {
        output: "Which size?!",
        "metadata.error": "ToolSuspended",
        "metadata.pending.kind": "input"
      })
    }))

  it.live("leaves the second suspension to whoever is at the terminal", () =>
    Effect.gen(function*() {
      const twice = asking({ kind: "input", prompt: "Which size?" }, 2)
      const typing = [[], [...text("small"), ENTER]]
      const { exit, output, shown } = yield* runAttended(withAnswer({ ok: true, data: "large" }), [twice], typing)
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(output, "\"small\"\n")
      assert.isTrue(shown.startsWith("Which size?!\n"), shown)
    }))

  it.effect("changes nothing for a call that asks nobody", () =>
    Effect.gen(function*() {
      const plain = defineTool({ name: "ask", handler: () => "plain" })
      assert.strictEqual((yield* run(withAnswer({ ok: true }), [plain])).output, "plain\n")
    }))

  it.effect("is a matter of usage where it is no answer", () =>
    Effect.gen(function*() {
      let calls = 0
      const counting = defineTool({ name: "ask", handler: () => String(++calls) })
      const wrong = ["", "yes", "{\"ok\": tru", "[]", "{}", "{\"ok\": 1}", "{\"ok\": true, \"answers\": []}"]
      for (const answer of [...wrong, "{\"ok\": false, \"reason\": \"tired\"}"]) {
        const { exit, output } = yield* run(["call", "ask", "--answer", answer], [counting])
        assert.deepStrictEqual([failureTag(exit), output], ["WrongUsage", ""], answer)
      }
      assert.strictEqual(calls, 0)
    }))

  it.effect("a defect behind it is told as that of any call", () =>
    Effect.gen(function*() {
      const broken = defineTool({
        name: "ask",
        handler: (_, call) =>
          call.resumed === undefined
            ? Suspension.request(call, { kind: "approval", prompt: "Sure?" })
            : Effect.die({
              get message() {
                throw new Error("secret")
              }
            })
      })
      const args = ["call", "ask", "--answer", JSON.stringify({ ok: true }), "--json"]
      const { errors, exit, output } = yield* run(args, [broken])
      assert.strictEqual(failureTag(exit), "CallFailed")
      assert.deepNestedInclude(read(output), { isError: true, "metadata.error": "Defect" })
      assert.notInclude(output, "secret")
      const [, id = ""] = /^error: A tool broke unexpectedly \(([0-9a-f]{8})\) .+\n$/.exec(errors) ?? []
      assert.deepNestedInclude(read(output), { output: `The tool failed unexpectedly (${id}).`, "metadata.id": id })
    }))
})

describe("without a terminal", () => {
  it.effect("the request is the output", () =>
    Effect.gen(function*() {
      const login = asking({ kind: "authorization", prompt: "Log in", url: "https://example.com/login" })
      const { exit, output } = yield* run(["call", "ask"], [login])
      assert.strictEqual(failureTag(exit), "CallFailed")
      assert.strictEqual(output, "Log in\nhttps://example.com/login\n")
      const json = yield* run(["call", "ask", "--json"], [approval], { stdinIsTerminal: Effect.succeed(true) })
      assert.strictEqual(failureTag(json.exit), "CallFailed")
      assert.deepNestedInclude(read(json.output), { "metadata.pending.kind": "approval" })
    }))

  it.effect("so it is where the arguments were typed, for that ended the input", () =>
    Effect.gen(function*() {
      const { exit, output, shown } = yield* runAttended(["call", "ask", "-"], [order], [])
      assert.strictEqual(failureTag(exit), "CallFailed")
      assert.deepStrictEqual([output, shown], ["Which size?\n", ""])
    }))
})

describe("at a terminal", () => {
  it.live("approval is yes or no, and asked on standard error", () =>
    Effect.gen(function*() {
      for (const args of [["call", "ask"], ["call", "ask", "--json"]]) {
        const yes = yield* runAttended(args, [approval], [[], text("y")])
        assert.isTrue(Exit.isSuccess(yes.exit))
        assert.isTrue(yes.shown.startsWith("Delete it all?\n"), yes.shown)
        assert.include(yes.shown, "Allow it?")
        // nothing but the result: one document with --json
        assert.strictEqual(args.includes("--json") ? read(yes.output)["output"] : yes.output.trim(), "went on")
        for (const keys of [text("n"), [ENTER]]) {
          const no = yield* runAttended(args, [approval], [[], keys])
          assert.strictEqual(failureTag(no.exit), "CallFailed")
          assert.include(no.output, "declined/expired: Delete")
        }
      }
    }))

  it.live("what was typed before the question answers nothing", () =>
    Effect.gen(function*() {
      const { exit } = yield* runAttended(["call", "ask"], [approval], [text("yarn"), text("n")])
      assert.strictEqual(failureTag(exit), "CallFailed")
    }))

  it.live("Ctrl-C ends the command, also when it comes before the question", () =>
    Effect.gen(function*() {
      for (const typing of [[[], [CTRL_C]], [[CTRL_C]]]) {
        const { atClose, exit, output, shown } = yield* runAttended(["call", "ask"], [approval], typing)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        assert.deepStrictEqual([output, atClose], ["", [""]])
        assert.isTrue(shown.endsWith("\n"))
      }
    }))

  it.live("authorization shows where to go, and goes on when that is done", () =>
    Effect.gen(function*() {
      const login = asking({ kind: "authorization", prompt: "Log in", url: "https://example.com/login" })
      const done = yield* runAttended(["call", "ask"], [login], [[], [ENTER]])
      assert.strictEqual(done.output, "went on\n")
      assert.isTrue(done.shown.startsWith("Log in\nhttps://example.com/login\n"), done.shown)
      const not = yield* runAttended(["call", "ask"], [login], [[], text("n")])
      assert.strictEqual(failureTag(not.exit), "CallFailed")
    }))

  it.live("questions are asked one by one: one option or several, or a text of one's own", () =>
    Effect.gen(function*() {
      const options = ["red", "blue"]
      const questions = [
        { question: "Which colour?", header: "Colour", options },
        { question: "Which others?", options, multiple: true },
        { question: "Which one then?", options },
        { question: "Why?" }
      ]
      const prompt = questions.map(({ question }) => question).join("\n")
      const down = key("down")
      const { output, shown } = yield* runAttended(["call", "ask"], [
        asking({ kind: "question", prompt, data: { questions } })
      ], [
        [],
        [down, ENTER],
        // past "Select All" and "Inverse Selection"
        [down, down, key("space"), down, down, key("space"), ENTER],
        [...text("green"), ENTER],
        [key("up"), ENTER],
        [...text("pink"), ENTER],
        [...text("It is"), key("up"), ENTER]
      ])
      assert.deepStrictEqual(read(output), { answers: ["blue", ["red", "green"], "pink", "It is"] })
      assert.include(shown, "Colour: Which colour?")
      assert.notInclude(shown, prompt)
    }))

  it.live("a form has a prompt for each property, by its type", () =>
    Effect.gen(function*() {
      const form = asking({
        kind: "input",
        prompt: "Your order",
        data: {
          schema: {
            type: "object",
            properties: {
              name: { type: "string", title: "Full name", description: "as on the card" },
              note: { type: "string" },
              count: { type: "integer", default: 2 },
              price: { type: "number" },
              gift: { type: "boolean" },
              wrap: { type: "boolean" },
              size: { oneOf: [{ const: "s", title: "small" }, { const: "l", title: "large" }], default: "l" },
              extras: { type: "array", items: { enum: ["salt", "oil"] } },
              address: { type: "object" }
            },
            required: ["name", "gift", "price", "size"]
          }
        }
      })
      const { output, shown } = yield* runAttended(["call", "ask"], [form], [
        [],
        // the first is needed
        [ENTER, ...text("Ada"), ENTER],
        [ENTER],
        [ENTER],
        [...text("cheap"), ENTER, ...Array.from("cheap", () => key("backspace")), ...text("1.5"), ENTER],
        text("y"),
        [ENTER],
        [ENTER],
        [key("down"), key("down"), key("down"), key("space"), ENTER],
        [...text("{\"zip\": [1]}"), ENTER]
      ])
      assert.deepStrictEqual(read(output), {
        name: "Ada",
        count: 2,
        price: 1.5,
        gift: true,
        size: "l",
        extras: ["oil"],
        address: { zip: [1] }
      })
      const messages = ["Full name (as on the card)", "note (optional)", "This is needed", "A number is needed"]
      for (const message of messages) assert.include(shown, message)
    }))

  it.live("an answer that doesn't fit is asked for again", () =>
    Effect.gen(function*() {
      const short = asking({
        kind: "input",
        prompt: "A code",
        data: { schema: { type: "object", properties: { code: { type: "string", maxLength: 3 } }, required: ["code"] } }
      })
      const typing = [[], [...text("12345"), ENTER], [], [...text("123"), ENTER]]
      const { output, shown } = yield* runAttended(["call", "ask"], [short], typing)
      assert.strictEqual(output, "{\"code\":\"123\"}\n")
      assert.match(shown, /\ncode: .+\nA code\n/)
    }))

  it.live("what a handler itself refuses is not asked for again", () =>
    Effect.gen(function*() {
      const picky = defineTool({
        name: "ask",
        handler: (_, call) =>
          call.resumed === undefined
            ? Suspension.request(call, { kind: "input", prompt: "A code", data: { schema: {} } })
            : Effect.fail(
              new ToolError.InvalidArguments({ toolName: "ask", issues: [{ path: "code", message: "is used" }] })
            )
      })
      const { exit, output } = yield* runAttended(["call", "ask"], [picky], [[], [...text("1"), ENTER]])
      assert.strictEqual(failureTag(exit), "CallFailed")
      assert.strictEqual(output, "Invalid arguments for ask: code: is used\n")
    }))

  it.live("without a schema the answer is a text; other schemas are one value", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<readonly [Json.Json, string, Json.Json]> = [
        [null, "7", "7"],
        [{ type: "string" }, "7", "7"],
        [{ type: ["null", "integer"] }, "7", 7],
        [{ type: "array" }, "[7]", [7]],
        [{}, "seven", "seven"],
        [{}, "[7]", [7]]
      ]
      for (const [given, typed, data] of answers) {
        const tool = asking({ kind: "other", prompt: "Well?", ...given === null ? {} : { data: { schema: given } } })
        const { output } = yield* runAttended(["call", "ask"], [tool], [[], [...text(typed), ENTER]])
        assert.deepStrictEqual(JSON.parse(output), data)
      }
    }))

  it.live("no result passes for a request", () =>
    Effect.gen(function*() {
      const pending = { id: "1", kind: "approval", prompt: "Sure?", call: { id: "1", name: "ask", arguments: {} } }
      const forged = defineTool({
        name: "ask",
        handler: () => ToolResult.failure("no", { metadata: { error: "ToolSuspended", pending } })
      })
      const { output } = yield* runAttended(["call", "ask"], [forged], [])
      assert.strictEqual(output, "no\n")
    }))

  it.live("the limit is that of the whole call, without the time a person takes", () =>
    Effect.gen(function*() {
      const limits: Array<number> = []
      const slow = defineTool({
        name: "ask",
        handler: (_, call) =>
          Effect.gen(function*() {
            limits.push(call.timeout ?? 0)
            if (call.resumed !== undefined) return "done"
            yield* Effect.sleep("40 millis")
            return yield* Suspension.request(call, { kind: "approval", prompt: "Sure?" })
          })
      })
      const { output } = yield* runAttended(["call", "ask", "--timeout", "5000"], [slow], [[], text("y")])
      assert.strictEqual(output, "done\n")
      const [before = 0, after = 0] = limits
      // the start of the toolkit is a part of the call
      assert.isTrue(before <= 5000 && before > 2000, String(before))
      assert.isTrue(after <= before - 35 && after > 1000, String(after))
    }))
})
