/** Tools that were added while the toolkit lives: a source like any, whose one entry grows and shrinks. */
import { Source, SourceEntry, type Tool } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as SubscriptionRef from "effect/SubscriptionRef"

export const makeRegisteredTools = Effect.gen(function*() {
  const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([])
  let tools: ReadonlyArray<Tool.Tool> = []
  const set = (next: ReadonlyArray<Tool.Tool>) =>
    SubscriptionRef.update(entries, () => {
      tools = next
      return next.length === 0 ? [] : [SourceEntry.loaded("<registered>", { tools: next, unlisted: true })]
    })
  return {
    source: Source.of({ kind: "extra", entries }),
    register: (...added: ReadonlyArray<Tool.Tool>) => Effect.suspend(() => set([...tools, ...added])),
    unregister: (name: string) =>
      Effect.suspend(() => {
        const rest = tools.filter((tool) => tool.name !== name)
        return Effect.as(set(rest), rest.length < tools.length)
      })
  }
})
