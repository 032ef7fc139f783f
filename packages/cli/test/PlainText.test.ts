import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { toJson } from "../src/internal/output.ts"
import { oneLine, plainText } from "../src/internal/plainText.ts"

describe("plainText", () => {
  it("takes escape sequences out as a whole", () => {
    const cases = {
      "\u001B[31mred\u001B[0m": "red",
      "\u001B[?25lhidden\u001B[2K": "hidden",
      "\u009B31mred": "red",
      "\u001B]0;title\u0007text": "text",
      "\u001B]8;;http://x\u001B\\link\u001B]8;;\u001B\\": "link",
      "\u001BPdevice\u001B\\text": "text",
      "\u001Bcreset": "reset",
      "\u001B(Bcharset": "charset",
      "\u001B]0;never closed": "0;never closed"
    }
    for (const [text, expected] of Object.entries(cases)) {
      assert.strictEqual(plainText(text), expected, JSON.stringify(text))
    }
  })

  it("keeps lines and tabs, and drops what overwrites or turns text", () => {
    assert.strictEqual(plainText("a\r\nb\tc\rd\be\u007F\u0085\u202Ef\u2066g"), "a\nb\tcdefg")
    assert.strictEqual(plainText("żółć 日本 👩‍👩‍👧"), "żółć 日本 👩‍👩‍👧")
  })

  it.prop("never lets a control character through", [Schema.String], ([text]) => {
    assert.notMatch(plainText(`\u001B${text}\u009B\u001B[`), /[^\P{Cc}\n\t]/u)
    assert.notMatch(oneLine(`\u001B${text}\n`), /\p{Cc}/u)
  })
})

describe("toJson", () => {
  it("is the same value, without characters that control a terminal", () => {
    const value = { text: "a\u009Bb\u007Fc\u001Bd\u0085 日" }
    const json = toJson(value)
    assert.notMatch(json, /[^\P{Cc}\n]/u)
    assert.deepStrictEqual(JSON.parse(json), value)
  })
})
