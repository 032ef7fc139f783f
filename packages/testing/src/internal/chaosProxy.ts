/**
 * The program behind `ChaosProxy`: `chaosProxy OPTIONS -- COMMAND ARGS...` starts the command and passes its messages on,
 * line by line, as the plan says. It imports nothing but Node and the plan, for speed.
 *
 * The server is in this program's process group, so that whoever ends the group ends both. It sees what we see: the end
 * of stdin, a reader that went away, a signal; and we end as it does. If this program is killed alone, the server's
 * stdin ends with it.
 */
import { spawn } from "node:child_process"
import { appendFileSync, closeSync, statSync } from "node:fs"
import { constants } from "node:os"
import type { Readable, Writable } from "node:stream"
import * as Chaos from "../Chaos.ts"

const NEWLINE = 0x0a

/** For so long a message waits for one to join. */
const MAX_HOLD = 20

/** A grandchild of the server's may hold its output open, but not for ever. */
const DRAIN = 1000

const PASSED_ON = ["SIGTERM", "SIGINT", "SIGHUP"] as const

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

/** Those of the names that are numbers. */
const numbersOf = (value: unknown, names: ReadonlyArray<string>): Record<string, number> => {
  const fields = fieldsOf(value)
  return Object.fromEntries(names.flatMap((name) => {
    const number = fields[name]
    return typeof number === "number" ? [[name, number]] : []
  }))
}

const readOptions = (json: string): Chaos.Options => {
  const given: unknown = JSON.parse(json)
  const { connections, rates, toClient, toServer } = fieldsOf(given)
  const { seed = 0, ...numbers } = numbersOf(given, ["seed", "spare", "maxDelay"])
  return {
    seed,
    ...numbers,
    connection: typeof connections === "string" ? countIn(connections) : 0,
    rates: numbersOf(rates, Chaos.faultNames),
    toServer: numbersOf(toServer, Chaos.faultNames),
    toClient: numbersOf(toClient, Chaos.faultNames)
  }
}

/** One more character for each start: how many were there before. */
const countIn = (file: string): number => {
  appendFileSync(file, ".")
  return statSync(file).size - 1
}

const [, , json = "{}", , command = "", ...args] = process.argv
const plan = Chaos.plan(readOptions(json))
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })

let isCut = false
let isSilent = false

const sleep = (millis: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, millis))

/** One direction: its messages in their order, each as its fault has it. */
class Relay {
  readonly #direction: Chaos.Direction
  readonly #output: Writable
  #index = 0
  #held = Buffer.alloc(0)

  constructor(direction: Chaos.Direction, output: Writable) {
    this.#direction = direction
    this.#output = output
  }

  async run(input: Readable): Promise<void> {
    let rest = Buffer.alloc(0)
    for await (const chunk of chunksOf(input)) {
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        await this.#pass(Buffer.concat([rest, chunk.subarray(start, end + 1)]))
        rest = Buffer.alloc(0)
        start = end + 1
      }
      rest = Buffer.concat([rest, chunk.subarray(start)])
    }
    // what has no end is no message
    await this.#write(rest)
  }

  async #pass(message: Buffer): Promise<void> {
    const index = this.#index++
    for (const step of Chaos.steps(plan(this.#direction, index), message)) {
      if (isCut) return
      if ("write" in step) await this.#write(step.write)
      else if ("hold" in step) this.#hold(step.hold)
      else if ("wait" in step) await sleep(step.wait)
      else cut(step.cut, `at message ${index} ${this.#direction === "toServer" ? "to the server" : "to the client"}`)
    }
  }

  #hold(bytes: Uint8Array) {
    this.#held = Buffer.concat([this.#held, bytes])
    setTimeout(() => void this.#write(Buffer.alloc(0)), MAX_HOLD)
  }

  #write(bytes: Uint8Array): Promise<void> {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = Buffer.alloc(0)
    if (all.length === 0 || isCut || (isSilent && this.#direction === "toClient")) return Promise.resolve()
    // an error is the other side's end, which comes as an event
    return new Promise((resolve) => void this.#output.write(all, () => resolve()))
  }
}

async function* chunksOf(input: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    if (Buffer.isBuffer(chunk)) yield chunk
  }
}

const cut = (how: Chaos.Cut, where: string) => {
  process.stderr.write(`chaos: cut (${JSON.stringify(how)}) ${where}\n`)
  if ("closes" in how) {
    isSilent = true
    closeSync(1)
    return
  }
  isCut = true
  const end = () => "exit" in how ? leave(how.exit, null) : leave(null, how.signal)
  if (server.exitCode !== null || server.signalCode !== null) return end()
  server.removeAllListeners("exit").once("exit", end)
  server.kill("SIGKILL")
}

/** The server's input is gone, and so is ours. Node itself never closes the descriptor. */
const stopListening = () => {
  process.stdin.destroy()
  closeSync(0)
}

/** As the server left. */
const leave = (code: number | null, signal: NodeJS.Signals | null) => {
  for (const passed of PASSED_ON) process.removeAllListeners(passed)
  if (signal === null) process.exit(code ?? 1)
  process.kill(process.pid, signal)
  // a signal that doesn't end us, e.g. because it is blocked
  setTimeout(() => process.exit(128 + constants.signals[signal]), DRAIN)
}

/** The end of a stream that breaks is its end. */
const ended = (relay: Promise<void>): Promise<void> => relay.catch(() => undefined)

for (const signal of PASSED_ON) process.on(signal, () => server.kill(signal))

server.once("error", (error) => {
  process.stderr.write(`chaos: ${error.message}\n`)
  process.exit(127)
})
server.stdin.on("error", () => undefined)
server.stdin.once("close", stopListening)
process.stdout.on("error", () => server.stdout.destroy())

const toClient = ended(new Relay("toClient", process.stdout).run(server.stdout))
void ended(new Relay("toServer", server.stdin).run(process.stdin)).then(() => server.stdin.end())
server.once("exit", (code, signal) => void Promise.race([toClient, sleep(DRAIN)]).then(() => leave(code, signal)))
