/** Which paths a glob means: of its own to `glob`, of `include` to `grep`. Linear in path and pattern, whatever they are. */
import * as Data from "effect/Data"
import * as Glob from "effect/Glob"
import * as Result from "effect/Result"
import { copied, decoded } from "./shownPath.ts"

export class BadPattern extends Data.TaggedError("BadPattern")<{ readonly detail: string }> {}

export interface PathPattern {
  /** A glob for the name of a file that ripgrep may look for itself: whatever it leaves out doesn't match. */
  readonly name: string | undefined
  /**
   * Whether a path, relative to the folder that is searched, is meant; hidden ones never are. It is a character for each
   * byte of UTF-8, and read only where that makes a difference.
   */
  readonly matches: (path: string) => boolean
}

export const isHidden = (path: string): boolean => path.startsWith(".") || path.includes("/.")

export const everything: PathPattern = { name: undefined, matches: (path) => !isHidden(path) }

/** A file that was named by itself, hidden or not. */
export const named: PathPattern = { name: undefined, matches: () => true }

/** Longer than any that is meant. */
const MAX_LENGTH = 1000

export const parse = (text: string): Result.Result<PathPattern, BadPattern> => {
  const refuse = (detail: string) => Result.fail(new BadPattern({ detail }))
  if (text === "") return refuse("is empty; `**` means every file")
  if (text.length > MAX_LENGTH) return refuse(`is longer than ${MAX_LENGTH} characters`)
  if (text.includes("\0")) return refuse("can't contain NUL")
  if (alternatives(text) > MAX_ALTERNATIVES) return refuse(`has braces for more than ${MAX_ALTERNATIVES} patterns`)
  if (text.startsWith("/")) return refuse("is relative to the folder that is searched; name that by \"path\"")
  if (text.split("/").includes("..")) {
    return refuse("can't lead out of the folder that is searched; name another by \"path\"")
  }
  return Result.succeed(compile(text.replace(/^(?:\.\/+)+/, "").replace(/(^|\/)\*\*$/, "$1**/*")))
}

/** Each path may have to be held against each of them. */
const MAX_ALTERNATIVES = 100

/** How many patterns without braces a pattern stands for; where braces are only characters it may be fewer. */
const alternatives = (pattern: string): number => {
  const outer: Array<readonly [sum: number, product: number]> = []
  let [sum, product] = [0, 1]
  const close = () => {
    const [outerSum, outerProduct] = outer.pop() ?? [0, 1]
    product = outerProduct * (sum + product)
    sum = outerSum
  }
  for (const [character] of pattern.matchAll(/\\.|[{},]/gs)) {
    if (character === "{") {
      outer.push([sum, product])
      sum = 0
      product = 1
    } else if (outer.length > 0 && character === ",") {
      sum += product
      product = 1
    } else if (outer.length > 0 && character === "}") close()
  }
  while (outer.length > 0) close()
  return product
}

/** Characters, stars, and alternatives of these: what every dialect of globs reads the same way. */
const PLAIN = /^(?:[\w.*?-]|\{[\w.*?-]*(?:,[\w.*?-]*)+\})+$/

const compile = (pattern: string): PathPattern => {
  const slash = pattern.lastIndexOf("/")
  const name = pattern.slice(slash + 1)
  const folder = pattern.slice(0, Math.max(0, slash))
  const isPlain = PLAIN.test(name) && !name.includes("**")
  if (slash === -1) return anywhere(pattern, isPlain)
  // a slash inside of braces or brackets parts nothing
  const isParted = !/[[\]\\]/.test(folder) && folder.split("{").length === folder.split("}").length
  if (isPlain && isParted) return inFolder(folder, name)
  const glob = Glob.make(pattern)
  return { name: undefined, matches: (path) => !isHidden(path) && Glob.match(glob, decoded(path)) }
}

const anywhere = (name: string, isPlain: boolean): PathPattern => {
  if (isPlain) return { ...everything, name: nameOrAny(name) }
  const glob = Glob.make(name)
  return {
    name: undefined,
    matches: (path) => !isHidden(path) && Glob.match(glob, decoded(path.slice(path.lastIndexOf("/") + 1)))
  }
}

const nameOrAny = (name: string): string | undefined => name === "*" ? undefined : name

/** The name is ripgrep's to judge, and most files share their folder with the one before. */
const inFolder = (folder: string, name: string): PathPattern => {
  const isAny = /^\*\*(?:\/\*\*)*$/.test(folder)
  const glob = Glob.make(folder)
  const known = new Map<string, boolean>()
  const isMeant = (path: string): boolean => {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")))
    const seen = known.get(parent)
    if (seen !== undefined) return seen
    if (known.size >= MAX_KNOWN) known.clear()
    const found = parent !== "" && Glob.match(glob, decoded(parent))
    known.set(copied(parent), found)
    return found
  }
  return { name: nameOrAny(name), matches: (path) => !isHidden(path) && (isAny || isMeant(path)) }
}

const MAX_KNOWN = 10_000
