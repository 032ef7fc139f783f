/**
 * A queue of requests in a folder: one file for each, and beside it one that says who took it. Taking is an exclusive
 * creation of that second file, so of any number of processes exactly one succeeds.
 */
import { Effect, FileSystem, Path, Schema } from "effect"
import { Request } from "effect-toolnexus"

const Stored = Schema.fromJsonString(Request.Request)

export const put = Effect.fnUntraced(function*(folder: string, request: Request.Request) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const text = yield* Schema.encodeEffect(Stored)(request)
  // written aside and moved, so that nobody ever reads half of it
  yield* fs.writeFileString(path.join(folder, `${request.id}.part`), text)
  yield* fs.rename(path.join(folder, `${request.id}.part`), path.join(folder, `${request.id}.json`))
})

export const waiting = Effect.fnUntraced(function*(folder: string) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const files = (yield* fs.readDirectory(folder)).filter((file) => file.endsWith(".json"))
  return yield* Effect.forEach(
    files,
    (file) => Effect.flatMap(fs.readFileString(path.join(folder, file)), Schema.decodeUnknownEffect(Stored))
  )
})

/** Whether this process has it now; who comes second has nothing to do. */
export const take = Effect.fnUntraced(function*(folder: string, { id }: Request.Request) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  return yield* fs.writeFileString(path.join(folder, `${id}.taken`), "", { flag: "wx" }).pipe(
    Effect.as(true),
    Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.succeed(false))
  )
})
