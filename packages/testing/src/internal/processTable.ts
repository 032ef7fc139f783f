/** The processes of this machine: from /proc on Linux, by `ps` on other POSIX systems, nothing on Windows. */
import * as Effect from "effect/Effect"
import * as NodeChildProcess from "node:child_process"
import * as NodeFs from "node:fs"

export interface Row {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Tells two processes of one pid apart; empty where the platform doesn't say. */
  readonly started: string
  /** It has ended, and waits for its parent to notice. */
  readonly isZombie: boolean
  readonly command: string
}

export const identity = (row: Row): string => `${row.pid}@${row.started}`

export const readAll: Effect.Effect<ReadonlyArray<Row>> = Effect.suspend(() => {
  if (process.platform === "linux") return Effect.succeed(readProc())
  return process.platform === "win32" ? Effect.succeed([]) : readPs
})

/** A process that has ended but isn't reaped yet counts as dead. */
export const isAlive = (pid: number): Effect.Effect<boolean> => {
  if (process.platform === "linux") {
    return Effect.sync(() => {
      const row = readProcRow(pid)
      return row !== undefined && !row.isZombie
    })
  }
  return process.platform === "win32"
    ? Effect.sync(() => acceptsSignal(pid))
    : Effect.map(readPs, (rows) => rows.some((row) => row.pid === pid && !row.isZombie))
}

const acceptsSignal = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const readProc = (): ReadonlyArray<Row> =>
  NodeFs.readdirSync("/proc").flatMap((name) => {
    const row = /^\d+$/.test(name) ? readProcRow(Number(name)) : undefined
    return row === undefined ? [] : [row]
  })

/** Undefined when the process is gone, which may happen at any moment between the listing and here. */
const readProcRow = (pid: number): Row | undefined => {
  try {
    const stat = NodeFs.readFileSync(`/proc/${pid}/stat`, "utf8")
    // the second field is the program's name in parentheses, and may itself hold blanks and parentheses
    const end = stat.lastIndexOf(")")
    const fields = stat.slice(end + 2).split(" ")
    const words = NodeFs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim()
    return {
      pid,
      parent: Number(fields[1]),
      group: Number(fields[2]),
      session: Number(fields[3]),
      started: fields[19] ?? "",
      isZombie: fields[0] === "Z" || fields[0] === "X",
      command: words === "" ? stat.slice(stat.indexOf("(") + 1, end) : words
    }
  } catch {
    return undefined
  }
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/

/** The table can be larger than Node's default of 1 MiB on a busy machine. */
const PS_BYTES = 16 * 1024 * 1024

const readPs: Effect.Effect<ReadonlyArray<Row>> = Effect.callback((resume) => {
  const ps = NodeChildProcess.execFile(
    "ps",
    ["-A", "-o", "pid=,ppid=,pgid=,stat=,command="],
    { maxBuffer: PS_BYTES },
    (error, stdout) =>
      resume(error === null ? Effect.succeed(parsePs(stdout).filter((row) => row.pid !== ps.pid)) : Effect.die(error))
  )
  return Effect.sync(() => ps.kill())
})

const parsePs = (text: string): ReadonlyArray<Row> =>
  text.split("\n").flatMap((line) => {
    const [, pid, parent, group, stat, command] = PS_LINE.exec(line) ?? []
    if (stat === undefined) return []
    return [{
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      // `ps` shows sessions as addresses on some systems; a detached child's group says the same
      session: Number(group),
      started: "",
      isZombie: stat.startsWith("Z"),
      command: command ?? ""
    }]
  })
