/**
 * Ids that nobody else makes up, and nobody can guess: of requests, messages and the like, in this process or another.
 *
 * @since 0.1.0
 */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"

/**
 * A UUID of version 4, from the platform's secure source.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<string> = Effect.provide(
  SecureRandom.SecureRandom.use((random) => random.uuidV4()),
  SecureRandom.layerWebCrypto
)
