/** A small HTTP API on loopback that describes itself, as many do. */
import * as Effect from "effect/Effect"
import { createServer } from "node:http"

const document = {
  openapi: "3.1.0",
  info: { title: "Tickets", version: "1" },
  servers: [{ url: "/v1" }],
  security: [{ token: [] }],
  components: {
    securitySchemes: { token: { type: "http", scheme: "bearer" } },
    schemas: {
      Ticket: {
        type: "object",
        required: ["title"],
        properties: { title: { type: "string" }, parent: { $ref: "#/components/schemas/Ticket" } }
      }
    }
  },
  paths: {
    "/tickets": {
      get: {
        operationId: "listTickets",
        summary: "Tickets, the newest first",
        parameters: [
          { name: "tag", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "limit", in: "query", schema: { type: "integer", maximum: 100 } }
        ]
      },
      post: {
        operationId: "createTicket",
        summary: "Opens a ticket",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Ticket" } } }
        }
      }
    },
    "/tickets/{id}": { delete: { summary: "Deletes a ticket for good" } }
  }
}

/** Answers with what it was asked for. */
export const startApi = Effect.map(
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        response.setHeader("content-type", "application/json")
        if (request.url === "/openapi.json") return response.end(JSON.stringify(document))
        if (request.headers.authorization !== "Bearer let-me-in") {
          response.statusCode = 401
          return response.end(JSON.stringify({ error: "who are you?" }))
        }
        let body = ""
        request.on("data", (chunk) => body += String(chunk))
        return request.on("end", () => response.end(JSON.stringify({ got: `${request.method} ${request.url}`, body })))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : undefined
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ),
  ({ url }) => url
)
