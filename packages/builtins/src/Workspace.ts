/**
 * Where the shell and the file tools work: a file system, the processes beside it, the folder that relative paths start
 * from, and what may not be done there. Every builtin that takes a path asks this service, so that confinement is
 * decided in one place (CONTRACT 7), and a host can put another place behind the same tools.
 *
 * **Details**
 *
 * - A path is resolved through symbolic links, also when it doesn't exist yet. With a root `..`, an absolute path, a
 *   link that leads out and a dangling link that would are refused alike. Without a root nothing is confined.
 * - Whoever changes files does so within `withLocks`, by real path: calls that come by different names wait for each other.
 *
 * **Gotchas**
 *
 * Confinement holds for the file tools and for the working directory of `bash`; what a shell command opens itself it
 * can't hold. A process that swaps a folder for a link between the check and the use is not defended against. Two hard
 * links are two files here: a changed file is replaced, and the other name keeps what was there.
 *
 * @since 0.1.0
 */
import { Text } from "@effect-toolnexus/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { makeLocks, type PathLocks } from "./internal/pathLocks.ts"

/**
 * A path that can't be used here. `detail` says why, in words for the model that gave the path.
 *
 * @category errors
 * @since 0.1.0
 */
export class WorkspaceError extends Schema.TaggedError<WorkspaceError>("@effect-toolnexus/builtins/WorkspaceError")(
  "WorkspaceError",
  { path: Schema.String, detail: Schema.String }
) {
  override get message(): string {
    return `${this.path}: ${this.detail}`
  }
}

/**
 * @category models
 * @since 0.1.0
 */
export interface WorkspaceOptions {
  /** The folder that confines everything, relative to the workspace's directory. Default: none, nothing is confined. */
  readonly root?: string
  /** Whether nothing may be changed. Default: false. */
  readonly readOnly?: boolean
}

/**
 * **Example** (Another file system behind the builtins)
 *
 * ```ts
 * const InContainer = Workspace.layer({ root: "/work" }).pipe(
 *   Layer.provide([containerFiles, containerProcesses, Path.layer])
 * )
 * const MyToolkit = Layer.provide(ToolkitLive({ config }), InContainer)
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Workspace extends Context.Service<Workspace, {
  /** The confining folder, absolute, links resolved. */
  readonly root: string | undefined
  /** Where relative paths start: the root, else the working directory. Absolute. */
  readonly directory: string
  /** Whether `resolveForWriting` refuses everything, and tools that change something aren't offered. */
  readonly isReadOnly: boolean
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly spawner: ChildProcessSpawner["Service"]
  /** The real path to read what a model wrote by. It need not exist. */
  readonly resolve: (path: string) => Effect.Effect<string, WorkspaceError>
  /** The same for a path that is to be changed: not what is shared, and nothing in a read-only workspace. */
  readonly resolveForWriting: (path: string) => Effect.Effect<string, WorkspaceError>
  /** Lets `resolve` through to one file outside of the root, by its real path, until the scope closes. */
  readonly share: (realPath: string) => Effect.Effect<void, never, Scope.Scope>
  /** Runs an effect while nobody else holds any of these real paths. */
  readonly withLocks: PathLocks
}>()("@effect-toolnexus/builtins/Workspace") {
  /** A workspace on a file system, with the processes beside it. Fails when `root` isn't an existing folder. */
  static readonly make = (
    options?: WorkspaceOptions
  ): Effect.Effect<
    Workspace["Service"],
    WorkspaceError,
    FileSystem.FileSystem | Path.Path | ChildProcessSpawner
  > => Effect.flatMap(open, (workspace) => Workspace.narrow(workspace, options))

  /**
   * The same place with less allowed: what the workspace refuses stays refused. Locks are shared, so that two views of
   * one place don't get in each other's way.
   */
  static readonly narrow = (
    workspace: Workspace["Service"],
    { readOnly = false, root }: WorkspaceOptions = {}
  ): Effect.Effect<Workspace["Service"], WorkspaceError> => {
    const narrowed = readOnly ? withoutWriting(workspace) : workspace
    return root === undefined ? Effect.succeed(narrowed) : confined(narrowed, root)
  }

  /** {@link Workspace.make} as a layer. */
  static readonly layer = (
    options?: WorkspaceOptions
  ): Layer.Layer<Workspace, WorkspaceError, FileSystem.FileSystem | Path.Path | ChildProcessSpawner> =>
    Layer.effect(Workspace, Workspace.make(options))
}

/** Everything is allowed. */
const open = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = path.resolve(".")
  const resolve = Effect.fnUntraced(function*(wanted: string) {
    yield* checkText(wanted)
    const real = yield* realPath(fs, path, path.resolve(directory, wanted), MAX_LINKS)
    return real ?? (yield* new WorkspaceError({ path: wanted, detail: "too many symbolic links" }))
  })
  return Workspace.of({
    root: undefined,
    directory,
    isReadOnly: false,
    fs,
    path,
    spawner: yield* ChildProcessSpawner,
    resolve,
    resolveForWriting: resolve,
    share: () => Effect.void,
    withLocks: makeLocks()
  })
})

const withoutWriting = (workspace: Workspace["Service"]): Workspace["Service"] => ({
  ...workspace,
  isReadOnly: true,
  resolveForWriting: (path) =>
    Effect.fail(new WorkspaceError({ path: shown(path), detail: "nothing may be changed here" }))
})

const confined = Effect.fnUntraced(function*(workspace: Workspace["Service"], wantedRoot: string) {
  const { path } = workspace
  const root = yield* realFolder(workspace, wantedRoot)
  const prefix = root.endsWith(path.sep) ? root : root + path.sep
  const isInside = (real: string) => real === root || real.startsWith(prefix)
  const shared = new Map<string, number>()

  const within = (
    resolve: (path: string) => Effect.Effect<string, WorkspaceError>,
    isAllowed: (real: string) => boolean
  ) =>
    Effect.fnUntraced(function*(wanted: string) {
      // relative paths start at this root, whatever they start at outside
      const real = yield* Effect.mapError(
        resolve(path.resolve(root, wanted)),
        ({ detail }) => new WorkspaceError({ path: shown(wanted), detail })
      )
      return isAllowed(real)
        ? real
        : yield* new WorkspaceError({ path: shown(wanted), detail: `outside the root ${root}` })
    })

  return Workspace.of({
    ...workspace,
    root,
    directory: root,
    resolve: within(workspace.resolve, (real) => isInside(real) || shared.has(real)),
    resolveForWriting: within(workspace.resolveForWriting, isInside),
    share: (real) =>
      Effect.andThen(
        workspace.share(real),
        Effect.acquireRelease(
          Effect.sync(() => void shared.set(real, (shared.get(real) ?? 0) + 1)),
          () => Effect.sync(() => release(shared, real))
        )
      )
  })
})

/** Two may share one file; it is shared until both have let it go. */
const release = (shared: Map<string, number>, real: string): void => {
  const others = (shared.get(real) ?? 1) - 1
  if (others === 0) shared.delete(real)
  else shared.set(real, others)
}

/** In characters; Linux takes no longer ones. To follow a path takes time that grows with the square of its parts. */
const MAX_PATH = 4096

/** Platforms throw on NUL in ways of their own; other paths of a length that makes sense are theirs to judge. */
const checkText = (wanted: string): Effect.Effect<void, WorkspaceError> => {
  const refuse = (detail: string) => Effect.fail(new WorkspaceError({ path: shown(wanted), detail }))
  if (wanted.includes("\0")) return refuse("a path can't contain NUL")
  return wanted.length > MAX_PATH ? refuse(`a path has at most ${MAX_PATH} characters`) : Effect.void
}

const shown = (wanted: string): string => Text.cut(wanted.replaceAll("\0", "\\0"), MAX_SHOWN, "…")

/** Characters of a path in an error. */
const MAX_SHOWN = 300

const realFolder = (workspace: Workspace["Service"], wanted: string): Effect.Effect<string, WorkspaceError> =>
  Effect.gen(function*() {
    const real = yield* workspace.resolve(wanted)
    const { type } = yield* workspace.fs.stat(real)
    return type === "Directory" ? real : yield* new WorkspaceError({ path: real, detail: "the root is not a folder" })
  }).pipe(Effect.catchTag("PlatformError", (error) =>
    Effect.fail(
      new WorkspaceError({
        path: workspace.path.resolve(workspace.directory, wanted),
        detail: error.reason._tag === "NotFound" ? "the root doesn't exist" : "the root can't be opened"
      })
    )))

/** As many as Linux follows in one path. */
const MAX_LINKS = 40

/**
 * The real path, also of what doesn't exist: then that of its nearest existing ancestor and the rest. A dangling link
 * counts as what it points to, because writing to it would create that. `undefined`: too many links.
 */
const realPath = (
  fs: FileSystem.FileSystem,
  path: Path.Path,
  absolute: string,
  links: number
): Effect.Effect<string | undefined> =>
  Effect.catch(fs.realPath(absolute), () =>
    Effect.gen(function*() {
      const parent = path.dirname(absolute)
      if (parent === absolute) return absolute
      if (links === 0) return undefined
      const target = yield* Effect.option(fs.readLink(absolute))
      const realParent = yield* realPath(fs, path, parent, links - (target._tag === "Some" ? 1 : 0))
      if (realParent === undefined || target._tag === "None") {
        return realParent === undefined ? undefined : path.join(realParent, path.basename(absolute))
      }
      return yield* realPath(fs, path, path.resolve(realParent, target.value), links - 1)
    }))
