/**
 * All measurements, one after the other: `npm run bench`, or `npm run bench -- startup` for some of them. It exits 1
 * where there is no such measurement, with `--check` also where an aim is missed by far.
 */
import type { SourceEntry } from "@effect-toolnexus/core"
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { agentTurn, FEW_TURNS, TURNS } from "./agentTurn.ts"
import { builtins, LARGE, SMALL } from "./builtins.ts"
import { callOverhead } from "./callOverhead.ts"
import { complaints, type Outcome } from "./check.ts"
import { merge, ownFunction } from "./fold.ts"
import { mcpHttp } from "./mcpHttp.ts"
import { FULL, HTTP, mcpStdio, TINY } from "./mcpStdio.ts"
import { providers } from "./providers.ts"
import { FULL_TREE, search, TINY_TREE } from "./search.ts"
import { FULL_SKILLS, skills, TINY_SKILLS } from "./skills.ts"
import { startup } from "./startup.ts"
import { validation } from "./validation.ts"

const isCheck = process.argv.includes("--check")

const benches: Readonly<Record<string, Effect.Effect<Outcome | undefined, SourceEntry.RequiredEntriesFailed>>> = {
  startup,
  callOverhead,
  builtins: builtins(isCheck ? SMALL : LARGE),
  mcpStdio: mcpStdio(isCheck ? TINY : FULL),
  mcpHttp: Effect.as(mcpHttp(isCheck ? TINY : HTTP), undefined),
  agentTurn: Effect.as(agentTurn(isCheck ? FEW_TURNS : TURNS), undefined),
  merge: Effect.as(merge, undefined),
  ownFunction: Effect.as(ownFunction, undefined),
  validation: Effect.as(validation, undefined),
  providers: Effect.as(providers, undefined),
  skills: skills(isCheck ? TINY_SKILLS : FULL_SKILLS),
  search: search(isCheck ? TINY_TREE : FULL_TREE)
}

const wanted = process.argv.slice(2).filter((word) => word !== "--check")
const chosen = Object.entries(benches).filter(([name]) => wanted.length === 0 || wanted.includes(name))

const program = Effect.gen(function*() {
  const outcomes = Object.fromEntries(
    yield* Effect.forEach(chosen, ([name, bench]) => Effect.map(bench, (outcome) => [name, outcome] as const))
  )
  const unknown = wanted.filter((name) => !Object.hasOwn(benches, name)).map((name) => `${name}: no such measurement`)
  const wrong = [...unknown, ...isCheck ? complaints(outcomes) : []]
  if (wrong.length === 0) return
  yield* Console.error(wrong.join("\n"))
  process.exitCode = 1
})

NodeRuntime.runMain(program)
