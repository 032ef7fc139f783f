/** What is shown of the worker's task `work`: one server, connected to and called. */
import type { Comparison } from "./freshProcesses.ts"

export const workTables = (server: string): Comparison["tables"] => [
  {
    title: `${server}: import, connect and list, and further connects`,
    columns: [
      { key: "import", title: "import ms", digits: 0 },
      { key: "connect", title: "connect ms", digits: 0 },
      { key: "cold", title: "both ms", digits: 0, hasRatio: true },
      { key: "coldCpu", title: "both, CPU ms", digits: 0, hasRatio: true },
      { key: "warm", title: "further ms", digits: 1, hasRatio: true }
    ]
  },
  {
    title: `${server}: calls of its echo`,
    columns: [
      { key: "inOrder", title: "in order /s", digits: 0, hasRatio: true },
      { key: "inOrderCpu", title: "CPU µs", digits: 1, hasRatio: true },
      { key: "atOnce", title: "16 at once /s", digits: 0, hasRatio: true },
      { key: "atOnceCpu", title: "CPU µs", digits: 1, hasRatio: true }
    ]
  },
  {
    title: `${server}: memory of the client, RSS in MB`,
    columns: [
      { key: "rssImported", title: "imported", digits: 0, hasRatio: true },
      { key: "rssConnected", title: "connected", digits: 0, hasRatio: true },
      { key: "rssEnd", title: "after the calls", digits: 0, hasRatio: true }
    ]
  }
]
