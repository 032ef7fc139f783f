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
import { existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache")

// a home that isn't there, such as a daemon's, is not made for this
if (existsSync(dirname(caches))) enableCompileCache(join(caches, "effect-toolnexus"))

await import("./internal/main.ts")
