/**
 * One task of one client, in a process of its own: `worker.js CLIENT TASK AMOUNT COMMAND ...ARGS`,
 * or a URL in place of the command. It prints one line, a
 * record of numbers, and exits as soon as the client says that it has closed.
 *
 * Whatever is imported here is in the memory of every client that is measured.
 */
import type { Client, Server } from "./client.ts"

type Sample = Readonly<Record<string, number>>

const clients: Readonly<Record<string, () => Promise<{ readonly client: Client }>>> = {
  handWritten: () => import("./handWritten.ts"),
  bareSdk: () => import("./bareSdk.ts"),
  langchain: () => import("./langchain.ts"),
  aiSdk: () => import("./aiSdk.ts"),
  mcpSource: () => import("./mcpSource.ts"),
  toolkit: () => import("./toolkit.ts")
}

/** Beside the time what of the processor it took, all threads together: on a busy machine it says more. */
const timed = async <A>(work: () => Promise<A>) => {
  const start = performance.now()
  const before = process.cpuUsage()
  const value = await work()
  const { system, user } = process.cpuUsage(before)
  return { value, millis: performance.now() - start, cpuMillis: (user + system) / 1000 }
}

/** What the process holds, in MB. */
const rss = () => process.memoryUsage.rss() / 1024 / 1024

const WARM_CONNECTS = 5
const AT_ONCE = 16

/** From nothing to many calls of one server: `amount` one after the other, and four times as many at once. */
const work = async (load: () => Promise<Client>, server: Server, amount: number): Promise<Sample> => {
  const imported = await timed(load)
  const { open } = imported.value
  const rssImported = rss()
  const opened = await timed(() => open([server]))
  const rssConnected = rss()
  const { call, close, tools } = opened.value
  if (tools !== 1) throw new Error(`expected 1 tool, found ${tools}`)
  const warm = []
  for (let count = 0; count < WARM_CONNECTS; count++) {
    const { millis, value } = await timed(() => open([server]))
    warm.push(millis)
    await value.close()
  }
  await call(amount, 1)
  await call(amount, AT_ONCE)
  const inOrder = await timed(() => call(amount, 1))
  const atOnce = await timed(() => call(amount * 4, AT_ONCE))
  const rssEnd = rss()
  await close()
  return {
    import: imported.millis,
    connect: opened.millis,
    cold: imported.millis + opened.millis,
    coldCpu: imported.cpuMillis + opened.cpuMillis,
    warm: warm.toSorted((left, right) => left - right)[WARM_CONNECTS >> 1] ?? Number.NaN,
    inOrder: amount / inOrder.millis * 1000,
    inOrderCpu: inOrder.cpuMillis * 1000 / amount,
    atOnce: amount * 4 / atOnce.millis * 1000,
    atOnceCpu: atOnce.cpuMillis * 1000 / (amount * 4),
    rssImported,
    rssConnected,
    rssEnd
  }
}

/** From the import to the tools of `amount` servers; once more in the warm process; and what closing them takes. */
const many = async (load: () => Promise<Client>, server: Server, amount: number): Promise<Sample> => {
  const servers = Array.from({ length: amount }, () => server)
  const imported = await timed(load)
  const ready = await timed(() => imported.value.open(servers))
  const { close, tools } = ready.value
  if (tools !== amount) throw new Error(`expected ${amount} tools, found ${tools}`)
  const rssEnd = rss()
  const closed = await timed(close)
  return { cold: imported.millis + ready.millis, ready: ready.millis, rssEnd, closed: closed.millis }
}

/** How long a client waits for a server that doesn't answer within `limit`, and for its own close. */
const silent = async (load: () => Promise<Client>, server: Server, limit: number): Promise<Sample> => {
  const { open } = await load()
  const settled = await timed(() => open([server], limit).catch(() => undefined))
  const closed = await timed(async () => settled.value?.close())
  return { settled: settled.millis, closed: closed.millis }
}

const tasks = { work, many, silent }

const [name = "", task = "", amount = "", command = "", ...args] = process.argv.slice(2)
const load = clients[name]
const perform = Object.entries(tasks).find(([key]) => key === task)?.[1]
if (load === undefined || perform === undefined) throw new Error(`no such client or task: ${name} ${task}`)

/** An address has a scheme, a command has none. */
const server: Server = /^https?:/.test(command) ? { url: command } : { command, args }
const sample = await perform(async () => (await load()).client, server, Number(amount))
process.stdout.write(`${JSON.stringify(sample)}\n`, () => process.exit())
