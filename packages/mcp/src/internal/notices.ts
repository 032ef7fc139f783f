/** What a server says without being asked: that a list, or a resource, changed. */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type { Fields } from "./jsonRpc.ts"
import { textIn } from "./lenient.ts"

export interface Notices {
  readonly toolsChanged: PubSub.PubSub<void>
  readonly resourcesChanged: PubSub.PubSub<void>
  readonly promptsChanged: PubSub.PubSub<void>
  /** Called with the URI of a resource that changed. */
  readonly onUpdate: Set<(uri: string) => void>
}

/** The last word is repeated to whoever listens later: a change between a list and the first look is none to miss. */
const makeHub = PubSub.sliding<void>({ capacity: 1, replay: 1 })

export const makeNotices: Effect.Effect<Notices> = Effect.gen(function*() {
  return {
    toolsChanged: yield* makeHub,
    resourcesChanged: yield* makeHub,
    promptsChanged: yield* makeHub,
    onUpdate: new Set()
  }
})

export const hearNotice = (notices: Notices, method: string, params: Fields) => {
  switch (method) {
    case "notifications/tools/list_changed":
      PubSub.publishUnsafe(notices.toolsChanged, undefined)
      break
    case "notifications/resources/list_changed":
      PubSub.publishUnsafe(notices.resourcesChanged, undefined)
      break
    case "notifications/prompts/list_changed":
      PubSub.publishUnsafe(notices.promptsChanged, undefined)
      break
    case "notifications/resources/updated": {
      const uri = textIn(params, "uri")
      if (uri !== undefined) notices.onUpdate.forEach((hear) => hear(uri))
    }
  }
}
