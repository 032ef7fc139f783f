/** Tools that were added while the toolkit lives: a source like any, whose one entry grows and shrinks. */
import { Source, SourceEntry, type Tool } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as SubscriptionRef from "effect/SubscriptionRef"

export const makeRegisteredTools = Effect.gen(function*() {
  const entries = yield* SubscriptionRef.make<ReadonlyArray<SourceEntry.SourceEntry>>([])
  // inside the update, so that two who change the tools at once lose nothing
  const change = <A>(f: (tools: ReadonlyArray<Tool.Tool>) => readonly [answer: A, tools: ReadonlyArray<Tool.Tool>]) =>
    SubscriptionRef.modify(entries, (now) => {
      const [answer, tools] = f(now.flatMap((entry) => entry.tools))
      return [answer, tools.length === 0 ? [] : [SourceEntry.loaded("<registered>", { tools, unlisted: true })]]
    })
  return {
    source: Source.of({ kind: "extra", entries }),
    register: (...added: ReadonlyArray<Tool.Tool>) =>
      Effect.asVoid(change((tools) => [undefined, [...tools, ...added]])),
    unregister: (name: string) =>
      change((tools) => {
        const rest = tools.filter((tool) => tool.name !== name)
        return [rest.length < tools.length, rest]
      })
  }
})
