/** Ids of messages and requests: no agent may be able to guess those of another conversation. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"

export const randomId: Effect.Effect<string> = Effect.provide(
  SecureRandom.SecureRandom.use((random) => random.uuidV4()),
  SecureRandom.layerWebCrypto
)
