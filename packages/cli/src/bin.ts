#!/usr/bin/env node
/**
 * The `toolnexus` command as a process of Node.
 *
 * **Details**
 *
 * Half of a short command's time would go by in compiling, so Node keeps what it has compiled, under
 * `$XDG_CACHE_HOME/effect-toolnexus`, by default in `~/.cache`. `NODE_DISABLE_COMPILE_CACHE=1` turns that off; where the
 * folder can't be written it does without.
 *
 * @since 0.1.0
 */
import { existsSync, mkdirSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache")

/** One folder, where there is none: a home that isn't there, such as a daemon's, is not made for this. */
const make = (folder: string): void => {
  try {
    mkdirSync(folder)
  } catch {
    // it is there, or can't be
  }
}

const cache = join(caches, "effect-toolnexus")
make(caches)
make(cache)
// Node would make it too, but tries for ever on a file system that says a parent is missing which is there (/proc)
if (existsSync(cache)) enableCompileCache(cache)

await import("./internal/main.ts")
