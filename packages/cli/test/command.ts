/** The command as a process, as a shell would start it. */
import * as Effect from "effect/Effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const bin = fileURLToPath(new URL("../src/bin.ts", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface StartOptions {
  /** Node's own arguments. */
  readonly node?: ReadonlyArray<string>
  /** Another program than the command's. */
  readonly program?: string
  /** Beside what this process has. */
  readonly env?: NodeJS.ProcessEnv
}

/** A process that is killed with the scope of the test, whatever becomes of it. */
export const start = (args: ReadonlyArray<string>, { env, node = [], program = bin }: StartOptions = {}) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...node, program, ...args], { stdio: "pipe", env: { ...process.env, ...env } })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

export const ended = (child: ChildProcess): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    child.stdout?.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr?.on("data", (chunk: Buffer) => err.push(chunk))
    child.once("close", (code, signal) =>
      resume(
        Effect.succeed({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
      ))
  })

/** Runs the command to its end. */
export const toolnexus = Effect.fnUntraced(
  function*(args: ReadonlyArray<string>, options: StartOptions & { readonly stdin?: string } = {}) {
    const child = yield* start(args, options)
    child.stdin.on("error", () => undefined)
    child.stdin.end(options.stdin ?? "")
    return yield* ended(child)
  }
)

/** A folder with these files, by path. */
export const folder = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = mkdtempSync(join(tmpdir(), "toolnexus-cli-"))
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true })
        writeFileSync(join(root, name), text)
      }
      return root
    }),
    (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
  )

/** A folder with one `mcp.json`; gives the file. */
export const configFile = (config: object) =>
  Effect.map(folder({ "mcp.json": JSON.stringify(config) }), (root) => join(root, "mcp.json"))

export const sleep = (milliseconds: number) =>
  Effect.promise(() => new Promise((done) => setTimeout(done, milliseconds)))

/** The children of a process, once there are as many as expected. */
export const childrenOf = Effect.fnUntraced(function*(pid: number, count: number) {
  for (;;) {
    const pids = yield* children(pid)
    if (pids.length >= count) return pids
    yield* sleep(50)
  }
})

const children = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.callback((resume) => {
    execFile("ps", ["-A", "-o", "pid=,ppid="], (_, stdout) => {
      const rows = stdout.trim().split("\n").map((row) => row.trim().split(/\s+/).map(Number))
      resume(Effect.succeed(rows.flatMap(([child = 0, parent]) => parent === pid ? [child] : [])))
    })
  })
