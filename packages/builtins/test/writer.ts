/** A process that writes some files again and again, all at once, until it is killed, and says each time that it has. */
import * as Effect from "effect/Effect"
import { builtins, call } from "./harness.ts"

const [, , root = "", files = "", size = "0"] = process.argv

/** What a file is made of. */
const block = (digit: number) => String(digit).repeat(1000)

const writeOn = Effect.fnUntraced(function*(path: string) {
  for (let round = 0;; round++) {
    const content = block(round % 10).repeat(Number(size) / 1000)
    yield* round % 2 === 0
      ? call("write", { path, content })
      : call("edit", { path, oldString: block((round + 9) % 10), newString: block(round % 10), replaceAll: true })
    process.stdout.write(".")
  }
})

const program = Effect.forEach(files.split(","), writeOn, { concurrency: "unbounded" })

void Effect.runPromise(Effect.provide(program, builtins({ root })))
