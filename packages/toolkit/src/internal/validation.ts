/** The two stages that check a call against its tool's schemas. */
import {
  type Diagnostic,
  type Json,
  type Middleware,
  type Tool,
  ToolError,
  type ToolResult
} from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import type { SchemaValidators, Validator } from "../SchemaValidator.ts"

export interface Validation {
  /** Refuses arguments that the input schema doesn't allow. */
  readonly checkArguments: Middleware.Middleware
  /** Notes in the result where structured output isn't what the output schema promises. */
  readonly checkOutput: Middleware.Middleware
  /** What is wrong with a value that isn't a tool's. */
  readonly check: (
    schema: JsonSchema.JsonSchema,
    value: unknown
  ) => Effect.Effect<ReadonlyArray<ToolError.ArgumentIssue>>
  /** What of the schemas used so far is not checked, of the tools that are exposed. */
  readonly diagnostics: (exposed: ReadonlyMap<string, unknown>) => ReadonlyArray<Diagnostic.Diagnostic>
}

/** As many as a person reads; a server may declare thousands of schemas that can't be compiled. */
const MAX_DIAGNOSTICS = 1000

export const makeValidation = (): Validation => {
  // by what they say: a list that is read again brings the same tools as other objects
  const found = new Map<string, { readonly tool: string; readonly diagnostic: Diagnostic.Diagnostic }>()
  let validators: SchemaValidators | undefined
  // the validator and its pattern engine are loaded with the first call, and not with the toolkit
  const load = Effect.map(Effect.promise(() => import("../SchemaValidator.ts")), ({ make }) => validators ??= make())
  const using = <A, E>(use: (loaded: SchemaValidators) => Effect.Effect<A, E>) =>
    validators === undefined ? Effect.flatMap(load, use) : use(validators)
  const note = (validator: Validator, tool: Tool.Tool, path: string) => {
    for (const unplaced of validator.diagnostics) {
      const diagnostic = place(unplaced, tool, path)
      if (found.size >= MAX_DIAGNOSTICS) found.delete(found.keys().next().value ?? "")
      found.set(JSON.stringify(diagnostic), { tool: tool.name, diagnostic })
    }
    return validator
  }
  /** The validator of a tool's schema, made with the first value that is checked. */
  const validatorOf = (tool: Tool.Tool, path: string, schema: JsonSchema.JsonSchema) => {
    let made: Validator | undefined
    return (loaded: SchemaValidators) => made ??= note(loaded.get(schema), tool, path)
  }
  return {
    checkArguments: (tool, next) => {
      const validatorIn = validatorOf(tool, "inputSchema", tool.inputSchema)
      return (args, call) =>
        using((loaded) => {
          const issues = validatorIn(loaded).validate(args)
          return issues.length === 0
            ? next(args, call)
            : Effect.fail(new ToolError.InvalidArguments({ toolName: call.toolName, issues }))
        })
    },
    checkOutput: (tool, next) => {
      const { outputSchema } = tool
      if (outputSchema === undefined) return next
      const validatorIn = validatorOf(tool, "outputSchema", outputSchema)
      return (args, call) =>
        Effect.flatMap(next(args, call), (result) => {
          const { structured } = result
          if (structured === undefined || result.isError) return Effect.succeed(result)
          return using((loaded) => {
            const issues = validatorIn(loaded).validate(structured)
            return Effect.succeed(issues.length === 0 ? result : withIssues(result, issues))
          })
        })
    },
    check: (schema, value) =>
      Effect.suspend(() => using((loaded) => Effect.succeed(loaded.get(schema).validate(value)))),
    diagnostics: (exposed) =>
      Array.from(found.values()).filter(({ tool }) => exposed.has(tool)).map(({ diagnostic }) => diagnostic)
  }
}

const place = (
  diagnostic: Diagnostic.Diagnostic,
  { name, origin }: Tool.Tool,
  schema: string
): Diagnostic.Diagnostic => ({
  ...diagnostic,
  ...(origin.entry === "" ? {} : { entry: origin.entry }),
  path: [name, schema, diagnostic.path].filter(Boolean).join(".")
})

/** A mismatch is told, and never costs the result. */
const withIssues = (
  result: ToolResult.ToolResult,
  issues: ReadonlyArray<ToolError.ArgumentIssue>
): ToolResult.ToolResult => {
  const outputIssues: Json.Json = issues.map(({ message, path }) => ({ path, message }))
  return { ...result, metadata: { ...result.metadata, outputIssues } }
}
