/**
 * The tool `todowrite`: the list of what a model still has to do, kept for the session of one toolkit (CONTRACT 7).
 *
 * **Details**
 *
 * - Each call replaces the whole list. The output is one line for each todo, `[x] id: text` or `[ ] id: text`, and how
 *   many are done; `structured.todos` is the list, `metadata.replaced` how many todos the one before it had.
 * - Ids and texts are single lines: line breaks and other control characters become blanks.
 * - Each tool that is made has a list of its own, empty at first; it goes with the toolkit.
 *
 * @since 0.1.0
 */
import { type Tool, ToolError, ToolResult } from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { defineBuiltin } from "./internal/defineBuiltin.ts"
import { singleLine } from "./internal/singleLine.ts"

/** Far more than a model keeps in view, and still a list that is read in one go. */
const MAX_TODOS = 1000

/**
 * What `todowrite` takes.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Input = Schema.Struct({
  todos: Schema.Array(Schema.Struct({
    id: Schema.String.annotate({ description: "A short name for it, used once in the list" }),
    text: Schema.String.annotate({ description: "What is to be done, in one line" }),
    completed: Schema.Boolean.annotate({ description: "Whether it is done" })
  })).check(Schema.isMaxLength(MAX_TODOS)).annotate({
    description: `The whole list in its order, at most ${MAX_TODOS}; what isn't in it is forgotten`
  })
})

/**
 * @category schemas
 * @since 0.1.0
 */
export interface Input extends Schema.Schema.Type<typeof Input> {}

type Todos = Input["todos"]

/**
 * Makes the tool, and the list it keeps.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<Tool.Tool> = Effect.map(Ref.make<Todos>([]), (list) =>
  defineBuiltin({
    name: "todowrite",
    description: "Replace the list of what is to be done in this session, and see it. Use it to plan work of several "
      + "steps and to keep track of it: send the whole list each time.",
    input: Input,
    // it changes nothing but the session's own state
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    handler: Effect.fnUntraced(function*(input, { toolName }) {
      const todos = input.todos.map(toLines)
      const issues = repeatedIds(todos)
      if (issues.length > 0) {
        return yield* new ToolError.InvalidArguments({ toolName, issues: ToolError.limitIssues(issues) })
      }
      const before = yield* Ref.getAndSet(list, todos)
      return ToolResult.success(render(todos), { structured: { todos }, metadata: { replaced: before.length } })
    })
  }))

const toLines = ({ completed, id, text }: Todos[number]): Todos[number] => ({
  id: singleLine(id),
  text: singleLine(text),
  completed
})

const repeatedIds = (todos: Todos): ReadonlyArray<ToolError.ArgumentIssue> => {
  const first = new Map<string, number>()
  return todos.flatMap(({ id }, index) => {
    const earlier = first.get(id)
    if (earlier !== undefined) return [{ path: `todos.${index}.id`, message: `todos.${earlier} has this id already` }]
    first.set(id, index)
    return []
  })
}

const render = (todos: Todos): string => {
  if (todos.length === 0) return "No todos."
  const lines = todos.map(({ completed, id, text }) => `[${completed ? "x" : " "}] ${id}: ${text}`)
  const done = todos.filter(({ completed }) => completed).length
  return [...lines, "", `${done} of ${todos.length} done`].join("\n")
}
