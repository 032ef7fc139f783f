/**
 * Prompts that a server has ready for people to choose from (MCP, Server Features: Prompts), and its suggestions for
 * their arguments and for the variables of a template of resources (Utilities: Completion).
 *
 * Servers are read leniently, as in {@link "./McpResource.ts" | McpResource}; `raw` has each thing as the server sent it.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { Json, JsonObject } from "@effect-toolnexus/core/Json"
import type { ContentPart } from "@effect-toolnexus/core/ToolResult"

/**
 * A prompt that a server lists. `server` is whose it is, by its name in the configuration.
 *
 * @category models
 * @since 0.1.0
 */
export interface Prompt {
  readonly server: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: ReadonlyArray<PromptArgument>
  readonly raw: JsonObject
}

/**
 * What a prompt may be given, or must be where it is `required`. Always text.
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean
}

/**
 * A prompt with its arguments in place: messages to begin a conversation with, at most 10,000.
 *
 * @category models
 * @since 0.1.0
 */
export interface FilledPrompt {
  readonly description?: string
  readonly messages: ReadonlyArray<PromptMessage>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * A message of a prompt. `content` is absent where it is of a kind that we don't know: `raw` is what the server sent.
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptMessage {
  readonly role: "user" | "assistant"
  readonly content?: ContentPart
  readonly raw: Json
}

/**
 * What suggestions are asked for: an argument of a prompt, or a variable of a template of resources, with the text that
 * is there of it so far.
 *
 * **Details**
 *
 * `context`: what the other arguments are already, where what is suggested depends on them; none by default.
 *
 * **Example**
 *
 * ```ts
 * const question: McpPrompt.CompletionQuestion = {
 *   ref: { type: "ref/prompt", name: "code_review" },
 *   argument: { name: "language", value: "py" }
 * }
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export interface CompletionQuestion {
  readonly ref: PromptRef | TemplateRef
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments: Readonly<Record<string, string>> }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface PromptRef {
  readonly type: "ref/prompt"
  readonly name: string
}

/**
 * A template of resources, or a resource; `uri` is the template.
 *
 * @category models
 * @since 0.1.0
 */
export interface TemplateRef {
  readonly type: "ref/resource"
  readonly uri: string
}

/**
 * Suggestions, the best first: at most 100, as the protocol has it. `total` is how many there are, where the server
 * says so.
 *
 * @category models
 * @since 0.1.0
 */
export interface Completion {
  readonly values: ReadonlyArray<string>
  readonly total?: number
  readonly hasMore: boolean
}
