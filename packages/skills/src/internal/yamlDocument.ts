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
  type YAMLMap
} from "yaml"
import type { CST, YAMLError } from "yaml"
import { ALLOWED_TOOLS, MAX_TOLD } from "./openFormat.ts"

/**
 * The composer recurses for each level of nesting, and a stack that is nearly full when it compiles a regular
 * expression ends the process. Heads nest two or three levels.
 */
const MAX_DEPTH = 64

/** A top-level mapping by its keys; a value that is an alias stands for what it names. */
export interface YamlMapping {
  readonly fields: ReadonlyMap<string, unknown>
  /** The line of the file on which a field stands. */
  readonly lineOf: (name: string) => number | undefined
  readonly warnings: ReadonlyArray<string>
}

/** Each look-up of an alias walks the whole document, so only these few are followed. */
const FIELDS_IN_USE = ["name", "description", "license", "compatibility", "metadata", ...ALLOWED_TOOLS]

/** An empty document counts as an empty mapping. */
export const parseMapping = (source: string): Result.Result<YamlMapping, string> =>
  Result.flatMap(compose(source), (document) => {
    const [error] = document.errors
    if (error !== undefined) return Result.fail(`${at(source, error)}; ${adviceOn(error)}`)
    if (document.contents === null || isBlank(document.contents)) return mappingOf(document, source, [])
    return isMap(document.contents)
      ? mappingOf(document, source, document.contents.items)
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

/** No document where the nesting is too deep. Keys are checked by {@link mappingOf}: the composer needs squares of time. */
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

const mappingOf = (
  document: Document.Parsed,
  source: string,
  items: ReadonlyArray<YAMLMap.Parsed["items"][number]>
): Result.Result<YamlMapping, string> => {
  const fields = new Map<string, unknown>()
  const offsets = new Map<string, number>()
  for (const { key, value } of items) {
    const name = textOf(key)
    if (name === undefined) continue
    if (fields.has(name)) {
      return Result.fail(`line ${lineAt(source, key.range[0])}: the field ${name} is there twice; keep one of them`)
    }
    fields.set(name, value)
    offsets.set(name, key.range[0])
  }
  for (const name of FIELDS_IN_USE) {
    const value = fields.get(name)
    if (isAlias(value)) fields.set(name, value.resolve(document))
  }
  const lineOf = (name: string) => {
    const offset = offsets.get(name)
    return offset === undefined ? undefined : lineAt(source, offset)
  }
  const warnings = document.warnings.slice(0, MAX_TOLD).map((warning) => at(source, warning))
  return Result.succeed({ fields, lineOf, warnings })
}

const isBlank = (node: ParsedNode): boolean => isScalar(node) && node.value === null

/** The text of a scalar as it was written, so that `1.0` and `yes` stay what they are; nothing for null and the rest. */
export const textOf = (node: unknown): string | undefined => {
  if (!isScalar(node)) return undefined
  const { source, value } = node
  if (typeof value === "string") return value.toWellFormed()
  return value === null || value === undefined ? undefined : source
}

/** The texts of a list; nothing if it isn't one, or holds anything else. */
export const listOf = (node: unknown): ReadonlyArray<string> | undefined => {
  if (!isSeq(node)) return undefined
  const texts = node.items.map(textOf).filter((text) => text !== undefined)
  return texts.length === node.items.length ? texts : undefined
}

/** The fields of a nested mapping that are text, and whether that is all of them. */
export const recordOf = (node: unknown) => {
  const record = emptyRecord()
  if (!isMap(node)) return { record, isWhole: false }
  let isWhole = true
  for (const { key, value } of node.items) {
    const name = textOf(key)
    const text = textOf(value)
    if (name === undefined || text === undefined) isWhole = false
    else record[name] ??= text
  }
  return { record, isWhole }
}

/** Without a prototype: `__proto__` is a key like any. */
const emptyRecord = (): Record<string, string> => Object.create(null)

const at = (source: string, { message, pos }: { readonly message: string; readonly pos: [number, number] }): string =>
  `line ${lineAt(source, pos[0])}: ${message}`

/** The line in the file: the front matter begins on its second. */
const lineAt = (source: string, offset: number): number => source.slice(0, offset).split("\n").length + 1
