/** Everything a local server needs to be started, expanded. */
import * as EntryTexts from "@effect-toolnexus/core/EntryTexts"
import { Environment, inheritable, type Variables } from "@effect-toolnexus/core/Environment"
import * as TextFile from "@effect-toolnexus/core/TextFile"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { LocalServer, ResolvedServer } from "../McpConfig.ts"
import { entryError } from "./entryError.ts"
import { parseEnvFile } from "./envFile.ts"

export const resolveServer = Effect.fnUntraced(function*(server: LocalServer) {
  const { expand, secrets } = EntryTexts.make({ kind: "mcp", entry: server.name, folder: server.folder })
  const command = yield* expand("command", server.command)
  const args = yield* Effect.forEach(server.args, (arg, index) => expand(`args[${index}]`, arg))
  const own: Record<string, string> = Object.create(null)
  if (server.envFile !== undefined) {
    Object.assign(own, yield* readEnvFile(server, (yield* expand("envFile", server.envFile)).text))
  }
  for (const [name, value] of Object.entries(server.env)) own[name] = (yield* expand(`env.${name}`, value)).text
  const cwd = server.cwd === undefined ? undefined : yield* expand("cwd", server.cwd)
  const variables = yield* Environment
  const inherited = inheritable(variables, server.inheritEnv ? Object.keys(variables).filter(isMeantForOthers) : [])
  const resolved: ResolvedServer = {
    name: server.name,
    label: server.command,
    command: command.text,
    args: args.map(({ text }) => text),
    env: { ...inherited, ...own },
    ...(cwd === undefined ? {} : { cwd: yield* findDirectory(server, cwd.text) }),
    shutdown: server.shutdown,
    shown: {
      command: command.shown,
      args: args.map(({ shown }) => shown),
      ...(cwd === undefined ? {} : { cwd: cwd.shown })
    },
    secrets: withoutFolders([...secrets, ...Object.values(own), ...secretsAmong(inherited)], server, variables)
  }
  return resolved
})

/** What npm tells the script that it runs is about that script: with its log level an `npx` would say nothing at all. */
const isMeantForOthers = (name: string): boolean =>
  !/^npm_(?:lifecycle_|package_|config_loglevel$|command$)/i.test(name)

/** A process is given no environment much larger than that; a longer file is no list of variables. */
const MAX_ENV_FILE_BYTES = 256 * 1024

/** The file is named as it was written: what a variable stands for is not for messages. */
const readEnvFile = Effect.fnUntraced(function*(server: LocalServer, file: string) {
  const path = yield* Path.Path
  const text = yield* Effect.mapError(
    TextFile.read(path.resolve(server.folder, file), MAX_ENV_FILE_BYTES),
    ({ message }) => entryError(server.name, "config", `envFile: ${server.envFile} ${message}`)
  )
  return parseEnvFile(text)
})

/** Node reports a missing directory as if the command were missing, so it is looked at before. */
const findDirectory = Effect.fnUntraced(function*(server: LocalServer, cwd: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = path.resolve(server.folder, cwd)
  const fail = (problem: string) =>
    entryError(server.name, "spawn", `cwd: ${server.cwd} ${problem} (relative to ${server.folder})`)
  const stat = yield* Effect.mapError(
    fs.stat(directory),
    ({ reason }) => fail(`can't be used: ${reason._tag === "NotFound" ? "there is no such directory" : reason._tag}`)
  )
  return stat.type === "Directory" ? directory : yield* fail("is not a directory")
})

/** Of a whole environment only what its names say is secret: the rest is paths and settings, which errors are about. */
const SECRET_NAME =
  /TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|WEBHOOK|DSN|KEYS?$|(?:^|_)(?:KEYS?|PASS|PAT|.*[^_]PWD)(?:_|$)|_PWD$/i

/** Where a shell was and is, which its name would give away. */
const NO_SECRETS: ReadonlySet<string> = new Set(["PWD", "OLDPWD"])

/** With a user or a password in it. */
const HAS_CREDENTIALS = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]*@/i

const secretsAmong = (variables: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(variables).flatMap(([name, value]) =>
    !NO_SECRETS.has(name) && SECRET_NAME.test(name) || HAS_CREDENTIALS.test(value) ? [value] : []
  )

/** These are known anyway, and an error in which they are blotted out helps nobody. */
const withoutFolders = (texts: ReadonlyArray<string>, { folder }: LocalServer, variables: Variables) =>
  [...new Set(texts)].filter((text) => text !== folder && text !== variables["HOME"])
