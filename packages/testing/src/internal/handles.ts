/**
 * The timers and handles made while a scope is open that would keep the event loop alive. They are followed one by one
 * (`node:async_hooks`): comparing numbers of before and after hides a leak behind something that ended meanwhile.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { createHook } from "node:async_hooks"

export interface Handle {
  /** As `node:async_hooks` names it: `Timeout`, `TCPSERVERWRAP`, `PROCESSWRAP`, ... */
  readonly kind: string
  /** The first line of the stack that is neither Node's nor Effect's; empty if there is none. */
  readonly madeAt: string
}

interface Made extends Handle {
  readonly resource: { readonly hasRef: () => unknown }
}

/** Gives the handles that are still open and referenced. */
export const record: Effect.Effect<Effect.Effect<ReadonlyArray<Handle>>, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      // these make their handles on first use and keep them
      void [process.stdout, process.stderr]
      const made = new Map<number, Made>()
      const hook = createHook({
        init: (id, kind, _, resource) => {
          if (isReferable(resource)) made.set(id, { kind, resource, madeAt: callSite() })
        },
        destroy: (id) => {
          made.delete(id)
        }
      }).enable()
      return { hook, made }
    }),
    ({ hook }) => Effect.sync(() => hook.disable())
  ),
  ({ made }) => Effect.sync(() => [...made.values()].filter(({ resource }) => resource.hasRef() === true))
)

/** Promises, requests and the like come and go by themselves; what can be left open can be unreferenced. */
const isReferable = (resource: unknown): resource is Made["resource"] =>
  // an immediate is gone by the next turn of the loop; the scheduler of Effect is made of them
  Predicate.hasProperty(resource, "hasRef") && typeof resource.hasRef === "function" &&
  !Predicate.hasProperty(resource, "_onImmediate")

const callSite = (): string => {
  const stack = new Error("call site").stack ?? ""
  const line = stack.split("\n").slice(1).find((frame) => !/node:|node_modules.effect.|internal.handles\./.test(frame))
  return line?.trim().replace(/^at /, "") ?? ""
}
