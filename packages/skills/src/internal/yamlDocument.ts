/**
 * YAML of unknown origin, read within bounds: never throws, never expands an alias into a copy, and never nests deeper
 * than a head has reason to.
 */
import * as Result from "effect/Result"
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLMap,
  type YAMLSeq
} from "yaml"
import type { CST, YAMLError } from "yaml"
import type { Fields, Value } from "./fields.ts"
import { ALLOWED_TOOLS, MAX_TOLD } from "./openFormat.ts"

/**
 * The composer recurses for each level of nesting, and a stack that is nearly full when it compiles a regular
 * expression ends the process. Heads nest two or three levels.
 */
const MAX_DEPTH = 64

/** Of others only the names matter; and each look-up of an alias walks the whole document. */
export const FIELDS_IN_USE: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  ...ALLOWED_TOOLS
])

/** An empty document counts as an empty mapping. */
export const readYaml = (source: string): Result.Result<Fields, string> =>
  Result.flatMap(compose(source), (document) => {
    const [error] = document.errors
    if (error !== undefined) return Result.fail(`${at(source, error)}; ${adviceOn(error)}`)
    if (document.contents === null || isBlank(document.contents)) return fieldsOf(document, source, [])
    return isMap(document.contents)
      ? fieldsOf(document, source, document.contents.items)
      : Result.fail("the front matter is not a mapping of fields")
  })

/** What to do about it: mostly it is text that means something in YAML. */
const adviceOn = ({ code }: YAMLError): string =>
  code === "TAB_AS_INDENT"
    ? "indent with blanks"
    : "put text that holds a colon, or begins with a special character, in quotes"

/** Whether a piece of YAML has no errors of its own. */
export const isSound = (source: string): boolean =>
  Result.match(compose(source), { onFailure: () => false, onSuccess: ({ errors }) => errors.length === 0 })

const compose = (source: string): Result.Result<Document.Parsed, string> =>
  Result.flatMap(
    Result.try({ try: () => composeAll(source), catch: (cause) => `it is no YAML: ${String(cause)}` }),
    ([document, ...others]) => {
      if (document === undefined) return Result.fail(`it is nested deeper than ${MAX_DEPTH} levels`)
      return others.length > 0 ? Result.fail("it holds more than one YAML document") : Result.succeed(document)
    }
  )

/** No document where the nesting is too deep. Keys are checked by {@link fieldsOf}: the composer needs squares of time. */
const composeAll = (source: string): ReadonlyArray<Document.Parsed> => {
  const tokens = tokensOf(source)
  if (tokens === undefined) return []
  return Array.from(new Composer({ uniqueKeys: false }).compose(tokens, true, source.length)).filter(isParsed)
}

const isParsed = (document: Document): document is Document.Parsed => document.range !== undefined

const tokensOf = (source: string): Array<CST.Token> | undefined => {
  const parser = new Parser()
  const tokens: Array<CST.Token> = []
  for (const lexeme of new Lexer().lex(source)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > MAX_DEPTH) return undefined
  }
  for (const token of parser.end()) tokens.push(token)
  return tokens
}

const fieldsOf = (
  document: Document.Parsed,
  source: string,
  items: ReadonlyArray<YAMLMap.Parsed["items"][number]>
): Result.Result<Fields, string> => {
  const nodes = new Map<string, unknown>()
  const offsets = new Map<string, number>()
  for (const { key, value } of items) {
    const name = textOf(key)
    if (name === undefined) continue
    if (nodes.has(name)) {
      return Result.fail(`line ${lineAt(source, key.range[0])}: the field ${name} is there twice; keep one of them`)
    }
    nodes.set(name, value)
    offsets.set(name, key.range[0])
  }
  const values = new Map(
    Array.from(nodes, ([name, node]) => [name, FIELDS_IN_USE.has(name) ? valueOf(document, node) : {}])
  )
  const lineOf = (name: string) => {
    const offset = offsets.get(name)
    return offset === undefined ? undefined : lineAt(source, offset)
  }
  const warnings = document.warnings.slice(0, MAX_TOLD).map((warning) => at(source, warning))
  return Result.succeed({ values, lineOf, warnings })
}

/** An alias stands for what it names; one within a list or a record doesn't. */
const valueOf = (document: Document.Parsed, node: unknown): Value => {
  const value = isAlias(node) ? node.resolve(document) : node
  if (isMap(value)) return recordOf(value)
  if (isSeq(value)) return listOf(value)
  const text = textOf(value)
  return text === undefined ? {} : { text }
}

const isBlank = (node: ParsedNode): boolean => isScalar(node) && node.value === null

/** The text of a scalar as it was written, so that `1.0` and `yes` stay what they are; nothing for null and the rest. */
const textOf = (node: unknown): string | undefined => {
  if (!isScalar(node)) return undefined
  const { source, value } = node
  if (typeof value === "string") return value.toWellFormed()
  return value === null || value === undefined ? undefined : source
}

/** Nothing if it holds anything but texts. */
const listOf = ({ items }: YAMLSeq): Value => {
  const list = items.map(textOf).filter((text) => text !== undefined)
  return list.length === items.length ? { list } : {}
}

/** The fields of a nested mapping that are text, and whether that is all of them. */
const recordOf = ({ items }: YAMLMap): Value => {
  const record = new Map<string, string>()
  let isWhole = true
  for (const { key, value } of items) {
    const name = textOf(key)
    const text = textOf(value)
    if (name === undefined || text === undefined) isWhole = false
    else if (!record.has(name)) record.set(name, text)
  }
  return { record, isWhole }
}

const at = (source: string, { message, pos }: { readonly message: string; readonly pos: [number, number] }): string =>
  `line ${lineAt(source, pos[0])}: ${message}`

/** The line in the file: the front matter begins on its second. */
const lineAt = (source: string, offset: number): number => source.slice(0, offset).split("\n").length + 1
