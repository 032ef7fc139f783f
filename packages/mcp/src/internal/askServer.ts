/** Requests to a server by its name, for what is beyond tools. They wait for the repair of a lost one, as its calls do. */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { EntryError } from "@effect-toolnexus/core/SourceEntry"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type McpRequestError, type McpServerError, McpUnavailable, type McpUnknownServer } from "../McpError.ts"
import type { Listing, McpSession } from "../McpSession.ts"
import type { Serving } from "./callTool.ts"
import { diagnostic } from "./entryError.ts"
import { findServer, type Servers } from "./servers.ts"

export const askServer = <A>(
  servers: Servers,
  name: string,
  request: (session: McpSession) => Effect.Effect<A, McpRequestError>
): Effect.Effect<A, McpServerError> =>
  Effect.flatMap(findServing(servers, name), (serving) => {
    const once = Effect.flatMap(sessionInTime(serving), request)
    // what was lost is asked for once more, by the rule of calls: reading does no harm, if its server is to be believed
    return Effect.catchIf(
      once,
      (error) => error._tag === "McpLost" && (!error.wasSent || serving.server.trusted),
      () => once
    )
  })

/** A list of one server, or of all that are switched on: what one of these fails with is a diagnostic. */
export const listServers = <A>(
  servers: Servers,
  name: string | undefined,
  list: (session: McpSession) => Effect.Effect<Listing<A>, McpRequestError>
): Effect.Effect<Listing<A>, McpServerError> =>
  name === undefined ? listAll(servers, list) : askServer(servers, name, list)

const listAll = Effect.fnUntraced(function*<A>(
  servers: Servers,
  list: (session: McpSession) => Effect.Effect<Listing<A>, McpRequestError>
) {
  const names = [...(yield* servers.board.states).keys()].filter((name) => servingOf(servers, name) !== undefined)
  const listings = yield* Effect.forEach(
    names,
    (name) => Effect.catch(askServer(servers, name, list), (error) => Effect.succeed(unlisted<A>(name, error))),
    { concurrency: "unbounded" }
  )
  const whole: Listing<A> = {
    items: listings.flatMap(({ items }) => items),
    diagnostics: listings.flatMap(({ diagnostics }) => diagnostics)
  }
  return whole
})

const unlisted = <A>(name: string, { message }: McpServerError): Listing<A> => {
  const problem: Diagnostic = diagnostic(name, "warning", "list-failed", message)
  return { items: [], diagnostics: [problem] }
}

/** Attempts to follow a resource again after its server was lost; the server's own repair is behind them. */
const AGAIN = Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("30 seconds")])

/** Goes on over a repair, however long that takes, and ends where none comes. */
export const followResource = (servers: Servers, name: string, uri: string): Stream.Stream<string, McpServerError> =>
  Stream.suspend(() => {
    let wasThere = false
    const session = Effect.flatMap(
      findServing(servers, name),
      (serving) => wasThere ? sessionOf(serving) : sessionInTime(serving)
    )
    const updates = Stream.unwrap(Effect.map(session, (live) => live.subscribe(uri))).pipe(
      Stream.tap(() =>
        Effect.sync(() => {
          wasThere = true
        })
      )
    )
    return Stream.retry(
      updates,
      Schedule.while(AGAIN, ({ input }: { readonly input: McpServerError }) => wasThere && isLost(input))
    )
  })

const isLost = ({ _tag }: McpServerError): boolean => _tag === "McpClosed" || _tag === "McpLost"

const servingOf = ({ managed }: Servers, name: string): Serving | undefined => managed.get(name)?.supervised?.serving

const findServing = (servers: Servers, name: string): Effect.Effect<Serving, McpUnavailable | McpUnknownServer> =>
  Effect.flatMap(findServer(servers, name), ({ given, serving }) => {
    if (serving !== undefined) return Effect.succeed(serving)
    const reason = Result.isFailure(given.normalized)
      ? given.normalized.failure.error.message
      : `mcp server "${name}" is switched off`
    return Effect.fail(new McpUnavailable({ server: name, reason }))
  })

const sessionOf = ({ server: { name }, session }: Serving): Effect.Effect<McpSession, McpUnavailable> =>
  Effect.mapError(session.current, ({ message }: EntryError) => new McpUnavailable({ server: name, reason: message }))

/** A server that is being repaired isn't slow, it isn't there. */
const sessionInTime = (serving: Serving): Effect.Effect<McpSession, McpUnavailable> =>
  Effect.suspend(() => {
    const { server: { name, timeout: { call: duration } }, session } = serving
    if (session.now !== undefined) return Effect.succeed(session.now)
    const orElse = () => {
      const why = session.problem?.message ?? "it is on its way"
      const reason = `mcp server "${name}" was not connected within ${duration} ms; ${why}`
      return Effect.fail(new McpUnavailable({ server: name, reason }))
    }
    return Effect.timeoutOrElse(sessionOf(serving), { duration, orElse })
  })
