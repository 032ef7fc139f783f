/** Real files in a folder that is gone after the test. */
import type { Skill } from "@effect-toolnexus/skills"
import { NodeFileSystem, NodePath } from "@effect/platform-node-shared"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"

export const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)

/** A tree by relative path: text is a file, bytes too, `{link}` a symbolic link. Gives the folder's real path. */
export const makeTree = Effect.fnUntraced(function*(
  tree: Readonly<Record<string, string | Uint8Array | { readonly link: string }>>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "skills-" }))
  for (const [name, content] of Object.entries(tree)) {
    const target = path.join(root, name)
    yield* fs.makeDirectory(path.dirname(target), { recursive: true })
    if (typeof content === "string") yield* fs.writeFileString(target, content)
    else if (content instanceof Uint8Array) yield* fs.writeFile(target, content)
    else yield* fs.symlink(content.link, target)
  }
  return root
})

/** The real file system, but that this folder claims to hold so many others, all empty, or so many files. */
export const crowded = Effect.fnUntraced(function*(folder: string, count: number, type: "Directory" | "File") {
  const fs = yield* FileSystem.FileSystem
  const more = Array.from({ length: count }, (_, index): FileSystem.DirectoryEntry => ({ name: `x${index}`, type }))
  return FileSystem.FileSystem.of({
    ...fs,
    readDirectoryEntries: (path) =>
      path.startsWith(`${folder}/x`)
        ? Effect.succeed([])
        : Effect.map(fs.readDirectoryEntries(path), (entries) => path === folder ? [...entries, ...more] : entries)
  })
})

/** The real file system, but that this folder claims to hold so many skills; to open one does this, and takes no time. */
export const manySkills = Effect.fnUntraced(function*(folder: string, count: number, onOpen: Effect.Effect<void>) {
  const fs = yield* crowded(folder, count, "Directory")
  const file = yield* Effect.scoped(Effect.andThen(makeTree({ file: "" }), (root) => fs.open(`${root}/file`)))
  const bytes = new TextEncoder().encode(skillText("s"))
  return FileSystem.FileSystem.of({
    ...fs,
    readDirectoryEntries: (path) =>
      path === folder ? fs.readDirectoryEntries(path) : Effect.succeed([{ name: "SKILL.md", type: "File" }]),
    open: () => Effect.as(onOpen, { ...file, readAlloc: () => Effect.succeedSome(bytes) })
  })
})

export const skillText = (name: string, body = "Do it.", description = `About ${name}`) =>
  `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`

export const defined = (name: string, rest: Partial<Skill.SkillDefinition> = {}): Skill.SkillDefinition => ({
  name,
  description: `About ${name}`,
  content: "Do it.",
  ...rest
})
