/** Files for the tests of tools that read and change them. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { folder } from "./harness.ts"

/** Files by their paths, in a temporary folder; gives its path. */
export const tree = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const root = yield* folder
    for (const [path, content] of Object.entries(files)) {
      const target = `${root}/${path}`
      yield* fs.makeDirectory(target.slice(0, target.lastIndexOf("/")), { recursive: true })
      yield* typeof content === "string" ? fs.writeFileString(target, content) : fs.writeFile(target, content)
    }
    return root
  })

/** One file, in a temporary folder; gives its path. */
export const file = (content: string | Uint8Array, name = "file") =>
  Effect.map(tree({ [name]: content }), (root) => `${root}/${name}`)

export const lines = (...parts: ReadonlyArray<string>): string => parts.join("\n")
