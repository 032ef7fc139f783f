/** A task that waits for a person: what is asked, and what is needed to go on with it, also in another process. */
import * as Json from "@effect-toolnexus/core/Json"
import * as Suspension from "@effect-toolnexus/core/Suspension"
import * as Text from "@effect-toolnexus/core/Text"
import type { ToolCall } from "@effect-toolnexus/core/ToolCall"
import type { ToolSuspended } from "@effect-toolnexus/core/ToolError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { lastMessage, type Part, type Task, textOf } from "../A2aTask.ts"

const SuspendedTask = Schema.Struct({
  taskId: Schema.String,
  contextId: Schema.optionalKey(Schema.String),
  /** What the call has taken of its time so far, in milliseconds. */
  spent: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
  /** It waits for a login, and may go on by itself once there is one. */
  isLogin: Schema.optionalKey(Schema.Boolean)
})

export interface SuspendedTask extends Schema.Schema.Type<typeof SuspendedTask> {}

const decode = Schema.decodeUnknownOption(SuspendedTask)

export const readSuspended = (state: Json.Json | undefined): Option.Option<SuspendedTask> => decode(state)

export interface Asking {
  readonly agentName: string
  readonly redact: (text: string) => string
  readonly spent: number
}

/** More than a person reads before they answer. */
const MAX_PROMPT = 10_000

export const suspend = (
  task: Task,
  call: ToolCall,
  { agentName, redact, spent }: Asking
): Effect.Effect<never, ToolSuspended> => {
  const isLogin = task.state === "auth-required"
  const parts = lastMessage(task)?.parts ?? []
  const asked = redact(Text.cut(wordsOf(parts).trim().toWellFormed(), MAX_PROMPT, "..."))
  const url = isLogin ? loginUrl(parts) : undefined
  // what is secret is never typed into a form
  const schema = isLogin ? undefined : schemaOf(parts)
  return Suspension.request(call, {
    // a login without an address that is safe is done elsewhere, and only said to be done
    kind: url === undefined ? "input" : "authorization",
    prompt: asked === "" ? `The agent ${agentName} ${isLogin ? "asks for a login" : "needs more input"}.` : asked,
    ...(url === undefined ? {} : { url }),
    ...(schema === undefined ? {} : { data: { schema } }),
    state: {
      taskId: task.id,
      ...(task.contextId === undefined ? {} : { contextId: task.contextId }),
      spent,
      ...(isLogin ? { isLogin } : {})
    }
  })
}

/** An agent that says it in data alone is shown as it is, unless that is the form itself. */
const wordsOf = (parts: ReadonlyArray<Part>): string => {
  const text = textOf(parts)
  if (text.trim() !== "" || schemaOf(parts) !== undefined) return text
  return parts.flatMap((part) => part.kind === "data" ? [JSON.stringify(part.data)] : []).join("\n")
}

/** Forms are small. */
const BOUNDS: Json.Bounds = { levels: 20, values: 10_000 }

/** The protocol has no word for it: agents send a schema as data, by itself or under a name. */
const SCHEMA_KEYS = ["schema", "requestedSchema", "inputSchema", "form"]

const schemaOf = (parts: ReadonlyArray<Part>): Json.JsonObject | undefined => {
  for (const part of parts) {
    if (part.kind !== "data" || !Json.isWithin(part.data, BOUNDS) || !Json.isJsonObject(part.data)) continue
    const { data } = part
    const found = [...SCHEMA_KEYS.map((key) => Object.hasOwn(data, key) ? data[key] : undefined), data].find(isForm)
    if (found !== undefined) return found
  }
  return undefined
}

const isForm = (value: Json.Json | undefined): value is Json.JsonObject =>
  Json.isJsonObject(value) && value["type"] === "object" && Json.isJsonObject(value["properties"])

/** Of the sentence that it stands in. By hand: an expression would try each mark of an address that has nothing else. */
const withoutMarks = (address: string): string => {
  let end = address.length
  while (".,;:!?".includes(address[end - 1] ?? " ")) end--
  return address.slice(0, end)
}

/** The first address that is safe, in what is said or in the data beside it. */
const loginUrl = (parts: ReadonlyArray<Part>): string | undefined => {
  const text = parts.flatMap((part) => {
    if (part.kind === "text") return [part.text]
    return part.kind === "data" ? [JSON.stringify(part.data)] : []
  }).join("\n")
  for (const [candidate] of text.matchAll(/https?:\/\/[^\s<>"'`)\]\\]+/g)) {
    const url = withoutMarks(candidate)
    if (Suspension.isSafeUrl(url)) return URL.parse(url)?.href
  }
  return undefined
}
