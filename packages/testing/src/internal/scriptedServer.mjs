/**
 * The program behind `ScriptedMcpServer`: an MCP server over stdio that does what its one argument, a `ScriptedServer`
 * as JSON, says. Plain JavaScript without imports of ours, for speed: Node starts it in 40 ms, and needs twice that for
 * TypeScript. It is never imported; the package ships `src`, so it lies at the same place beside `src` and `dist`.
 */
import { spawn } from "node:child_process"

const script = JSON.parse(process.argv[2] ?? "{}")
const ignored = new Set(script.ignores ?? [])
const received = []
const cancelled = new Set()
let tools = (script.tools ?? []).flatMap(expand)
let grandchild

/** `repeat: 3` stands for three tools, NAME_1 to NAME_3. */
function expand(tool) {
  if (tool.repeat === undefined) return [tool]
  return Array.from({ length: tool.repeat }, (_, index) => ({ ...tool, name: `${tool.name}_${index + 1}` }))
}

const writeLine = (line) => process.stdout.write(line + "\n")
const send = (message) => writeLine(JSON.stringify({ jsonrpc: "2.0", ...message }))
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

/** Exits when the requests before this one are answered and everything written has left, so that nothing is lost. */
const exit = async ({ code = 0, signal, stderr }) => {
  if (stderr !== undefined) process.stderr.write(stderr + "\n")
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => process.stdout.write("", resolve))
  await new Promise((resolve) => process.stderr.write("", resolve))
  if (signal === undefined) process.exit(code)
  process.kill(process.pid, signal)
  // nothing may be answered after this
  return new Promise(() => {})
}

const text = (value, isError = false) => ({
  result: { content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }], isError }
})

const reports = {
  env: () => process.env,
  cwd: () => process.cwd(),
  pids: () => ({ pid: process.pid, ...(grandchild === undefined ? {} : { grandchild: grandchild.pid }) }),
  received: () => received
}

/** One step of a tool's behaviour; a step that answers gives the answer and ends the call. */
const steps = {
  echo: (_, { args }) => text(args),
  text: (value) => text(value),
  error: (value) => text(value, true),
  result: (result) => ({ result }),
  rpcError: (error) => ({ error }),
  report: (what) => text(reports[what]()),
  delay: (millis) => sleep(millis),
  progress: async ({ count, every = 0 }, { token }) => {
    for (let done = 1; done <= count; done++) {
      if (every > 0) await sleep(every)
      if (token === undefined) continue
      send({ method: "notifications/progress", params: { progressToken: token, progress: done, total: count } })
    }
  },
  setTools: (list) => {
    tools = list.flatMap(expand)
    send({ method: "notifications/tools/list_changed" })
  },
  stdout: writeLine,
  stderr: (line) => {
    process.stderr.write(line + "\n")
  },
  exit,
  hang: () => new Promise(() => {})
}

/** Does what `does` says, step by step; without an answering step the arguments come back. */
const perform = async (tool, call) => {
  for (const step of tool.does ?? []) {
    for (const [name, value] of Object.entries(step)) {
      const answer = await steps[name](value, call)
      if (answer !== undefined) return answer
    }
  }
  return steps.echo(true, call)
}

const listing = ({ does: _does, repeat: _repeat, ...tool }) => ({ inputSchema: { type: "object" }, ...tool })

const list = (cursor = "0") => {
  const size = script.pageSize ?? Number.MAX_SAFE_INTEGER
  const start = Number(cursor)
  const page = tools.slice(start, start + size).map(listing)
  if (start + size < tools.length) return { tools: page, nextCursor: String(start + size) }
  return {
    tools: [...page, ...script.malformedTools ?? []],
    ...(script.lastCursor === undefined ? {} : { nextCursor: script.lastCursor })
  }
}

const initialize = ({ protocolVersion }) => ({
  protocolVersion: script.protocolVersion ?? protocolVersion,
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: script.name ?? "scripted", version: "1.0.0" },
  ...(script.instructions === undefined ? {} : { instructions: script.instructions })
})

/** What a method is made to do instead of answering: nothing at all, an error, an exit, or a result as given. */
const instead = (method) => {
  const way = script.methods?.[method]
  if (way === undefined) return undefined
  return way === "hang" ? new Promise(() => {}) : "exit" in way ? exit(way.exit) : way
}

const answer = async ({ method, params = {} }) => {
  const other = await instead(method)
  if (other !== undefined) return "rpcError" in other ? { error: other.rpcError } : other
  if (method === "initialize") return { result: initialize(params) }
  if (method === "ping") return { result: {} }
  if (method === "tools/list") return { result: list(params.cursor) }
  if (method !== "tools/call") return { error: { code: -32601, message: `Method not found: ${method}` } }
  const tool = tools.find(({ name }) => name === params.name)
  if (tool === undefined) return { error: { code: -32602, message: `Unknown tool: ${params.name}` } }
  return perform(tool, { args: params.arguments ?? {}, token: params._meta?.progressToken })
}

const afterInitialize = () => {
  for (const frame of script.rawFrames ?? []) writeLine(frame)
  if (script.closesStdin !== true) return
  process.stdin.destroy()
  setInterval(() => {}, 1000)
}

/** What is no message is skipped, as the SDK's servers do. */
const parse = (line) => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const receive = async (line) => {
  const message = parse(line)
  if (typeof message?.method !== "string") return
  received.push(message.method)
  if (message.method === "notifications/cancelled") cancelled.add(message.params?.requestId)
  if (message.id === undefined) return
  const response = await answer(message)
  // the specification asks a server not to answer a request that was cancelled
  if (cancelled.delete(message.id)) return
  send({ id: message.id, ...response })
  if (message.method === "initialize") afterInitialize()
}

const listen = () => {
  let rest = ""
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) void receive(line)
  })
  process.stdin.on("end", () => {
    if (!ignored.has("stdin")) process.exit(0)
  })
}

const startGrandchild = ({ ignoresSigterm = false }) => {
  const program = `${ignoresSigterm ? "process.on(\"SIGTERM\", () => {});" : ""} setInterval(() => {}, 1000)`
  return spawn(process.execPath, ["-e", program], { stdio: "ignore" })
}

const main = async () => {
  if (ignored.has("SIGTERM")) process.on("SIGTERM", () => {})
  if (ignored.has("stdin")) setInterval(() => {}, 1000)
  if (script.grandchild !== undefined) grandchild = startGrandchild(script.grandchild)
  for (const line of script.stderr ?? []) process.stderr.write(line + "\n")
  if (script.stderrBytes !== undefined) process.stderr.write("e".repeat(script.stderrBytes) + "\n")
  for (const line of script.stdout ?? []) writeLine(line)
  if (script.startupDelay !== undefined) await sleep(script.startupDelay)
  if (script.exit !== undefined) await exit(script.exit)
  listen()
}

await main()
