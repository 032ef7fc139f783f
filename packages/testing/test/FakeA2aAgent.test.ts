import { A2aReply, assertNothingLeft, FakeA2aAgent } from "@effect-toolnexus/testing"
import type { Options } from "@effect-toolnexus/testing/FakeA2aAgent"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Schema from "effect/Schema"

type Agent = FakeA2aAgent["Service"]

const post = Effect.fnUntraced(function*(agent: Agent, body: unknown, headers: Record<string, string> = {}) {
  const request = HttpClientRequest.post(agent.url).pipe(
    HttpClientRequest.setHeaders(headers),
    HttpClientRequest.bodyJsonUnsafe(body)
  )
  return yield* HttpClient.execute(request)
})

const rpc = (agent: Agent, method: string, params: unknown, headers?: Record<string, string>) =>
  Effect.flatMap(post(agent, { jsonrpc: "2.0", id: 7, method, params }, headers), (response) => response.json)

const result = (value: Schema.Json) => ({ jsonrpc: "2.0", id: 7, result: value })

const rpcFailure = (code: number, message: string) => ({ jsonrpc: "2.0", id: 7, error: { code, message } })

const v1 = { "A2A-Version": "1.0" }

const old = (text: string, rest = {}) => ({
  message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text }], ...rest }
})
const current = (text: string, rest = {}) => ({
  message: { messageId: "m", role: "ROLE_USER", parts: [{ text }], ...rest }
})

const send = (agent: Agent) => rpc(agent, "message/send", old("hi"))

const withAgent = <A, E, R>(options: Options, test: (agent: Agent) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(FakeA2aAgent.make(options), test).pipe(Effect.provide(FetchHttpClient.layer))

describe("FakeA2aAgent", () => {
  it.live("shows a card of the dialects it speaks", () =>
    Effect.gen(function*() {
      const skills = [{ id: "s", name: "S", tags: ["t"] }]
      const cards = yield* Effect.forEach(
        ["0.3", "1.0", "both"] as const,
        (dialect) =>
          withAgent({ name: "N", skills, dialect }, ({ cardUrl, url }) =>
            Effect.map(
              Effect.flatMap(HttpClient.get(cardUrl), ({ json }) => json),
              (card) => ({ card, url })
            ))
      )
      for (const [index, { card, url }] of cards.entries()) {
        assert.deepStrictEqual(card, {
          name: "N",
          description: "Answers by script",
          version: "1.0.0",
          ...(index === 1 ? {} : { protocolVersion: "0.3.0", url, preferredTransport: "JSONRPC" }),
          ...(index === 0
            ? {}
            : { supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] }),
          capabilities: { streaming: false, pushNotifications: false },
          defaultInputModes: ["text/plain"],
          defaultOutputModes: ["text/plain"],
          skills: [{ description: "S", id: "s", name: "S", tags: ["t"] }]
        })
      }
    }))

  it.live("lets a test change the card", () =>
    withAgent({ card: (card) => ({ ...card, skills: 5 }) }, ({ cardUrl }) =>
      Effect.gen(function*() {
        const card = yield* Effect.flatMap(HttpClient.get(cardUrl), ({ json }) => json)
        assert.include(card, { skills: 5 })
      })))

  it.live("takes a task through its states, in 0.3", () =>
    withAgent(
      { reply: (text) => A2aReply.completed([`re: ${text}`, { data: { a: 1 } }], { polls: 2 }) },
      (agent) =>
        Effect.gen(function*() {
          const task = { kind: "task", id: "task-1", contextId: "context-1", artifacts: [] }
          assert.deepStrictEqual(
            yield* rpc(agent, "message/send", old("hi")),
            result({ ...task, status: { state: "submitted" } })
          )
          const get = rpc(agent, "tasks/get", { id: "task-1" })
          assert.deepStrictEqual(yield* get, result({ ...task, status: { state: "working" } }))
          assert.deepStrictEqual(
            yield* get,
            result({
              ...task,
              status: { state: "completed" },
              artifacts: [{
                artifactId: "task-1-artifact-1",
                parts: [{ kind: "text", text: "re: hi" }, { kind: "data", data: { a: 1 } }]
              }]
            })
          )
        })
    ))

  it.live("takes a task through its states, in 1.0", () =>
    withAgent({
      reply: A2aReply.artifacts(
        [["a"], [{ file: { name: "f", mimeType: "text/plain", bytes: "aGk=" } }, { file: { uri: "http://x" } }]],
        { polls: 1 }
      )
    }, (agent) =>
      Effect.gen(function*() {
        const task = { id: "task-1", contextId: "c", artifacts: [] }
        assert.deepStrictEqual(
          yield* rpc(agent, "SendMessage", current("hi", { contextId: "c" }), v1),
          result({ task: { ...task, status: { state: "TASK_STATE_SUBMITTED" } } })
        )
        assert.deepStrictEqual(
          yield* rpc(agent, "GetTask", { id: "task-1" }, v1),
          result({
            ...task,
            status: { state: "TASK_STATE_COMPLETED" },
            artifacts: [
              { artifactId: "task-1-artifact-1", parts: [{ text: "a" }] },
              {
                artifactId: "task-1-artifact-2",
                parts: [{ raw: "aGk=", mediaType: "text/plain", filename: "f" }, { url: "http://x" }]
              }
            ]
          })
        )
      })))

  it.live("answers with a plain message", () =>
    withAgent({ reply: A2aReply.message("hello") }, (agent) =>
      Effect.gen(function*() {
        const message = { messageId: "m-answer", contextId: "context-1" }
        assert.deepStrictEqual(
          yield* rpc(agent, "message/send", old("hi")),
          result({ ...message, kind: "message", role: "agent", parts: [{ kind: "text", text: "hello" }] })
        )
        assert.deepStrictEqual(
          yield* rpc(agent, "SendMessage", current("hi"), v1),
          result({
            message: { ...message, contextId: "context-2", role: "ROLE_AGENT", parts: [{ text: "hello" }] }
          })
        )
      })))

  it.live("says why a task ended", () =>
    withAgent({ reply: A2aReply.ended("rejected", "not today") }, (agent) =>
      Effect.gen(function*() {
        const text = JSON.stringify(yield* rpc(agent, "message/send", old("hi")))
        assert.include(text, "\"state\":\"rejected\"")
        assert.include(text, "\"text\":\"not today\"")
      })))

  it.live("waits for a person, and goes on with the same task", () =>
    withAgent(
      { reply: A2aReply.waiting("input-required", "Which?", A2aReply.completed("blue")) },
      (agent) =>
        Effect.gen(function*() {
          const asked = JSON.stringify(yield* rpc(agent, "SendMessage", current("paint"), v1))
          assert.include(asked, "TASK_STATE_INPUT_REQUIRED")
          const answer = current("blue", { taskId: "task-1", contextId: "context-1" })
          const done = JSON.stringify(yield* rpc(agent, "SendMessage", answer, v1))
          assert.include(
            done,
            "\"id\":\"task-1\",\"contextId\":\"context-1\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\""
          )
          assert.deepStrictEqual(
            yield* rpc(agent, "SendMessage", answer, v1),
            rpcFailure(-32004, "Task task-1 takes no more messages")
          )
        })
    ))

  it.live("cancels a task once, and remembers who asked", () =>
    withAgent({ reply: A2aReply.endless }, (agent) =>
      Effect.gen(function*() {
        yield* rpc(agent, "message/send", old("hi"))
        assert.include(JSON.stringify(yield* rpc(agent, "tasks/get", { id: "task-1" })), "\"working\"")
        assert.include(JSON.stringify(yield* rpc(agent, "CancelTask", { id: "task-1" }, v1)), "TASK_STATE_CANCELED")
        assert.deepStrictEqual(
          yield* rpc(agent, "tasks/cancel", { id: "task-1" }),
          rpcFailure(-32002, "Task task-1 can't be canceled any more")
        )
        assert.deepStrictEqual(yield* rpc(agent, "tasks/get", { id: "x" }), rpcFailure(-32001, "Task not found: x"))
        assert.deepStrictEqual(yield* agent.cancels, ["task-1", "task-1"])
      })))

  it.live("refuses the dialect it doesn't speak, a missing version, and the other dialect's shapes", () =>
    Effect.gen(function*() {
      yield* withAgent({ dialect: "0.3" }, (agent) =>
        Effect.gen(function*() {
          const answer = yield* rpc(agent, "SendMessage", current("hi"), v1)
          assert.deepStrictEqual(answer, rpcFailure(-32601, "Method not found: SendMessage"))
        }))
      yield* withAgent({ dialect: "1.0" }, (agent) =>
        Effect.gen(function*() {
          const answer = yield* rpc(agent, "SendMessage", current("hi"))
          assert.deepStrictEqual(answer, rpcFailure(-32009, "Version not supported: \"\""))
          const shaped = yield* rpc(agent, "SendMessage", old("hi"), v1)
          assert.include(JSON.stringify(shaped), "-32602")
        }))
      yield* withAgent({}, (agent) =>
        Effect.gen(function*() {
          assert.include(JSON.stringify(yield* rpc(agent, "message/send", current("hi"))), "-32602")
          const broken = yield* Effect.flatMap(post(agent, { method: "x" }), ({ json }) => json)
          assert.include(JSON.stringify(broken), "\"id\":null,\"error\":{\"code\":-32600")
        }))
    }))

  it.live("errs as told: JSON-RPC, HTTP, and silence", () =>
    Effect.gen(function*() {
      const failed = yield* withAgent({ reply: A2aReply.rpcError(-32050, "no") }, send)
      assert.deepStrictEqual(failed, rpcFailure(-32050, "no"))
      const response = yield* withAgent({ reply: A2aReply.http(503, "busy") }, (agent) =>
        Effect.flatMap(
          post(agent, { jsonrpc: "2.0", id: 7, method: "message/send", params: old("hi") }),
          ({ status, text }) => Effect.map(text, (body) => [status, body])
        ))
      assert.deepStrictEqual(response, [503, "busy"])
      const silent = yield* withAgent({ reply: A2aReply.silence }, (agent) => Effect.timeoutOption(send(agent), 100))
      assert.strictEqual(silent._tag, "None")
    }))

  it.live("says at once what its test has thrown", () =>
    Effect.gen(function*() {
      const reply = () => {
        throw new Error("bug in my test")
      }
      const card = () => {
        throw new Error("bug in my card")
      }
      yield* withAgent({ reply, card, streaming: true }, (agent) =>
        Effect.gen(function*() {
          const failure = rpcFailure(-32603, "FakeA2aAgent: \"reply\" failed: Error: bug in my test")
          assert.deepStrictEqual(yield* send(agent), failure)
          assert.deepStrictEqual(yield* rpc(agent, "message/stream", old("hi")), failure)
          const { status, text } = yield* HttpClient.get(agent.cardUrl)
          assert.deepStrictEqual([status, yield* text], [500, "FakeA2aAgent: \"card\" failed: Error: bug in my card"])
        }))
      // @ts-expect-error as a test without a compiler may have it
      const nonsense = yield* withAgent({ reply: () => undefined }, send)
      assert.include(JSON.stringify(nonsense), "-32603")
    }))

  it.live("records requests, keeps strangers out, and takes its time", () =>
    withAgent({ authorization: "Bearer t", delay: 100 }, (agent) =>
      Effect.gen(function*() {
        const began = performance.now()
        assert.strictEqual((yield* HttpClient.get(agent.cardUrl)).status, 401)
        assert.isAtLeast(performance.now() - began, 95)
        yield* rpc(agent, "message/send", old("hi"), { Authorization: "Bearer t" })
        const requests = yield* agent.requests
        assert.deepStrictEqual(requests.map(({ method, path }) => [method, path]), [
          ["GET", "/.well-known/agent-card.json"],
          ["POST", "/a2a"]
        ])
        assert.strictEqual(requests[1]?.headers["authorization"], "Bearer t")
        assert.include(requests[1]?.body ?? "", "message/send")
      })))

  it.live("leaves nothing, even with a request open", () =>
    assertNothingLeft(Effect.gen(function*() {
      const fiber = yield* Effect.scoped(withAgent({ reply: A2aReply.silence }, (agent) =>
        Effect.gen(function*() {
          const open = yield* Effect.forkDetach(Effect.exit(rpc(agent, "message/send", old("hi"))))
          while ((yield* agent.requests).length === 0) yield* Effect.sleep(5)
          return open
        })))
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Failure")
    })))

  it.live("is no reason for a client to seem to leave something", () =>
    withAgent({}, (agent) => assertNothingLeft(send(agent), { grace: 500 })))

  it.live("is a layer too", () =>
    Effect.gen(function*() {
      const agent = yield* FakeA2aAgent
      const { status } = yield* HttpClient.get(agent.cardUrl)
      assert.strictEqual(status, 200)
    }).pipe(Effect.provide([FakeA2aAgent.layer(), FetchHttpClient.layer])))
})
