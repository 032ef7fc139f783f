/** YAML of unknown origin, within bounds: no deeper than a document is, and aliases never expanded into millions. */
import * as Result from "effect/Result"
import { Composer, type CST, Document, Lexer, Parser } from "yaml"

/** The composer recurses for each level, and each level of a document is one or two of its own. */
const MAX_DEPTH = 500

/** As many as the anchors of a document are used, and a bomb needs more. */
const MAX_ALIASES = 10_000

export const parseYamlText = (text: string): Result.Result<unknown, string> =>
  Result.flatMap(
    Result.try({ try: () => compose(text), catch: () => "it is neither JSON nor YAML" }),
    (document) => {
      if (document === undefined) return Result.fail(`it is nested deeper than ${MAX_DEPTH} levels`)
      const [error] = document.errors
      return error === undefined
        ? Result.try({
          try: (): unknown => document.toJS({ maxAliasCount: MAX_ALIASES }),
          catch: () => "its aliases stand for more than any document holds"
        })
        : Result.fail(`it is no YAML: line ${text.slice(0, error.pos[0]).split("\n").length}: ${error.code}`)
    }
  )

/** The first document of a stream. To tell double keys apart takes squares of time. */
const compose = (text: string): Document | undefined => {
  const parser = new Parser()
  const tokens: Array<CST.Token> = []
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > MAX_DEPTH) return undefined
  }
  for (const token of parser.end()) tokens.push(token)
  const [document] = new Composer({ uniqueKeys: false, merge: true }).compose(tokens, true, text.length)
  return document ?? new Document(null)
}
