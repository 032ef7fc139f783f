import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Process from "./command.ts"
import { toolnexus } from "./program.ts"

describe("usage", () => {
  it.live("exits 2, and leaves stdout alone", () =>
    Effect.gen(function*() {
      const wrong = [
        [],
        ["--json"],
        ["frobnicate"],
        ["tools", "--nope"],
        ["call"],
        ["call", "read", "{}", "more"],
        ["call", "read", "--timeout", "soon"],
        ["call", "read", "--timeout", "0"],
        ["call", "read", "--max-output", "199"],
        ["call", "read", "--answer", "yes"],
        ["call", "read", "--answer", "{\"data\": 1}"],
        ["schema"],
        ["schema", "--provider", "nobody"],
        ["schema", "--provider", "gemini", "--strict"],
        ["check"],
        ["tools", "--precedence", "mine"],
        ["tools", "--server", "node 'unclosed"],
        ["tools", "--config"]
      ]
      for (const args of wrong) {
        const { code, stderr, stdout } = yield* toolnexus(args)
        assert.deepStrictEqual([code, stdout], [2, ""], args.join(" "))
        assert.match(stderr, /usage/i, args.join(" "))
      }
    }))

  it.live("so it does as a process, with a command and without", () =>
    Effect.gen(function*() {
      for (const args of [[], ["tools", "--nope"]]) {
        const { code, stderr, stdout } = yield* Process.toolnexus(args)
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(stderr, /usage/i)
      }
    }))

  it.live("says what was expected, and what was perhaps meant", () =>
    Effect.gen(function*() {
      const hints = {
        "call read --timeout 5s": "a whole number of milliseconds, at least 1, e.g. 5000",
        "call read --timeout 0": "a whole number of milliseconds, at least 1, e.g. 5000",
        "call read --answer {}": "JSON like {\"ok\": true, \"data\": ...}",
        "check --provider gemini --strict":
          "error: --strict goes with --provider openai and openai-responses, not with gemini",
        "schema --provider openai --mode openapi": "error: --mode goes with --provider gemini, not with openai",
        "check --provider gemini --mode chat": "openapi",
        "tools --confg x": "Did you mean this?\n    --config",
        "call read --log-levl none": "Did you mean this?\n    --log-level",
        "call read --timout 5": "Did you mean this?\n    --timeout"
      }
      for (const [line, hint] of Object.entries(hints)) {
        const { code, stderr } = yield* toolnexus(line.split(" "))
        assert.strictEqual(code, 2, line)
        assert.include(stderr, hint, line)
      }
    }))

  it.live("helps on stdout", () =>
    Effect.gen(function*() {
      const help = yield* toolnexus(["call", "--help"])
      assert.strictEqual(help.code, 0)
      for (const part of ["USAGE", "--config FILE", "--timeout MS", "--answer JSON", "EXAMPLES"]) {
        assert.include(help.stdout, part)
      }
      assert.notMatch(help.stdout, /[^\P{Cc}\n]/u)
      const version = yield* Process.toolnexus(["--version"])
      assert.match(version.stdout, /^toolnexus v\d+\.\d+\.\d+\n$/)
    }))
})
