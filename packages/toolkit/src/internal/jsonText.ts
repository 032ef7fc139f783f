/** JSON as people write configurations: with comments, trailing commas and a byte order mark. */
import * as Result from "effect/Result"
import { createScanner, getNodeValue, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"

/** Where and what: `line` and `column` count from 1. */
export interface SyntaxProblem {
  readonly line: number
  readonly column: number
  readonly problem: string
}

/** Text that begins with `{`, after a byte order mark, white space and comments, is JSON; anything else is a path. */
export const isJsonText = (text: string): boolean => {
  const skipped = /\s+|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//y
  let position = text.startsWith("\uFEFF") ? 1 : 0
  for (;;) {
    skipped.lastIndex = position
    const match = skipped.exec(text)
    if (match === null) return text[position] === "{"
    position += match[0].length
  }
}

/** Deeper than any configuration; the parser's own depth ends with the stack. */
const MAX_DEPTH = 200

/** Objects of the result have no prototype: `__proto__` is a name like any. */
export const parseJsonText = (text: string): Result.Result<unknown, SyntaxProblem> => {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text
  const tooDeep = findTooDeep(body)
  if (tooDeep !== undefined) return Result.fail({ ...locate(body, tooDeep), problem: `more than ${MAX_DEPTH} levels` })
  const errors: Array<ParseError> = []
  const tree = parseTree(body, errors, { allowTrailingComma: true, disallowComments: false })
  const [first] = errors
  if (first !== undefined) {
    return Result.fail({ ...locate(body, first.offset), problem: spellOut(printParseErrorCode(first.error)) })
  }
  if (tree === undefined) return Result.fail({ ...locate(body, 0), problem: "value expected" })
  return Result.succeed(getNodeValue(tree))
}

/** Where the bound on depth is passed, token by token and without recursion. */
const findTooDeep = (text: string): number | undefined => {
  const scanner = createScanner(text, true)
  let depth = 0
  while (scanner.getPosition() < text.length) {
    scanner.scan()
    const first = text[scanner.getTokenOffset()]
    if (first === "{" || first === "[") depth++
    if (first === "}" || first === "]") depth--
    if (depth > MAX_DEPTH) return scanner.getTokenOffset()
  }
  return undefined
}

const locate = (text: string, offset: number) => {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** `CommaExpected` reads better as "comma expected". */
const spellOut = (code: string): string => code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()
