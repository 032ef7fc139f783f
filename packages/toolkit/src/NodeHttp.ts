/**
 * HTTP connections over Node's own client, which is several times as fast as its `fetch`.
 *
 * @since 0.1.0
 */
import { HttpConnections } from "@effect-toolnexus/core/HttpConnections"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * **Details**
 *
 * A connection that was idle for four seconds, or for a second less than the server's `Keep-Alive` allows, isn't used
 * again: servers end those, and a request that meets the end is lost.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<HttpConnections> = Layer.succeed(HttpConnections, {
  open: (options) =>
    Effect.flatMap(Effect.promise(() => import("./internal/nodeConnections.ts")), ({ open }) => open(options))
})
