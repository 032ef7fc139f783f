/**
 * Checks the arguments of a call against the tool's input schema, and structured output against its output schema
 * (CONTRACT 1). A schema is someone else's: of any draft from 7 to 2020-12, maybe broken, maybe hostile. It is copied,
 * brought into one form and compiled when it is first needed; what can't be compiled is left out of the check and said
 * once; nothing is fetched; and neither compiling nor checking takes longer than a bound.
 *
 * @since 0.1.0
 */
import type { Diagnostic, ToolError } from "@effect-toolnexus/core"
import { copySchema, isSchemaObject } from "@effect-toolnexus/core/SchemaValue"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import { BudgetExceeded, type Engine, makeEngine } from "./internal/schemaEngine.ts"
import { toIssues } from "./internal/schemaIssues.ts"
import { type NormalForm, normalize } from "./internal/schemaNormalForm.ts"

/**
 * A schema, ready to check values.
 *
 * @category models
 * @since 0.1.0
 */
export interface Validator {
  /**
   * What is wrong with a value; empty if it is valid. At most ten issues, 2000 characters in all.
   *
   * **Details**
   *
   * Never throws, never changes the value. `format` and `default` are not applied. A value that would take too long to
   * check, for its size or depth, is refused with one issue.
   */
  readonly validate: (value: unknown) => ReadonlyArray<ToolError.ArgumentIssue>
  /** What of the schema is not checked. Reading it compiles the schema. */
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/**
 * Validators by schema, so that a schema is compiled once however often its tool is called.
 *
 * @category models
 * @since 0.1.0
 */
export interface SchemaValidators {
  /** The same schema object has the same validator, for as long as the object lives. */
  readonly get: (schema: JsonSchema.JsonSchema) => Validator
}

/**
 * What a check may cost: about a second at worst, measured. An array of 100,000 objects with ten properties each is
 * within it, and takes 150 ms.
 */
const MAX_STEPS = 2_000_000

/** To find all errors costs memory for each; past this, the first one has to do. */
const MAX_STEPS_TO_EXPLAIN = 50_000

/**
 * A validator for a schema. Nothing is compiled before the first use.
 *
 * **Example**
 *
 * ```ts
 * const validator = SchemaValidator.compile({ type: "object", properties: { path: { type: "string" } }, required: ["path"] })
 * validator.validate({ path: 1 }) // => [{ path: "path", message: "expected a string, got 1" }]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const compile = (schema: JsonSchema.JsonSchema | boolean): Validator => {
  let prepared: Prepared | undefined
  const prepareOnce = () => prepared ??= prepare(schema)
  return {
    validate: (value) => prepareOnce().validate(value),
    get diagnostics() {
      return prepareOnce().diagnostics
    }
  }
}

/**
 * Validators that are kept by the identity of their schemas.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): SchemaValidators => {
  const validators = new WeakMap<JsonSchema.JsonSchema, Validator>()
  return {
    get: (schema) => {
      const known = validators.get(schema)
      if (known !== undefined) return known
      const validator = compile(schema)
      validators.set(schema, validator)
      return validator
    }
  }
}

interface Prepared {
  readonly validate: Validator["validate"]
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** The stack may end, and a schema's getter or proxy may throw: then nothing is checked. */
const prepare = (schema: unknown): Prepared =>
  Result.getOrElse(Result.try(() => prepareUnsafe(schema)), () => unchecked(CANNOT_COMPILE))

const prepareUnsafe = (schema: unknown): Prepared => {
  const copy = copySchema(schema)
  if (copy === true) return { validate: () => [], diagnostics: [] }
  if (copy === undefined) return unchecked("it is too large, too deep or has no end")
  if (copy !== false && !isSchemaObject(copy)) return unchecked("it is neither an object nor true or false")
  const form = normalize(copy === false ? { not: {} } : copy)
  return typeof form === "string" ? unchecked(form) : checked(form)
}

const CANNOT_COMPILE = "it can't be compiled"

const unchecked = (reason: string): Prepared => ({
  validate: () => [],
  diagnostics: [{ level: "warning", code: "schema-unchecked", message: `The schema is not checked at all: ${reason}` }]
})

/**
 * The first error is found fast; all of them are looked for only where there is one, with code of its own. The fast code
 * is nested by the property: thousands of them are too deep for the stack, and then the other has to do for both.
 */
const checked = (form: NormalForm): Prepared => {
  let made: Result.Result<Engine, unknown> | undefined
  const thorough = () => made ??= Result.try(() => makeEngine(form, { allErrors: true }))
  const fast = Result.orElse(Result.try(() => makeEngine(form, { allErrors: false })), thorough)
  if (Result.isFailure(fast)) return unchecked(CANNOT_COMPILE)

  const run = (engine: Engine, value: unknown, steps: number) => Result.try(() => engine.check(value, steps))
  const firstErrors = (value: unknown) => {
    const errors = run(fast.success, value, MAX_STEPS)
    return Result.isSuccess(errors) || errors.failure instanceof BudgetExceeded
      ? errors
      : Result.flatMap(thorough(), (engine) => run(engine, value, MAX_STEPS))
  }
  const allErrors = (value: unknown) => Result.flatMap(thorough(), (engine) => run(engine, value, MAX_STEPS_TO_EXPLAIN))

  const validate = (value: unknown): ReadonlyArray<ToolError.ArgumentIssue> => {
    const first = firstErrors(value)
    if (Result.isFailure(first)) return TOO_COSTLY
    if (first.success.length === 0) return []
    const errors = Result.getOrElse(allErrors(value), () => first.success)
    return Result.getOrElse(Result.try(() => toIssues(errors)), () => NOT_EXPLAINED)
  }
  return { validate, diagnostics: form.diagnostics }
}

const TOO_COSTLY: ReadonlyArray<ToolError.ArgumentIssue> = [
  { path: "", message: "the value is too large or too deeply nested to be checked" }
]

const NOT_EXPLAINED: ReadonlyArray<ToolError.ArgumentIssue> = [
  { path: "", message: "the value is not what the schema asks for" }
]
