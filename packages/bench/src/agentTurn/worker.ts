/**
 * Turns of one runtime, in a process of its own: `worker.js RUNTIME turns AMOUNT COMMAND ...ARGS`. It prints one line, a
 * record of numbers. Whatever is imported here is in the memory of every runtime that is measured.
 */
import { answer, type Runtime, SUM, TEXT } from "./runtime.ts"

const runtimes: Readonly<Record<string, () => Promise<{ readonly runtime: Runtime }>>> = {
  byHand: () => import("./byHand.ts"),
  effectAi: () => import("./effectAi.ts"),
  ourAiSdk: () => import("./ourAiSdk.ts"),
  aiSdk: () => import("./aiSdk.ts"),
  ourLangchain: () => import("./ourLangchain.ts"),
  langchain: () => import("./langchain.ts"),
  langgraph: () => import("./langgraph.ts")
}

const [name = "", , amount = "", command = "", ...args] = process.argv.slice(2)
const load = runtimes[name]
if (load === undefined) throw new Error(`no such runtime: ${name}`)

const timed = async <A>(work: () => Promise<A>) => {
  const start = performance.now()
  const value = await work()
  return { value, millis: performance.now() - start }
}

const rss = () => process.memoryUsage.rss() / 1024 / 1024

const imported = await timed(load)
const opened = await timed(() => imported.value.runtime.open({ command, args }))
const { close, turn } = opened.value
const rssOpened = rss()
const first = await timed(turn)
const expected = answer(TEXT, SUM)
const turns = Number(amount)
const times: Array<number> = []
let wrong = first.value === expected ? 0 : 1
let cpuMicros = 0
// the first half is for the compiler
for (let count = 0; count < turns * 2; count++) {
  if (count === turns) cpuMicros = -cpuUsed()
  const { millis, value } = await timed(turn)
  if (count >= turns) times.push(millis * 1000)
  if (value !== expected) wrong++
}
cpuMicros += cpuUsed()
if (wrong > 0) throw new Error(`${name}: ${wrong} turns ended otherwise than expected, e.g. in "${await turn()}"`)
const rssEnd = rss()
await close()
const sample = {
  import: imported.millis,
  open: opened.millis,
  first: first.millis,
  turn: times.toSorted((left, right) => left - right)[times.length >> 1] ?? Number.NaN,
  cpu: cpuMicros / turns,
  rssOpened,
  rssEnd
}
process.stdout.write(`${JSON.stringify(sample)}\n`, () => process.exit())

function cpuUsed(): number {
  const { system, user } = process.cpuUsage()
  return system + user
}
