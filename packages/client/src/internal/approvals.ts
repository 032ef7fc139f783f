/**
 * Approvals that were not used yet: that a runtime has been told to ask for, or that a conversation tells of. A call that
 * is then run by the same id, name and arguments counts as approved. Nothing else does: calling a handler by hand is no
 * approval.
 */
import type { ToolkitService } from "@effect-toolnexus/core"
import type * as Prompt from "effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { approvedCalls } from "./conversation.ts"

export interface Approvals {
  readonly put: (id: string, name: string, args: unknown) => void
  /** Whether this call was to be approved; once. */
  readonly take: (id: string, name: string, args: unknown) => boolean
}

/** Those that nobody answers go, the oldest first. */
const MAX_OPEN = 10_000

const known = new WeakMap<ToolkitService["register"], Approvals>()

/**
 * Of a toolkit there are as many bridges, and perhaps views, as requests, which share these. All views of it register
 * tools by the one function, and so that tells whose approvals they are.
 */
export const approvalsOf = ({ register }: ToolkitService): Approvals => {
  const before = known.get(register)
  if (before !== undefined) return before
  const approvals = makeApprovals()
  known.set(register, approvals)
  return approvals
}

/** Those that a conversation tells of, perhaps from another process. */
export const approvalsIn = (conversation: Prompt.RawInput): Approvals => {
  const approvals = makeApprovals()
  for (const { id, name, params } of approvedCalls(conversation)) approvals.put(id, name, params)
  return approvals
}

const makeApprovals = (): Approvals => {
  const open = new Map<string, string>()
  return {
    put: (id, name, args) => {
      const call = spellCall(name, args)
      if (call === undefined) return
      open.set(id, call)
      if (open.size > MAX_OPEN) open.delete(open.keys().next().value ?? id)
    },
    take: (id, name, args) => {
      const call = open.get(id)
      return call !== undefined && call === spellCall(name, args) && open.delete(id)
    }
  }
}

/** The same for the same calls; nothing for what is no JSON, and can't be told from another. Stores of JSON reorder keys. */
export const spellCall = (name: string, args: unknown): string | undefined =>
  Result.getOrElse(Result.try(() => JSON.stringify([name, args], inOrder)), () => undefined)

const inOrder = (_key: string, value: unknown): unknown =>
  Predicate.isObject(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => left < right ? -1 : 1))
    : value
