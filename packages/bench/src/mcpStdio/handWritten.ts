/** The floor: JSON over pipes, answers matched by id, and nothing that a real client needs beside it. */
import { type ChildProcess, spawn } from "node:child_process"
import { type Client, type Command, ECHO, inLanes } from "./client.ts"

const connect = async ({ args, command }: Command) => {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  const waiting = new Map<unknown, (message: string) => void>()
  let lastId = 0
  let rest = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const message = JSON.parse(line)
      waiting.get(message.id)?.(message.result)
      waiting.delete(message.id)
    }
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const request = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      const id = ++lastId
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "0.1.0" }
  })
  send({ method: "notifications/initialized" })
  await request("tools/list", {})
  return { child, request }
}

const end = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.stdin?.end()
  })

export const client: Client = {
  open: async (servers) => {
    const connections = await Promise.all(servers.map(connect))
    return {
      tools: connections.length,
      call: inLanes(async () => connections[0]?.request("tools/call", { name: "echo", arguments: ECHO })),
      close: () => Promise.all(connections.map(({ child }) => end(child)))
    }
  }
}
