/**
 * Our packages as a user gets them: built, and resolved by what they publish. In the workspace they run from TypeScript,
 * which Node has to load a compiler for: neither the time nor the memory of that is theirs.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const packages = join(root, "packages")

const Names = Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
const decodeManifest = Schema.decodeSync(Schema.fromJsonString(Schema.Struct({
  name: Schema.String,
  dependencies: Names,
  peerDependencies: Names,
  publishConfig: Schema.optionalKey(Schema.Struct({ exports: Schema.Json }))
})))

/** A folder with all of them in its `node_modules`, and this package's compiled program among them. */
export const published = Effect.acquireRelease(
  Effect.promise(async () => {
    await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["-b", join(packages, "bench")])
    const folder = await mkdtemp(join(tmpdir(), "toolnexus-bench-"))
    for (const name of await readdir(packages)) {
      if (existsSync(join(packages, name, "dist"))) await publish(join(packages, name), join(folder, "node_modules"))
    }
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true }))
)

const publish = async (from: string, modules: string) => {
  const manifest = decodeManifest(await readFile(join(from, "package.json"), "utf8"))
  const to = join(modules, manifest.name)
  await cp(join(from, "dist"), join(to, "dist"), { recursive: true })
  const { name, publishConfig } = manifest
  await writeFile(join(to, "package.json"), JSON.stringify({ name, type: "module", ...publishConfig }))
  for (const [foreign, version] of Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (!version.startsWith("workspace:")) await link(join(from, "node_modules", foreign), join(modules, foreign))
  }
}

/** All packages have one version of each, so the first who brings it brings the right one. */
const link = async (from: string, to: string) => {
  if (existsSync(to)) return
  await mkdir(dirname(to), { recursive: true })
  await symlink(await realpath(from), to)
}

/** The program in that folder that a file of this package was compiled to. */
export const programIn = (folder: string, path: string): string =>
  join(folder, "node_modules/@effect-toolnexus/bench/dist", path)
