/**
 * MCP servers as their authors publish them, in the versions that the catalog of the workspace pins, and what is true of
 * each. None of them needs the internet: what would reach out is refused by a port where nobody listens.
 */
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { join } from "node:path"

export interface PublishedServer {
  readonly package: string
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** How many tools it lists to a client that can neither be asked for input nor for roots. */
  readonly tools: number
  readonly call: {
    /** By its original name. */
    readonly tool: string
    readonly args?: Schema.JsonObject
    /** What the server makes of the call; where that takes a service that isn't there, how the server says so. */
    readonly answer: RegExp
  }
}

const NOWHERE = "http://127.0.0.1:9"

const refused = /fetch failed|ECONNREFUSED/

/** Each may write into the folder, and nowhere else. */
export const publishedServers = (folder: string): Readonly<Record<string, PublishedServer>> => ({
  calc: {
    package: "@coo-quack/calc-mcp",
    tools: 21,
    call: { tool: "math", args: { expression: "6 * 7" }, answer: /42/ }
  },
  // prints plain text on stdout before it speaks the protocol
  "code-runner": {
    package: "mcp-server-code-runner",
    tools: 1,
    call: { tool: "run-code", args: { languageId: "javascript", code: "console.log(6 * 7)" }, answer: /^42$/m }
  },
  context7: {
    package: "@upstash/context7-mcp",
    env: { CONTEXT7_API_URL: NOWHERE },
    tools: 2,
    call: { tool: "resolve-library-id", args: { libraryName: "effect", query: "effect" }, answer: refused }
  },
  // after this call a timer of its own keeps it running when its stdin has ended
  everything: {
    package: "@modelcontextprotocol/server-everything",
    args: ["stdio"],
    tools: 13,
    call: { tool: "toggle-simulated-logging", answer: /Started simulated/ }
  },
  filesystem: {
    package: "@modelcontextprotocol/server-filesystem",
    args: [folder],
    tools: 14,
    call: {
      tool: "write_file",
      args: { path: join(folder, "greeting.txt"), content: "hello" },
      answer: /Successfully wrote to .*greeting\.txt/
    }
  },
  git: {
    package: "@cyanheads/git-mcp-server",
    env: { MCP_TRANSPORT_TYPE: "stdio", GIT_SIGN_COMMITS: "false" },
    tools: 28,
    call: { tool: "git_init", args: { path: join(folder, "repository") }, answer: /"success": true/ }
  },
  github: {
    package: "@modelcontextprotocol/server-github",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "made-up" },
    tools: 26,
    call: { tool: "search_repositories", args: { query: "effect" }, answer: refused }
  },
  gitlab: {
    package: "@zereight/mcp-gitlab",
    env: {
      GITLAB_PERSONAL_ACCESS_TOKEN: "made-up",
      GITLAB_API_URL: NOWHERE,
      GITLAB_DISABLE_VERSION_CHECK: "true"
    },
    tools: 118,
    call: { tool: "list_projects", answer: refused }
  },
  "hello-world": {
    package: "mcp-hello-world",
    tools: 3,
    call: { tool: "add", args: { a: 2, b: 40 }, answer: /The sum is: 42/ }
  },
  memory: {
    package: "@modelcontextprotocol/server-memory",
    env: { MEMORY_FILE_PATH: join(folder, "memory.json") },
    tools: 9,
    call: {
      tool: "create_entities",
      args: { entities: [{ name: "Oslo", entityType: "city", observations: ["cold"] }] },
      answer: /"Oslo"/
    }
  },
  "ms-365": {
    package: "@softeria/ms-365-mcp-server",
    args: ["--org-mode"],
    env: { MS365_MCP_OAUTH_TOKEN: "made-up" },
    tools: 344,
    call: { tool: "get-current-user", answer: refused }
  },
  notion: {
    package: "@notionhq/notion-mcp-server",
    env: { NOTION_TOKEN: "made-up", BASE_URL: NOWHERE },
    tools: 24,
    call: { tool: "API-get-self", answer: refused }
  },
  postgres: {
    package: "@modelcontextprotocol/server-postgres",
    args: ["postgresql://127.0.0.1:9/none"],
    tools: 1,
    call: { tool: "query", args: { sql: "select 1" }, answer: refused }
  },
  "sequential-thinking": {
    package: "@modelcontextprotocol/server-sequential-thinking",
    tools: 1,
    call: {
      tool: "sequentialthinking",
      args: { thought: "Look", thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true },
      answer: /"thoughtHistoryLength": 1/
    }
  },
  // prints plain text on stdout before it speaks the protocol
  time: {
    package: "time-mcp",
    tools: 6,
    call: { tool: "days_in_month", args: { date: "2024-02-10" }, answer: /The number of days in month is 29/ }
  }
})

/** The servers' part of a configuration, as a user writes it. */
export const configurationOf = (servers: Readonly<Record<string, PublishedServer>>, folder: string) => ({
  mcpServers: Object.fromEntries(
    Object.entries(servers).map(([name, { args = [], env, package: packageName }]) => [name, {
      command: process.execPath,
      args: [commandOf(packageName), ...args],
      cwd: folder,
      env: { ...confined(folder), ...env },
      // all of them start at once, on a machine that may be busy with other tests
      timeout: 60_000
    }])
  )
})

/** Caches and logs go into the folder; requests, whatever library makes them, to nobody. */
const confined = (folder: string): Readonly<Record<string, string>> => ({
  HOME: folder,
  TMPDIR: folder,
  NODE_USE_ENV_PROXY: "1",
  HTTP_PROXY: NOWHERE,
  HTTPS_PROXY: NOWHERE
})

const Manifest = Schema.fromJsonString(
  Schema.Struct({ bin: Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.String)]) })
)

const decodeManifest = Schema.decodeSync(Manifest)

/** The script behind the command that a package installs. */
const commandOf = (packageName: string): string => {
  const manifest = findPackageJSON(packageName, import.meta.url)
  if (manifest === undefined) throw new Error(`${packageName} isn't installed`)
  const { bin } = decodeManifest(readFileSync(manifest, "utf8"))
  const [script] = typeof bin === "string" ? [bin] : Object.values(bin)
  if (script === undefined) throw new Error(`${packageName} installs no command`)
  return join(manifest, "..", script)
}
