/** An agent that asks in one process, and two approvers at once in others: each payment is made at most once. */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Console, Effect, FileSystem, Path } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const run = (program: string, folder: string) =>
  Effect.map(
    Effect.promise(() => promisify(execFile)(process.execPath, [`${import.meta.dirname}/${program}`, folder])),
    ({ stdout }) => stdout.split("\n").filter((line) => line !== "")
  )

const program = Effect.gen(function*() {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const folder = yield* fs.makeTempDirectoryScoped()
  yield* Console.log(yield* run("agent.ts", folder))
  const approvers = yield* Effect.all([run("approver.ts", folder), run("approver.ts", folder)], { concurrency: 2 })
  yield* Console.log(approvers.flat().toSorted())
  yield* Console.log((yield* fs.readFileString(path.join(folder, "log.txt"))).trim().split("\n"))
})

NodeRuntime.runMain(Effect.scoped(Effect.provide(program, [NodeFileSystem.layer, NodePath.layer])))
