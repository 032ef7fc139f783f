/**
 * Where the file tools work: the folder that relative paths start from, and the `root` that nothing may leave. Every
 * builtin that takes a path asks this service, so that confinement is decided in one place (CONTRACT 7), and a host can
 * put another place behind the same tools.
 *
 * **Details**
 *
 * With a root a path is judged after symbolic links are resolved, and also when it doesn't exist yet: `..`, an absolute
 * path and a link that leads out are refused alike, a dangling link too. Without a root nothing is confined.
 *
 * **Gotchas**
 *
 * Confinement holds for the file tools and for the working directory of `bash`; what a shell command opens itself it
 * can't hold. A process that swaps a folder for a link between the check and the use is not defended against.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

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
  /** The folder that confines everything, relative to the working directory. Default: none, nothing is confined. */
  readonly root?: string
}

/**
 * **Example**
 *
 * ```ts
 * const program = Effect.gen(function*() {
 *   const workspace = yield* Workspace
 *   const path = yield* workspace.resolve("src/index.ts")
 * })
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
  /** The absolute path to use for what a model wrote. With a root, its links are resolved; it need not exist. */
  readonly resolve: (path: string) => Effect.Effect<string, WorkspaceError>
}>()("@effect-toolnexus/builtins/Workspace") {
  /** A workspace on a file system. Fails when `root` isn't an existing folder. */
  static readonly make = (
    options?: WorkspaceOptions
  ): Effect.Effect<Workspace["Service"], WorkspaceError, FileSystem.FileSystem | Path.Path> =>
    options?.root === undefined ? unconfined : confined(options.root)

  /** {@link Workspace.make} as a layer. */
  static readonly layer = (
    options?: WorkspaceOptions
  ): Layer.Layer<Workspace, WorkspaceError, FileSystem.FileSystem | Path.Path> =>
    Layer.effect(Workspace, Workspace.make(options))
}

const unconfined = Effect.map(Path.Path, (path): Workspace["Service"] => {
  const directory = path.resolve(".")
  return {
    root: undefined,
    directory,
    resolve: (wanted) => Effect.map(checkText(wanted), () => path.resolve(directory, wanted))
  }
})

const confined = Effect.fnUntraced(function*(wantedRoot: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* realFolder(fs, path.resolve(wantedRoot))
  const prefix = root.endsWith(path.sep) ? root : root + path.sep
  const isInside = (real: string) => real === root || real.startsWith(prefix)

  const resolve = Effect.fnUntraced(function*(wanted: string) {
    yield* checkText(wanted)
    const real = yield* realPath(fs, path, path.resolve(root, wanted), MAX_LINKS)
    if (real === undefined) return yield* new WorkspaceError({ path: wanted, detail: "too many symbolic links" })
    if (!isInside(real)) return yield* new WorkspaceError({ path: wanted, detail: `outside the root ${root}` })
    return real
  })
  return { root, directory: root, resolve } satisfies Workspace["Service"]
})

/** Platforms throw on NUL in ways of their own; other paths are theirs to judge. */
const checkText = (wanted: string): Effect.Effect<void, WorkspaceError> =>
  wanted.includes("\0")
    ? Effect.fail(new WorkspaceError({ path: wanted.replaceAll("\0", "\\0"), detail: "a path can't contain NUL" }))
    : Effect.void

const realFolder = (fs: FileSystem.FileSystem, root: string): Effect.Effect<string, WorkspaceError> =>
  Effect.gen(function*() {
    const real = yield* fs.realPath(root)
    const { type } = yield* fs.stat(real)
    return type === "Directory" ? real : yield* new WorkspaceError({ path: root, detail: "the root is not a folder" })
  }).pipe(Effect.catchTag("PlatformError", (error) =>
    Effect.fail(
      new WorkspaceError({
        path: root,
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
