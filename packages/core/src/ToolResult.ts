/**
 * What a tool answers: text for the model, and beside it everything a host may want to keep, as plain JSON
 * (CONTRACT 1).
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * Rich parts of a result. The bytes of an image, audio or blob are base64 and never appear in `output`.
 *
 * @category models
 * @since 0.1.0
 */
export const ContentPart = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("image"), data: Schema.String, mimeType: Schema.String }),
  Schema.Struct({ type: Schema.Literal("audio"), data: Schema.String, mimeType: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("resource"),
    uri: Schema.String,
    mimeType: Schema.optionalKey(Schema.String),
    text: Schema.optionalKey(Schema.String),
    blob: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({
    type: Schema.Literal("resource_link"),
    uri: Schema.String,
    name: Schema.String,
    mimeType: Schema.optionalKey(Schema.String),
    description: Schema.optionalKey(Schema.String)
  })
])

/**
 * @category models
 * @since 0.1.0
 */
export type ContentPart = Schema.Schema.Type<typeof ContentPart>

/**
 * The schema of a tool's answer.
 *
 * @category models
 * @since 0.1.0
 */
export const ToolResult = Schema.Struct({
  output: Schema.String,
  isError: Schema.Boolean,
  metadata: Schema.optionalKey(Schema.JsonObject),
  content: Schema.optionalKey(Schema.Array(ContentPart)),
  structured: Schema.optionalKey(Schema.Json)
})

/**
 * A tool's answer. `output` is what the model reads; it is never empty once the toolkit hands it out.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolResult extends Schema.Schema.Type<typeof ToolResult> {}

/**
 * What a result may carry beside its text.
 *
 * @category models
 * @since 0.1.0
 */
export type Extras = Pick<ToolResult, "metadata" | "content" | "structured">

/**
 * A successful answer.
 *
 * **Example**
 *
 * ```ts
 * ToolResult.success("sunny", { structured: { temperature: 21 } })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const success = (output: string, extras?: Extras): ToolResult => ({ output, isError: false, ...extras })

/**
 * An answer that says the tool failed. The text should say what to do about it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const failure = (output: string, extras?: Extras): ToolResult => ({ output, isError: true, ...extras })

const decode = Schema.decodeUnknownOption(ToolResult)

/**
 * The result that a JSON value stands for, with a result's own fields only; `undefined` if it isn't one.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromJson = (value: Schema.Json): ToolResult | undefined => Option.getOrUndefined(decode(value))

/** What stands where a tool produced nothing but white space: providers refuse an empty tool message. */
const NO_OUTPUT = "(no output)"

/**
 * The most characters of output that leave a toolkit, unless its host says otherwise.
 *
 * @category constants
 * @since 0.1.0
 */
export const MAX_OUTPUT = 100_000

/**
 * The form in which a result leaves the toolkit: an output that is never empty and of at most `maxOutput` characters, and
 * no lone surrogates (they make a request body that providers refuse) in it or in a text part.
 *
 * @category operations
 * @since 0.1.0
 */
export const normalize = (result: ToolResult, maxOutput: number = MAX_OUTPUT): ToolResult => {
  const output = result.output.trim() === "" ? NO_OUTPUT : cut(result.output.toWellFormed(), maxOutput)
  const content = result.content?.some(isIllFormed) ? result.content.map(wellFormed) : result.content
  if (output === result.output && content === result.content) return result
  return { ...result, output, ...(content === undefined ? {} : { content }) }
}

/**
 * The least a host may ask for: what is left of a cut result must still say that it was cut.
 *
 * @category constants
 * @since 0.1.0
 */
export const MIN_MAX_OUTPUT = 200

/** The beginning says what it is, the end how it came out; the middle is what a reader can do without. */
const cut = (text: string, limit: number): string => {
  if (text.length <= limit) return text
  const note = `\n[... ${text.length - limit} or more of ${text.length} characters left out ...]\n`
  const room = Math.max(0, limit - note.length)
  const head = Math.ceil(room / 2)
  // a cut through a surrogate pair leaves half a character, which goes as well
  const kept = [text.slice(0, head), text.slice(text.length - (room - head))]
  return withoutHalves(kept[0], /[\uD800-\uDBFF]$/) + note.slice(0, limit) + withoutHalves(kept[1], /^[\uDC00-\uDFFF]/)
}

const withoutHalves = (text: string | undefined, half: RegExp): string => (text ?? "").replace(half, "")

const isIllFormed = (part: ContentPart): boolean =>
  "text" in part && part.text !== undefined && !part.text.isWellFormed()

const wellFormed = (part: ContentPart): ContentPart =>
  "text" in part && part.text !== undefined ? { ...part, text: part.text.toWellFormed() } : part
