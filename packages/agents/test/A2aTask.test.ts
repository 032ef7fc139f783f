import { A2aTask } from "@effect-toolnexus/agents"
import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"

describe("A2aTask", () => {
  it.each(
    [
      ["input-required", "input-required"],
      ["TASK_STATE_INPUT_REQUIRED", "input-required"],
      ["TASK_STATE_CANCELLED", "canceled"],
      ["canceled", "canceled"],
      ["TASK_STATE_UNSPECIFIED", "unknown"],
      ["exploded", "unknown"],
      [4, "unknown"]
    ] as const
  )("reads the state %s as %s", (raw, state) => {
    assert.strictEqual(A2aTask.readState(raw), state)
  })

  it.each(
    [
      [{ kind: "text", text: "a" }, { kind: "text", text: "a" }],
      [{ text: "a", mediaType: "text/plain" }, { kind: "text", text: "a" }],
      [{ kind: "data", data: { a: 1 } }, { kind: "data", data: { a: 1 } }],
      [{ data: null }, { kind: "data", data: null }],
      [
        { kind: "file", file: { bytes: "QQ==", mimeType: "image/png", name: "a.png" } },
        { kind: "file", name: "a.png", mimeType: "image/png", bytes: "QQ==" }
      ],
      [{ raw: "QQ==", mediaType: "image/png", filename: "a.png" }, {
        kind: "file",
        name: "a.png",
        mimeType: "image/png",
        bytes: "QQ=="
      }],
      [{ url: "https://h/f", filename: null }, { kind: "file", uri: "https://h/f" }]
    ] as const
  )("reads the part %j by its fields", (raw, part) => {
    assert.deepStrictEqual(A2aTask.readPart(raw), Option.some(part))
  })

  it("leaves out a part that is none", () => {
    assert.isTrue(Option.isNone(A2aTask.readPart({ kind: "hologram" })))
    assert.isTrue(Option.isNone(A2aTask.readPart("text")))
  })

  it("reads a task bare and wrapped, with nulls for what is absent, and keeps what is sound of it", () => {
    const task = {
      id: "t",
      contextId: null,
      status: { state: "TASK_STATE_WORKING", message: null },
      artifacts: [{ parts: [{ text: "a" }, 5] }, "nonsense"],
      history: null
    }
    for (const raw of [task, { task }]) {
      const reply = Option.getOrThrow(A2aTask.readReply(raw))
      assert.deepStrictEqual(reply, {
        _tag: "Task",
        task: { id: "t", state: "working", artifacts: [{ id: "0", parts: [{ kind: "text", text: "a" }] }], history: [] }
      })
    }
  })

  it("reads a message bare and wrapped", () => {
    const message = { role: "ROLE_AGENT", parts: [{ text: "hi" }] }
    for (const raw of [message, { message }]) {
      const reply = Option.getOrThrow(A2aTask.readReply(raw))
      assert.deepStrictEqual(reply, {
        _tag: "Message",
        message: { role: "agent", parts: [{ kind: "text", text: "hi" }] }
      })
    }
  })

  it.each([[null], ["text"], [{}], [{ id: "t" }], [{ task: { id: "" } }]])("takes %j for neither", (raw) => {
    assert.isTrue(Option.isNone(A2aTask.readReply(raw)))
  })
})
