/** Everything a local server needs to be started, expanded. */
import { Environment, inheritable, type Variables } from "@effect-toolnexus/core/Environment"
import * as Expansion from "@effect-toolnexus/core/Expansion"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { LocalServer, ResolvedServer } from "../McpConfig.ts"
import { entryError } from "./entryError.ts"
import { parseEnvFile } from "./envFile.ts"

export const resolveServer = Effect.fnUntraced(function*(server: LocalServer) {
  const expand = (field: string, text: string) =>
    Effect.mapError(
      Expansion.expand(text, { folder: server.folder }),
      (error) => entryError(server.name, "config", `${field}: ${error.message}`)
    )
  const command = yield* expand("command", server.command)
  const args = yield* Effect.forEach(server.args, (arg, index) => expand(`args[${index}]`, arg))
  const own: Record<string, string> = Object.create(null)
  if (server.envFile !== undefined) {
    Object.assign(own, yield* readEnvFile(server, yield* expand("envFile", server.envFile)))
  }
  for (const [name, value] of Object.entries(server.env)) own[name] = yield* expand(`env.${name}`, value)
  const cwd = server.cwd === undefined
    ? undefined
    : yield* findDirectory(server, yield* expand("cwd", server.cwd))
  const variables = yield* Environment
  const resolved: ResolvedServer = {
    name: server.name,
    command,
    args,
    env: { ...inheritable(variables, server.inheritEnv ? Object.keys(variables) : []), ...own },
    ...(cwd === undefined ? {} : { cwd }),
    shutdown: server.shutdown,
    secrets: secretsOf(server, args, own, variables)
  }
  return resolved
})

const readEnvFile = Effect.fnUntraced(function*(server: LocalServer, file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = yield* Effect.mapError(
    fs.readFileString(path.resolve(server.folder, file)),
    (error) => entryError(server.name, "config", `envFile: ${server.envFile} can't be read: ${error.reason._tag}`)
  )
  return parseEnvFile(text)
})

/**
 * Node reports a missing directory as if the command were missing, so it is looked at before. It is named as it was
 * written: what a variable stands for is not for messages.
 */
const findDirectory = Effect.fnUntraced(function*(server: LocalServer, cwd: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = path.resolve(server.folder, cwd)
  const fail = (problem: string) =>
    entryError(server.name, "spawn", `cwd: ${server.cwd} ${problem} (relative to ${server.folder})`)
  const stat = yield* Effect.mapError(fs.stat(directory), (error) => fail(`can't be used: ${error.reason._tag}`))
  return stat.type === "Directory" ? directory : yield* fail("is not a directory")
})

/** Shorter texts are flags and numbers, and occur everywhere. */
const SHORTEST_SECRET = 6

/**
 * The values of the server's own environment, and what variables put into its arguments; folders are known anyway, and
 * an error without them helps nobody.
 */
const secretsOf = (
  server: LocalServer,
  args: ReadonlyArray<string>,
  own: Readonly<Record<string, string>>,
  variables: Variables
): ReadonlyArray<string> => {
  const expanded = args.map((arg, index) => insertedText(server.args[index] ?? "", arg))
  const known = new Set([server.folder, variables["HOME"]])
  return [...Object.values(own), ...expanded]
    .filter((text) => text.length >= SHORTEST_SECRET && !known.has(text))
    // the longest first, so that no part of one is left beside a shorter one
    .toSorted((left, right) => right.length - left.length)
}

/** What expansion put between the ends that stayed as they were. */
const insertedText = (raw: string, expanded: string): string => {
  if (raw === expanded) return ""
  let start = 0
  while (start < raw.length && raw[start] === expanded[start]) start++
  let end = 0
  while (end < raw.length - start && end < expanded.length - start && raw.at(-1 - end) === expanded.at(-1 - end)) end++
  return expanded.slice(start, expanded.length - end)
}
