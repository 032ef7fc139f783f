/** All measurements, one after the other: `npm run bench`, or `npm run bench -- startup` for some of them. */
import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import * as Effect from "effect/Effect"
import { callOverhead } from "./callOverhead.ts"
import { merge, ownFunction } from "./fold.ts"
import { startup } from "./startup.ts"
import { validation } from "./validation.ts"

const benches = { startup, callOverhead, merge, ownFunction, validation }

const wanted = process.argv.slice(2)
const chosen = Object.entries(benches).filter(([name]) => wanted.length === 0 || wanted.includes(name))

NodeRuntime.runMain(Effect.forEach(chosen, ([, bench]) => bench, { discard: true }))
