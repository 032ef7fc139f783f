/** The floor: JSON over pipes or in bodies, answers matched by id, and nothing that a real client needs beside it. */
import { type ChildProcess, spawn } from "node:child_process"
import { Agent, request as httpRequest } from "node:http"
import { urlToHttpOptions } from "node:url"
import { type Client, type Command, ECHO, inLanes, type Remote } from "./client.ts"

const connectStdio = async ({ args, command }: Command) => {
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
  await request("initialize", HELLO)
  send({ method: "notifications/initialized" })
  await request("tools/list", {})
  return { request, close: () => end(child) }
}

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "0.1.0" }
}

const connectHttp = async ({ url }: Remote) => {
  const agent = new Agent({ keepAlive: true })
  const target = urlToHttpOptions(new URL(url))
  let session = {}
  let lastId = 0
  const post = (message: object) =>
    new Promise<unknown>((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: "2.0", ...message })
      const headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        ...session
      }
      const sent = httpRequest({ ...target, agent, method: "POST", headers }, (response) => {
        let text = ""
        const id = response.headers["mcp-session-id"]
        if (id !== undefined) session = { "mcp-session-id": id }
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
        })
        response.on("end", () => {
          const json = text.startsWith("{") ? text : text.slice(text.indexOf("data: ") + 6)
          resolve(json === "" ? undefined : JSON.parse(json).result)
        })
      })
      sent.on("error", reject).end(body)
    })
  const request = (method: string, params: object) => post({ id: ++lastId, method, params })
  await request("initialize", HELLO)
  await post({ method: "notifications/initialized" })
  await request("tools/list", {})
  return { request, close: async () => agent.destroy() }
}

const end = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.stdin?.end()
  })

export const client: Client = {
  open: async (servers) => {
    const connections = await Promise.all(
      servers.map((server) => "url" in server ? connectHttp(server) : connectStdio(server))
    )
    return {
      tools: connections.length,
      call: inLanes(async () => connections[0]?.request("tools/call", { name: "echo", arguments: ECHO })),
      close: () => Promise.all(connections.map(({ close }) => close()))
    }
  }
}
