/**
 * Measures clients in processes of their own: what a library costs to load, and what it holds, is only seen in a process
 * that has loaded no other. The clients take turns, so that what disturbs one disturbs all, and the tables show
 * medians and ratios to the first.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile, spawn } from "node:child_process"
import { promisify } from "node:util"
import { median } from "../harness.ts"
import type { Server } from "./client.ts"

/** What one process found. */
export type Sample = Readonly<Record<string, number>>

export interface Column {
  readonly key: string
  readonly title: string
  readonly digits: number
  /** Whether its ratio to the first client stands beside it. */
  readonly hasRatio?: boolean
}

/** Some of what was found. */
export interface Table {
  readonly title: string
  readonly columns: ReadonlyArray<Column>
}

export interface Comparison {
  /** The compiled worker. */
  readonly worker: string
  readonly clients: ReadonlyArray<readonly [name: string, label: string]>
  readonly task: "work" | "many" | "silent" | "turns"
  readonly amount: number
  readonly server: Server
  readonly rounds: number
  readonly tables: ReadonlyArray<Table>
}

/** Medians by the name of the client. */
export type Medians = ReadonlyMap<string, Sample>

/** Prints the tables. What a client leaves running is counted as `alive`, and ended. */
export const compare = Effect.fnUntraced(function*(comparison: Comparison) {
  const { clients, rounds, tables } = comparison
  const samples = new Map<string, Array<Sample>>(clients.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name] of clients) samples.get(name)?.push(yield* sampleOf(comparison, name))
  }
  const medians: Medians = new Map([...samples].map(([name, taken]) => [name, mediansOf(taken)]))
  for (const table of tables) yield* Console.log(render(table, comparison, medians))
  return medians
})

const decodeSample = Schema.decodeSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Finite)))

/** Some variables of a host make every Node process slower, and some clients hand all of them to their children. */
const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] }

/** What stays for a second after the client's close is left. */
const PATIENCE = "1 second"

let lastMark = 0

const sampleOf = Effect.fnUntraced(function*({ amount, server, task, worker }: Comparison, name: string) {
  // in the command line of each of its servers, to find them by
  const mark = `bench-mark-${process.pid}-${++lastMark}`
  const words = wordsOf(server)
  const args = [worker, name, task, String(amount), ...words.map((word) => word.replace(MARK, mark))]
  const sample = decodeSample(
    yield* Effect.onError(Effect.promise(() => outputOf(args)), () => Effect.promise(() => endAll(mark)))
  )
  if (!words.some((word) => word.includes(MARK))) return sample
  yield* Effect.sleep(PATIENCE)
  return { ...sample, alive: yield* Effect.promise(() => endAll(mark)) }
})

const wordsOf = (server: Server): ReadonlyArray<string> =>
  "url" in server ? [server.url] : [server.command, ...server.args]

/** No client takes half of that; one that hangs must not hang the bench, in milliseconds. */
const TOO_LONG = 120_000

/** Its stderr is no pipe: a process that a client leaves behind would hold it open for ever. */
const outputOf = (args: ReadonlyArray<string>) =>
  new Promise<string>((resolve, reject) => {
    const worker = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"], timeout: TOO_LONG })
    let output = ""
    worker.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
    })
    worker.on("error", reject).on("close", (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${args[1]} ended with code ${code}`))
    })
  })

/** Where it stands in an argument of a server, whatever of its processes is left is counted. */
export const MARK = "@MARK@"

/** How many there were. */
const endAll = async (mark: string): Promise<number> => {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,stat=,args="], { maxBuffer: 2 ** 26 })
  const left = stdout.split("\n").flatMap((line) => {
    const [pid = "", state = ""] = line.trim().split(/\s+/)
    // a zombie has ended, and waits for its parent to notice
    return line.includes(mark) && !state.startsWith("Z") ? [Number(pid)] : []
  })
  for (const pid of left) end(pid)
  return left.length
}

const end = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // it has ended since
  }
}

const mediansOf = (samples: ReadonlyArray<Sample>): Sample =>
  Object.fromEntries(
    Object.keys(samples[0] ?? {}).map((key) => {
      const values = samples.map((sample) => sample[key] ?? Number.NaN)
      // one process left once is one too many
      return [key, key === "alive" ? Math.max(...values) : median(values)]
    })
  )

/** A table as text. */
export const render = (
  { columns, title }: Table,
  { clients, rounds }: Pick<Comparison, "clients" | "rounds">,
  medians: Medians
): string => {
  const head = ["", ...columns.flatMap(({ hasRatio, title: text }) => hasRatio === true ? [text, ""] : [text])]
  const rows = clients.map(([name, label]) => [label, ...columns.flatMap((column) => cells(column, name, medians))])
  return [`${title} (median of ${rounds})`, ...aligned([head, ...rows]), ""].join("\n")
}

const cells = ({ digits, hasRatio, key }: Column, name: string, medians: Medians): ReadonlyArray<string> => {
  const value = medians.get(name)?.[key] ?? Number.NaN
  const [first] = medians.values()
  const text = value.toFixed(digits)
  return hasRatio === true ? [text, `${(value / (first?.[key] ?? Number.NaN)).toFixed(2)}x`] : [text]
}

/** How a client compares to another, in one number. */
export const ratioTo = (medians: Medians, first: string, client: string, key: string): string => {
  const of = (name: string) => medians.get(name)?.[key] ?? Number.NaN
  return `${(of(client) / of(first)).toFixed(2)}x`
}

const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => {
    const [label = "", ...values] = row
    return [
      `  ${label.padEnd(widths[0] ?? 0)}`,
      ...values.map((value, index) => value.padStart(widths[index + 1] ?? 0))
    ].join("  ").trimEnd()
  })
}
