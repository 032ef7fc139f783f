import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Answer, Request, SourceEntry, ToolError, ToolResult } from "../src/index.ts"

describe("ToolResult", () => {
  it("is never empty, and well-formed, when it leaves the toolkit", () => {
    assert.strictEqual(ToolResult.normalize(ToolResult.success(" \n")).output, "(no output)")
    const broken = ToolResult.success("a\uD800b", {
      content: [{ type: "text", text: "\uDC00" }, { type: "image", data: "AA==", mimeType: "image/png" }]
    })
    assert.deepStrictEqual(ToolResult.normalize(broken), {
      output: "a\uFFFDb",
      isError: false,
      content: [{ type: "text", text: "\uFFFD" }, { type: "image", data: "AA==", mimeType: "image/png" }]
    })
  })

  it("leaves a good result as it is", () => {
    const result = ToolResult.success("fine 😀", { content: [{ type: "text", text: "ok" }] })
    assert.strictEqual(ToolResult.normalize(result), result)
  })
})

describe("errors", () => {
  const request = { id: "r", kind: "question", prompt: "Sure?", call: { id: "c", name: "t", arguments: { a: 1 } } }
  const errors: ReadonlyArray<ToolError.ToolError> = [
    new ToolError.ToolNotFound({ toolName: "t", suggestions: ["u"] }),
    new ToolError.InvalidArguments({ toolName: "t", issues: [{ path: "a.b", message: "must be text" }] }),
    new ToolError.ToolFailed({ toolName: "t", message: "no", result: ToolResult.failure("no") }),
    new ToolError.ToolTimeout({ toolName: "t", limit: 10, phase: "total" }),
    new ToolError.ToolUnavailable({ toolName: "t", reason: "gone" }),
    new ToolError.ToolDenied({ toolName: "t", rule: "no shell" }),
    new ToolError.ToolSuspended({ toolName: "t", request })
  ]

  it("survive a trip through JSON, each with a message that says more than its tag", () => {
    const codec = Schema.toCodecJson(ToolError.ToolError)
    for (const error of errors) {
      const back = Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(Schema.encodeSync(codec)(error))))
      assert.strictEqual(back._tag, error._tag)
      assert.strictEqual(back.message, error.message)
      assert.notStrictEqual(error.message, error._tag)
    }
  })

  it("name a failed entry, its phase and the cause", () => {
    const error = new SourceEntry.EntryError({ kind: "mcp", entry: "old", phase: "initialize", detail: "exit code 1" })
    assert.strictEqual(error.message, `mcp server "old" failed at initialize: exit code 1`)
  })
})

describe("Request and Answer", () => {
  it("are plain JSON", () => {
    const request = { id: "r1", kind: "approval", prompt: "Run it?", state: [1], expiresAt: "2030-01-01T00:00:00Z" }
    assert.deepStrictEqual(Schema.decodeUnknownSync(Request.Request)(JSON.parse(JSON.stringify(request))), request)
    assert.deepStrictEqual(Answer.make(request, false), { id: "r1", ok: false })
    assert.deepStrictEqual(Answer.make(request, true, { a: 1 }), { id: "r1", ok: true, data: { a: 1 } })
  })
})
