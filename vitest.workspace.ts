import { readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

// Every package is a project of its own, so that a package's tests can be run alone: `vitest --project mcp`.
const packages = readdirSync(new URL("packages", import.meta.url))

export default defineConfig({
  test: {
    projects: [
      ...packages.map((name) => ({
        test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"] }
      })),
      {
        test: {
          name: "examples",
          root: "examples",
          include: ["**/*.test.ts"],
          exclude: ["**/node_modules/**", ".docs/**"]
        }
      }
    ],
    // half of the time goes by in waiting for processes, sockets and clocks
    maxWorkers: availableParallelism() + 1,
    passWithNoTests: true,
    testTimeout: 20_000,
    hookTimeout: 20_000
  }
})
