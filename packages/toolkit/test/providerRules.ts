/**
 * What each provider of language models accepts as the declaration of a tool, as a checker for tests.
 *
 * It is written from the facts about the providers alone and shares no code with the lowering it judges: a rule both
 * had misread the same way would otherwise pass. So nothing here comes from `src/`, and nothing there may come from
 * here. Where the facts leave a question open, the checker takes the narrower answer.
 *
 * Each `check…` answers with a list of `path: problem`, empty if the provider would accept the tools. The path is a
 * JSON Pointer as a fragment, so that it reads like a `$ref`: `#/0/function/parameters/properties/city`.
 */
import { anthropic, bedrock } from "./providerRules/anthropic.ts"
import { gemini, geminiOpenApi } from "./providerRules/gemini.ts"
import type { Expectation } from "./providerRules/keywords.ts"
import { openAI, openAIStrict } from "./providerRules/openAI.ts"
import {
  at,
  checkJson,
  has,
  isBoolean,
  isList,
  isObject,
  isString,
  keysOf,
  member,
  quoted,
  type Violations
} from "./providerRules/plainJson.ts"
import { checkSchema, type Dialect } from "./providerRules/schemaRules.ts"

interface Declaration {
  readonly path: string
  readonly value: unknown
}

interface Form {
  readonly required: ReadonlyArray<string>
  readonly optional: ReadonlyArray<string>
  readonly schemaAt: ReadonlyArray<string>
  readonly description: Expectation
  readonly dialect: (declaration: unknown) => Dialect
}

const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

const someText: Expectation = { expected: "a string", holds: isString }
const filledText: Expectation = {
  expected: "a string of at least one character",
  holds: (value) => isString(value) && value !== ""
}
const shortText: Expectation = {
  expected: "a string of at most 1024 characters",
  holds: (value) => isString(value) && value.length <= 1024
}

function* checkKeys(
  value: unknown,
  path: string,
  required: ReadonlyArray<string>,
  optional: ReadonlyArray<string> = []
): Violations {
  if (!isObject(value)) yield `${path}: must be an object`
  const present = keysOf(value)
  const known = [...required, ...optional]
  for (const key of required) if (!present.includes(key)) yield `${at(path, key)}: is missing`
  for (const key of present) if (!known.includes(key)) yield `${at(path, key)}: isn't a key here`
}

function* checkConstant(value: unknown, path: string, key: string, expected: string): Violations {
  if (isObject(value) && has(value, key) && value[key] !== expected) {
    yield `${at(path, key)}: must be ${quoted([expected])}`
  }
}

function* checkName(name: unknown, path: string, taken: Set<unknown>): Violations {
  if (!isString(name) || !toolName.test(name)) yield `${path}: doesn't match ${toolName}`
  if (taken.has(name)) yield `${path}: is the name of another tool too`
  taken.add(name)
}

function* checkDeclaration({ path, value }: Declaration, form: Form): Violations {
  yield* checkKeys(value, path, form.required, form.optional)
  const description = member(value, "description")
  if (description !== undefined && !form.description.holds(description)) {
    yield `${at(path, "description")}: must be ${form.description.expected}`
  }
  const strict = member(value, "strict")
  if (strict !== undefined && !isBoolean(strict)) yield `${at(path, "strict")}: must be a boolean`
  const schema = form.schemaAt.reduce(member, value)
  if (schema !== undefined) yield* checkSchema(schema, at(path, ...form.schemaAt), form.dialect(value))
}

function* checkDeclarations(declarations: Iterable<Declaration>, form: Form): Violations {
  const taken = new Set<unknown>()
  for (const declaration of declarations) {
    yield* checkDeclaration(declaration, form)
    yield* checkName(member(declaration.value, "name"), at(declaration.path, "name"), taken)
  }
}

const listed = (list: unknown, path: string): ReadonlyArray<Declaration> =>
  isList(list) ? list.map((value, index) => ({ path: at(path, index), value })) : []

const within = (declarations: ReadonlyArray<Declaration>, key: string): ReadonlyArray<Declaration> =>
  declarations.map(({ path, value }) => ({ path: at(path, key), value: member(value, key) }))

function* checkList(list: unknown, path: string, most: number): Violations {
  if (!isList(list)) yield `${path}: must be a list`
  else if (list.length > most) yield `${path}: more than ${most} tools`
}

/** Only what is plain JSON is looked at further: a rule must not run in circles, nor judge what is never sent. */
const violations = (tools: unknown, check: () => Violations): Array<string> => {
  const found = [...checkJson(tools, "#")]
  return found.length > 0 ? found : [...new Set(check())]
}

const openAIDialect = (declaration: unknown): Dialect => member(declaration, "strict") === true ? openAIStrict : openAI

/** `tools` of Chat Completions: `{ type: "function", function: { name, description?, parameters, strict? } }`. */
export const checkOpenAIChat = (tools: unknown): Array<string> =>
  violations(tools, function*() {
    yield* checkList(tools, "#", 128)
    for (const { path, value } of listed(tools, "#")) {
      yield* checkKeys(value, path, ["type", "function"])
      yield* checkConstant(value, path, "type", "function")
    }
    yield* checkDeclarations(within(listed(tools, "#"), "function"), {
      required: ["name", "parameters"],
      optional: ["description", "strict"],
      schemaAt: ["parameters"],
      description: shortText,
      dialect: openAIDialect
    })
  })

/** `tools` of Responses: `{ type: "function", name, description?, parameters, strict }`. */
export const checkOpenAIResponses = (tools: unknown): Array<string> =>
  violations(tools, function*() {
    yield* checkList(tools, "#", 128)
    for (const { path, value } of listed(tools, "#")) yield* checkConstant(value, path, "type", "function")
    yield* checkDeclarations(listed(tools, "#"), {
      required: ["type", "name", "parameters", "strict"],
      optional: ["description"],
      schemaAt: ["parameters"],
      description: shortText,
      dialect: openAIDialect
    })
  })

/** `tools` of Messages: `{ name, description?, input_schema }`. */
export const checkAnthropic = (tools: unknown): Array<string> =>
  violations(tools, function*() {
    yield* checkList(tools, "#", Infinity)
    yield* checkDeclarations(listed(tools, "#"), {
      required: ["name", "input_schema"],
      optional: ["description"],
      schemaAt: ["input_schema"],
      description: someText,
      dialect: () => anthropic
    })
  })

const checkFunctionDeclarations = (tools: unknown, schemaKey: string, dialect: Dialect): Array<string> =>
  violations(tools, function*() {
    if (!isList(tools) || tools.length !== 1) {
      yield "#: must be a list of exactly one element"
      return
    }
    const path = "#/0/functionDeclarations"
    const declarations = member(tools[0], "functionDeclarations")
    yield* checkKeys(tools[0], "#/0", ["functionDeclarations"])
    yield* checkList(declarations, path, 512)
    // Vertex answers 400 to an empty list.
    if (isList(declarations) && declarations.length === 0) yield `${path}: must not be empty`
    yield* checkDeclarations(listed(declarations, path), {
      required: ["name", "description", schemaKey],
      optional: [],
      schemaAt: [schemaKey],
      description: filledText,
      dialect: () => dialect
    })
  })

/** One `{ functionDeclarations: [{ name, description, parametersJsonSchema }] }`. */
export const checkGemini = (tools: unknown): Array<string> =>
  checkFunctionDeclarations(tools, "parametersJsonSchema", gemini)

/** One `{ functionDeclarations: [{ name, description, parameters }] }`, in the OpenAPI subset. */
export const checkGeminiOpenApi = (tools: unknown): Array<string> =>
  checkFunctionDeclarations(tools, "parameters", geminiOpenApi)

/** `toolConfig.tools` of Converse: `{ toolSpec: { name, description, inputSchema: { json } } }`. */
export const checkBedrock = (tools: unknown): Array<string> =>
  violations(tools, function*() {
    const specifications = within(listed(tools, "#"), "toolSpec")
    yield* checkList(tools, "#", Infinity)
    for (const { path, value } of listed(tools, "#")) yield* checkKeys(value, path, ["toolSpec"])
    for (const { path, value } of within(specifications, "inputSchema")) yield* checkKeys(value, path, ["json"])
    yield* checkDeclarations(specifications, {
      required: ["name", "description", "inputSchema"],
      optional: [],
      schemaAt: ["inputSchema", "json"],
      description: filledText,
      dialect: () => bedrock
    })
  })
