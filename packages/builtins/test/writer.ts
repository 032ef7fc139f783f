/** A process that writes one file again and again until it is killed, and says each time that it has. */
import * as Effect from "effect/Effect"
import { builtins, call } from "./harness.ts"

const [, , root = "", size = "0"] = process.argv

/** What the file is made of. */
const block = (digit: number) => String(digit).repeat(1000)

const program = Effect.gen(function*() {
  for (let round = 0;; round++) {
    const content = block(round % 10).repeat(Number(size) / 1000)
    yield* round % 2 === 0
      ? call("write", { path: "f", content })
      : call("edit", {
        path: "f",
        oldString: String((round + 9) % 10),
        newString: String(round % 10),
        replaceAll: true
      })
    process.stdout.write(".")
  }
}).pipe(Effect.provide(builtins({ root, limits: { file: 10_000_000 } })))

void Effect.runPromise(program)
