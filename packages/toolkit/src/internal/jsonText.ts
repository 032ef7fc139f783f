/** JSON as people write configurations: with comments, trailing commas and a byte order mark. */
import * as Result from "effect/Result"
import { getNodeValue, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"

/** Where and what: `line` and `column` count from 1. */
export interface SyntaxProblem {
  readonly line: number
  readonly column: number
  readonly problem: string
}

/** Text that begins with `{`, after a byte order mark, white space and comments, is JSON; anything else is a path. */
export const isJsonText = (text: string): boolean =>
  /^\uFEFF?(?:\s|\/\/[^\n\r]*(?:[\n\r]|$)|\/\*[\s\S]*?\*\/)*\{/.test(text)

/** Objects of the result have no prototype: `__proto__` is a name like any. */
export const parseJsonText = (text: string): Result.Result<unknown, SyntaxProblem> => {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text
  const errors: Array<ParseError> = []
  const tree = parseTree(body, errors, { allowTrailingComma: true, disallowComments: false })
  const [first] = errors
  if (first !== undefined) return Result.fail(locate(body, first.offset, printParseErrorCode(first.error)))
  if (tree === undefined) return Result.fail(locate(body, 0, "ValueExpected"))
  return Result.succeed(getNodeValue(tree))
}

const locate = (text: string, offset: number, code: string): SyntaxProblem => {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem: spellOut(code) }
}

/** `CommaExpected` reads better as "comma expected". */
const spellOut = (code: string): string => code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()
