import { A2aReading, A2aTask } from "@effect-toolnexus/agents"
import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { TaskFold } from "../src/internal/taskFold.ts"

describe("an id", () => {
  it("that is empty is none, and takes back none that was there", () => {
    const fold = new TaskFold()
    for (const contextId of ["c1", ""]) {
      const status = { taskId: "t1", contextId, status: { state: "TASK_STATE_INPUT_REQUIRED" } }
      const event = Option.getOrThrow(A2aReading.readEvent({ statusUpdate: status }))
      fold.take(event, 1)
    }
    assert.deepInclude(fold.reply, { _tag: "Task" })
    assert.strictEqual(fold.reply?._tag === "Task" ? fold.reply.task.contextId : undefined, "c1")
    const message = Option.getOrThrow(A2aReading.readMessage({ role: "agent", parts: [], taskId: "", contextId: "" }))
    assert.deepStrictEqual(message, { role: "agent", parts: [] })
  })

  it("is as long as one may be, and else there is none", () => {
    const task = (id: string, contextId: string) => A2aReading.readTask({ id, contextId, status: { state: "working" } })
    const [id, endless] = ["i".repeat(4096), "i".repeat(4097)]
    assert.isTrue(Option.isSome(task(id, id)))
    assert.isTrue(Option.isNone(task(endless, id)))
    assert.isTrue(Option.isNone(task(id, endless)))
    assert.isTrue(
      Option.isNone(A2aReading.readEvent({ statusUpdate: { taskId: endless, status: { state: "working" } } }))
    )
    assert.isTrue(Option.isNone(A2aReading.readReply({ message: { role: "agent", parts: [], contextId: endless } })))
  })
})

describe("A2aReading", () => {
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
    assert.strictEqual(A2aReading.readState(raw), state)
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
    assert.deepStrictEqual(A2aReading.readPart(raw), Option.some(part))
  })

  it("leaves out a part that is none", () => {
    assert.isTrue(Option.isNone(A2aReading.readPart({ kind: "hologram" })))
    assert.isTrue(Option.isNone(A2aReading.readPart("text")))
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
      const reply = Option.getOrThrow(A2aReading.readReply(raw))
      assert.deepStrictEqual(reply, {
        _tag: "Task",
        task: { id: "t", state: "working", artifacts: [{ id: "0", parts: [{ kind: "text", text: "a" }] }], history: [] }
      })
    }
  })

  it("reads a message bare and wrapped", () => {
    const message = { role: "ROLE_AGENT", parts: [{ text: "hi" }] }
    for (const raw of [message, { message }]) {
      const reply = Option.getOrThrow(A2aReading.readReply(raw))
      assert.deepStrictEqual(reply, {
        _tag: "Message",
        message: { role: "agent", parts: [{ kind: "text", text: "hi" }] }
      })
    }
  })

  it("reads no more than anybody takes, however much is sent", () => {
    const many = <A>(item: A) => Array.from({ length: 300_000 }, () => item)
    const status = { state: "working" }
    const started = process.cpuUsage()
    const partsIn = (task: object): number => {
      const read = Option.getOrThrow(A2aReading.readTask({ id: "t", status, ...task }))
      return read.artifacts.flatMap(({ parts }) => parts).length + read.history.length
    }
    const enough = A2aTask.MAX_PARTS + 1
    assert.strictEqual(partsIn({ artifacts: [{ parts: many({ text: "a" }) }] }), enough)
    assert.strictEqual(partsIn({ artifacts: many({ parts: [{ text: "a" }] }) }), enough)
    assert.strictEqual(partsIn({ artifacts: many({ parts: [1, 2] }) }), 0)
    assert.strictEqual(partsIn({ history: many({ role: "agent", parts: [] }) }), 10)
    const message = Option.getOrThrow(A2aReading.readMessage({ parts: many({ text: "a" }) }))
    assert.strictEqual(message.parts.length, enough)
    assert.isBelow(process.cpuUsage(started).user / 1000, 1500)
  })

  it.each([[null], ["text"], [{}], [{ id: "t" }], [{ task: { id: "" } }]])("takes %j for neither", (raw) => {
    assert.isTrue(Option.isNone(A2aReading.readReply(raw)))
  })
})

describe("TaskFold", () => {
  it("keeps of all that is said of a task the last word", () => {
    const fold = new TaskFold()
    const said = (text: string) => ({ role: "agent" as const, parts: [{ kind: "text" as const, text }] })
    fold.take({ _tag: "Status", taskId: "t", state: "working", message: said("one") }, 0)
    fold.take({ _tag: "Message", message: said("two") }, 0)
    fold.take({ _tag: "Status", taskId: "t", state: "working" }, 0)
    fold.take({ _tag: "Status", taskId: "t", state: "completed", message: said("three") }, 0)
    assert.deepInclude(fold.reply, { _tag: "Task" })
    if (fold.reply?._tag !== "Task") return
    assert.strictEqual(A2aTask.lastMessage(fold.reply.task)?.parts.length, 1)
    assert.deepStrictEqual(fold.reply.task.history.flatMap(({ parts }) => parts), [{ kind: "text", text: "one" }])
  })
})
