/** Which operations a host wants of a document. */
import type { OperationRule } from "../OpenApiDefinition.ts"
import type { Operation } from "./operations.ts"

export interface OperationFilter {
  readonly include: ReadonlyArray<string | OperationRule> | undefined
  readonly exclude: ReadonlyArray<string | OperationRule>
}

export interface Candidate {
  readonly operation: Operation
  readonly name: string
}

export const accepts = ({ exclude, include }: OperationFilter, candidate: Candidate): boolean =>
  (include === undefined || include.some((rule) => fits(rule, candidate)))
  && !exclude.some((rule) => fits(rule, candidate))

/** Rules that fit nothing: most are mistyped. */
export const unmatched = (
  rules: ReadonlyArray<string | OperationRule>,
  candidates: ReadonlyArray<Candidate>
): ReadonlyArray<string> =>
  rules.filter((rule) => !candidates.some((candidate) => fits(rule, candidate))).map((rule) =>
    typeof rule === "string" ? rule : JSON.stringify(rule)
  )

/** A text may be any of the three; a rule is all that it says. */
const fits = (rule: string | OperationRule, candidate: Candidate): boolean => {
  if (typeof rule === "string") {
    return isNamed(rule, candidate) || isTagged(rule, candidate) || isMethod(rule, candidate)
  }
  const { method, operation, tag } = rule
  return (operation === undefined || isNamed(operation, candidate))
    && (tag === undefined || isTagged(tag, candidate))
    && (method === undefined || isMethod(method, candidate))
}

const isNamed = (pattern: string, { name, operation: { id, place } }: Candidate): boolean =>
  [id, name, place].some((each) => each !== undefined && like(pattern, each))

const isTagged = (pattern: string, { operation: { tags } }: Candidate): boolean =>
  tags.some((tag) => like(pattern, tag))

const isMethod = (pattern: string, { operation: { method } }: Candidate): boolean => pattern.toUpperCase() === method

/** `*` stands for anything; without an expression that could run long. */
const like = (pattern: string, text: string): boolean => {
  const [first = "", ...rest] = pattern.split("*")
  const last = rest.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let from = first.length
  for (const part of rest) {
    const index = text.indexOf(part, from)
    if (index === -1) return false
    from = index + part.length
  }
  return from <= text.length - last.length
}
