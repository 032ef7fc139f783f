/**
 * `--server 'COMMAND'` into what a configuration takes: words split as a shell splits them, nothing expanded, and a
 * name for the server; and a name for the one of `--url`.
 */
import * as Result from "effect/Result"

/** A command line split into its program and its arguments. */
export type Words = readonly [command: string, ...args: ReadonlyArray<string>]

/**
 * Words and quotes as POSIX has them: `'...'` is literal; in `"..."` a backslash takes the meaning from `$`, a back
 * quote, `"`, `\` and a line break; outside of quotes from any character. Variables, globs, `~` and operators are plain
 * text.
 */
export const split = (line: string): Result.Result<Words, string> => {
  const words: Array<string> = []
  let word: string | undefined
  let end = 0
  for (const match of line.matchAll(PIECE)) {
    if (match.index !== end) break
    end += match[0].length
    const { blank, double, escaped, plain, single } = match.groups ?? {}
    if (blank === undefined) {
      word = `${word ?? ""}${plain ?? single ?? unescape(double) ?? escaped ?? ""}`
    } else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  if (end < line.length) return Result.fail(`a quote or backslash is not closed: ${line.slice(end)}`)
  const [command, ...args] = word === undefined ? words : [...words, word]
  return command === undefined || command === "" ? Result.fail("there is no command in it") : Result.succeed([
    command,
    ...args
  ])
}

const PIECE = new RegExp(
  [
    String.raw`(?<blank>\s+)`,
    String.raw`(?<plain>[^\s'"\\]+)`,
    String.raw`'(?<single>[^']*)'`,
    String.raw`"(?<double>(?:[^"\\]|\\[^])*)"`,
    String.raw`\\(?<escaped>[^])`
  ].join("|"),
  "g"
)

const unescape = (text: string | undefined): string | undefined =>
  text?.replaceAll(/\\([$`"\\\n])/g, (_, character: string) => character === "\n" ? "" : character)

/** Programs that only start another one: it gives the server its name. */
const LAUNCHERS = new Set(
  "node npx npm pnpm pnpx yarn bun bunx deno tsx ts-node python python3 uv uvx pipx ruby sh bash env".split(" ")
)

/** What stands between a launcher and what it starts. */
const VERBS = new Set(["dlx", "exec", "run", "tool", "x"])

/** Their next word is a program's text and no name. */
const TEXT_FLAGS = new Set(["-e", "-c", "-p", "--eval", "--print"])

/**
 * The name of the server that a command starts: the last path segment of the program, or of what a launcher like `npx`
 * or `node` starts, without version and extension.
 */
export const serverName = ([command, ...args]: Words): string => {
  const program = lastSegment(command)
  return LAUNCHERS.has(program) ? started(args) ?? program : program
}

const started = (args: ReadonlyArray<string>): string | undefined => {
  for (const arg of args) {
    if (TEXT_FLAGS.has(arg)) return undefined
    if (!arg.startsWith("-") && !VERBS.has(arg) && !/^\w+=/.test(arg)) return lastSegment(arg)
  }
  return undefined
}

const lastSegment = (path: string): string => {
  const segment = path.split(/[/\\]/).findLast((part) => part !== "") ?? path
  const name = segment.replace(/(?<=.)(?:@|==)[^@]*$/, "").replace(/(?<=.)\.(?:[cm]?[jt]sx?|py|rb|sh|exe|cmd)$/i, "")
  return name === "" ? segment : name
}

/** The name of the server behind a URL, its host; `undefined` where it is none. A host that is a variable has no name yet. */
export const hostName = (url: string): string | undefined => {
  if (!/^https?:\/\//i.test(url)) return undefined
  return Result.match(Result.try(() => new URL(url).hostname), {
    onFailure: () => url.includes("${") ? "remote" : undefined,
    onSuccess: (host) => host.includes("$") ? "remote" : host
  })
}

/** `name`, or the first of `name-2`, `name-3`, ... that isn't taken. */
export const distinctName = (name: string, taken: ReadonlySet<string>): string => {
  let distinct = name
  for (let count = 2; taken.has(distinct); count++) distinct = `${name}-${count}`
  return distinct
}

/**
 * Text that a configuration's expansion leaves as it is: the shell has expanded the command line already, and what is
 * still in it is meant for the server.
 */
export const literal = (text: string): string =>
  text.replaceAll("${", () => "$${").replaceAll(/\{(?=env:|file:)/g, () => "{${TOOLNEXUS_LITERAL:-}")
