/**
 * What each client of MCP is asked to do. Nothing here imports one: a worker loads the one it measures, and no other.
 */

/** How to start a server. */
export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

/** Where a server listens for HTTP. */
export interface Remote {
  readonly url: string
}

export type Server = Command | Remote

/** Connected to all servers it was given. */
export interface Opened {
  /** How many tools they list together. */
  readonly tools: number
  /** Calls of the first server's `echo`, so many of them at once. */
  readonly call: (count: number, atOnce: number) => Promise<unknown>
  readonly close: () => Promise<unknown>
}

export interface Client {
  /** Starts all servers and lists their tools; `limit` is how long each may take to answer, in milliseconds. */
  readonly open: (servers: ReadonlyArray<Server>, limit?: number) => Promise<Opened>
}

export const ECHO = { text: "a short text" }

/** For clients of promises: lanes that make one call after the other. */
export const inLanes = (callOnce: () => Promise<unknown>): Opened["call"] => (count, atOnce) => {
  let left = count
  const lane = async () => {
    while (left-- > 0) await callOnce()
  }
  return Promise.all(Array.from({ length: atOnce }, lane))
}

/** The names of the servers, where a client wants a record of them. */
export const byName = <A>(servers: ReadonlyArray<Server>, make: (server: Server) => A): Readonly<Record<string, A>> =>
  Object.fromEntries(servers.map((server, index) => [`s${index}`, make(server)]))
