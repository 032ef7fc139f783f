/** Files of environment variables: `NAME=value` a line, `export`, comments and quotes as shells and dotenv have them. */

const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|'([^']*)'|`([^`]*)`|([^\r\n]*))/gm

export const parseEnvFile = (text: string): Record<string, string> => {
  const variables: Record<string, string> = Object.create(null)
  for (const [, name, double, single, back, plain] of text.matchAll(LINE)) {
    if (name === undefined) continue
    variables[name] = double === undefined ? single ?? back ?? withoutComment(plain ?? "") : unescape(double)
  }
  return variables
}

const withoutComment = (value: string): string => value.replace(/(^|\s)#.*$/, "").trim()

const ESCAPES: ReadonlyMap<string, string> = new Map([["n", "\n"], ["r", "\r"], ["t", "\t"]])

const unescape = (value: string): string =>
  value.replace(
    /\\([^])/g,
    (whole, character: string) => ESCAPES.get(character) ?? (`"\\$`.includes(character) ? character : whole)
  )
