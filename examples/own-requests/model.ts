/** Stands in for a model's server: it says the next of its turns, whatever it is asked. */
import { once } from "node:events"
import { createServer } from "node:http"

const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args }
})

const turns = [
  {
    content: null,
    tool_calls: [call("1", "weather", `{"city":"Oslo"}`), call("2", "weather", `{"town":"Rome"}`)]
  },
  { content: null, tool_calls: [call("3", "weather", `{"city":"Rome"}`), call("4", "wether", `{}`)] },
  { content: "It is sunny in both." }
]

export const startModel = async () => {
  const left = turns.values()
  const server = createServer((_, response) => {
    const { value } = left.next()
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", ...value } }] }))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
  return { url: `http://127.0.0.1:${port}/v1`, [Symbol.asyncDispose]: close }
}
