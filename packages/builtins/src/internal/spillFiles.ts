/**
 * Files for output that is too long to be answered with: the tool `read` opens them, also where a root confines it. They
 * lie in a folder that nobody else may look into, which is gone when the scope closes; only the latest few are kept.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { Workspace } from "../Workspace.ts"
import { refusedBy } from "./refused.ts"

/** Bytes of one file. */
export const MAX_SPILL = 50_000_000

/** More than that a session doesn't look back; together they stay below a gigabyte. */
const MAX_FILES = 16

/** What became of one output: a file, or why there is none. */
export type Spilled = Result.Result<SpilledFile, string>

export interface SpilledFile {
  readonly path: string
  readonly bytes: number
}

export interface Spill {
  /** Takes the next pieces; the first ones make the file. What goes wrong is told by `result`. */
  readonly write: (pieces: ReadonlyArray<Uint8Array>) => Effect.Effect<void>
  /** `undefined`: there was nothing to write. */
  readonly result: Effect.Effect<Spilled | undefined>
}

export interface SpillFiles {
  /** One output; the file is closed with the scope, and stays. */
  readonly open: Effect.Effect<Spill, never, Scope.Scope>
}

export const make = Effect.fnUntraced(function*(workspace: Workspace["Service"]) {
  const scope = yield* Effect.scope
  const { fs, path } = workspace
  // a disk that is full may have room the next time
  const folder = yield* Effect.cachedWithTTL(makeFolder(fs, scope), (exit) => Exit.isSuccess(exit) ? "Infinity" : 0)
  /** From the oldest to the latest; closing one's scope removes it. */
  const kept: Array<Scope.Closeable> = []
  let count = 0

  const makeFileIn = Effect.fnUntraced(function*(own: Scope.Scope) {
    const file = path.join(yield* folder, `output-${++count}.txt`)
    const handle = yield* fs.open(file, { flag: "wx", mode: 0o600 })
    yield* Scope.addFinalizer(own, Effect.ignore(fs.remove(file, { force: true })))
    yield* Scope.provide(workspace.share(file), own)
    return { file, handle }
  })

  const makeFile = Effect.fnUntraced(function*() {
    const own = yield* Scope.fork(scope)
    const made = yield* Effect.onError(makeFileIn(own), () => Scope.close(own, Exit.void))
    kept.push(own)
    while (kept.length > MAX_FILES) yield* Scope.close(kept.shift() ?? own, Exit.void)
    return made
  })

  const open = Effect.gen(function*() {
    const callScope = yield* Effect.scope
    const made = yield* Effect.cached(Effect.result(Scope.provide(makeFile(), callScope)))
    let written = 0
    let spilled: Spilled | undefined
    const append = Effect.fnUntraced(function*(pieces: ReadonlyArray<Uint8Array>) {
      const { file, handle } = yield* Effect.fromResult(yield* made)
      for (const piece of pieces) {
        yield* handle.writeAll(piece)
        written += piece.length
      }
      return { path: file, bytes: written }
    })
    const write = (pieces: ReadonlyArray<Uint8Array>) =>
      pieces.length === 0 || (spilled !== undefined && Result.isFailure(spilled))
        ? Effect.void
        : Effect.map(Effect.result(append(pieces)), (result) => {
          spilled = Result.mapError(result, (error) => refusedBy("it", "can't be written to a file")(error).detail)
        })
    return { write, result: Effect.sync(() => spilled) } satisfies Spill
  })
  return { open } satisfies SpillFiles
})

/** By its real path, as `read` will ask for it. */
const makeFolder = (
  fs: FileSystem.FileSystem,
  scope: Scope.Scope
): Effect.Effect<string, PlatformError.PlatformError> =>
  Scope.provide(
    Effect.flatMap(fs.makeTempDirectoryScoped({ prefix: "toolnexus-bash-" }), (folder) => fs.realPath(folder)),
    scope
  )
