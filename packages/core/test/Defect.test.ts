import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Defect from "../src/Defect.ts"

const logged = (defect: unknown, redact?: (text: string) => string) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => {
      lines.push(String(message))
    })
    const id = yield* Effect.provide(Defect.log("a server", defect, redact), Logger.layer([logger]))
    return { id, lines }
  })

describe("Defect.log", () => {
  it.effect("logs it once, redacted, under the id it gives", () =>
    Effect.gen(function*() {
      const { id, lines } = yield* logged(new Error("token=abc"), (text) => text.replaceAll("abc", "<redacted>"))
      assert.match(id, /^[0-9a-f]{8}$/)
      assert.strictEqual(lines.length, 1)
      assert.match(lines[0] ?? "", new RegExp(`^a server broke unexpectedly \\(${id}\\),Error: token=<redacted>`))
    }))

  it.effect("bears a defect that breaks its reader, and a logger that breaks", () =>
    Effect.gen(function*() {
      const hostile = {
        get message(): string {
          throw new Error("again")
        },
        toString: () => {
          throw new Error("again")
        }
      }
      assert.strictEqual((yield* logged(hostile)).lines.length, 1)
      const broken = Logger.make(() => {
        throw new Error("no disk")
      })
      assert.match(yield* Effect.provide(Defect.log("it", "x"), Logger.layer([broken])), /^[0-9a-f]{8}$/)
    }))
})
