/**
 * A provider gives skills that are known only at run time: out of a database, a service, another program. It is asked
 * once, when the toolkit is built.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SkillDefinition } from "./Skill.ts"

/**
 * Definitions, now or later.
 *
 * @category models
 * @since 0.1.0
 */
export type Provided =
  | ReadonlyArray<SkillDefinition>
  | PromiseLike<ReadonlyArray<SkillDefinition>>
  | Effect.Effect<ReadonlyArray<SkillDefinition>, unknown>

/**
 * Definitions, or a function that gives them.
 *
 * **Example**
 *
 * ```ts
 * const provider: SkillProvider = async () => [{ name: "greeting", content: "Be warm." }]
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export type SkillProvider = Provided | (() => Provided)

/** As long as a server may take to start. */
const LIMIT = "30 seconds"

/**
 * The provider failed, threw, was too slow, or gave something else than a list. `detail` is in words.
 *
 * @category errors
 * @since 0.1.0
 */
export class SkillProviderError
  extends Schema.TaggedError<SkillProviderError>("@effect-toolnexus/skills/SkillProvider/SkillProviderError")(
    "SkillProviderError",
    { detail: Schema.String, cause: Schema.optionalKey(Schema.Defect()) }
  )
{
  override get message(): string {
    return `the skill provider failed: ${this.detail}`
  }
}

/**
 * Asks a provider, for 30 seconds at most. A failure, a throw, a rejection and a defect all come back as a value.
 *
 * @category operations
 * @since 0.1.0
 */
export const ask = (
  provider: SkillProvider
): Effect.Effect<Result.Result<ReadonlyArray<SkillDefinition>, SkillProviderError>> =>
  Effect.suspend(() => settle(typeof provider === "function" ? provider() : provider)).pipe(
    Effect.map(checkList),
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.succeed(Result.fail(new SkillProviderError({ detail: `it gave no answer within ${LIMIT}` })))
    }),
    Effect.exit,
    Effect.map(
      Exit.match({ onSuccess: (result) => result, onFailure: (cause) => Result.fail(toError(Cause.squash(cause))) })
    )
  )

const settle = (provided: Provided): Effect.Effect<unknown, unknown> => {
  if (Effect.isEffect(provided)) return provided
  return Predicate.isPromiseLike(provided)
    ? Effect.tryPromise({ try: () => provided, catch: toError })
    : Effect.succeed(provided)
}

/** Each definition is checked by itself later: a bad one costs only itself. */
const checkList = (value: unknown): Result.Result<ReadonlyArray<SkillDefinition>, SkillProviderError> =>
  isList(value)
    ? Result.succeed(value)
    : Result.fail(new SkillProviderError({ detail: "it gave something that is no list of definitions" }))

const isList = (value: unknown): value is ReadonlyArray<SkillDefinition> => Array.isArray(value)

const toError = (cause: unknown): SkillProviderError =>
  cause instanceof SkillProviderError ? cause : new SkillProviderError({ detail: toDetail(cause), cause })

/** An error may well break whoever reads it. */
const toDetail = (cause: unknown): string => Result.getOrElse(Result.try(() => readDetail(cause)), () => UNTOLD)

const UNTOLD = "it did not say why"

const readDetail = (cause: unknown): string => {
  if (cause instanceof Error && cause.message !== "") return cause.message
  if (typeof cause === "string" && cause.trim() !== "") return cause
  return Predicate.hasProperty(cause, "_tag") && typeof cause._tag === "string" ? cause._tag : UNTOLD
}
