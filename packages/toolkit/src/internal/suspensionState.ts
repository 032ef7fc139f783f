/**
 * What the pipeline itself has to remember of a suspended call, in the request's `state` beside the source's own. A state
 * of a source goes as it is where there is nothing to add.
 */
import type { Json, ToolCall } from "@effect-toolnexus/core"
import * as Answer from "@effect-toolnexus/core/Answer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

export interface Memory {
  /** The request asks for an approval, before the handler runs. */
  readonly isGate: boolean
  /** A person has approved the call before. */
  readonly isApproved: boolean
  /** How many answers the handler has had. */
  readonly asked: number
  /** What the handler was resumed with when the gate stopped it. */
  readonly resumed: ToolCall.Resumed | undefined
}

const KEY = "toolnexus"

const Stored = Schema.Struct({
  gate: Schema.optionalKey(Schema.Boolean),
  approved: Schema.optionalKey(Schema.Boolean),
  asked: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))),
  resumed: Schema.optionalKey(Schema.Struct({ answer: Answer.Answer, state: Schema.optionalKey(Schema.Json) }))
})

const isStored = Schema.is(Stored)

export const remember = (memory: Memory, state: Json.Json | undefined): Json.Json | undefined => {
  const stored: Json.JsonObject = {
    ...(memory.isGate ? { gate: true } : {}),
    ...(memory.isApproved ? { approved: true } : {}),
    ...(memory.asked > 0 ? { asked: memory.asked } : {}),
    ...(memory.resumed === undefined ? {} : { resumed: toJson(memory.resumed) })
  }
  // a state that looks like ours would be taken for it
  const isPlain = Object.keys(stored).length === 0 && !Predicate.hasProperty(state, KEY)
  return isPlain ? state : { [KEY]: stored, ...(state === undefined ? {} : { state }) }
}

const toJson = ({ answer, state }: ToolCall.Resumed): Json.JsonObject => ({
  answer: { ...answer },
  ...(state === undefined ? {} : { state })
})

export interface Recalled {
  readonly memory: Memory
  readonly state: Json.Json | undefined
}

export const recall = (state: Json.Json | undefined): Recalled => {
  if (!isMarked(state)) return { memory: NOTHING, state }
  const stored = state[KEY]
  if (!isStored(stored)) return { memory: NOTHING, state }
  const { approved = false, asked = 0, gate = false, resumed } = stored
  return {
    memory: {
      isGate: gate,
      isApproved: approved,
      asked,
      resumed: resumed === undefined ? undefined : { answer: resumed.answer, state: resumed.state }
    },
    state: state["state"]
  }
}

const NOTHING: Memory = { isGate: false, isApproved: false, asked: 0, resumed: undefined }

const isMarked = (state: Json.Json | undefined): state is Json.JsonObject =>
  typeof state === "object" && state !== null && !Array.isArray(state) && Object.hasOwn(state, KEY)
