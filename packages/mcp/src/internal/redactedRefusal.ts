import type { Redaction } from "@effect-toolnexus/core/Redaction"
import type { Refusal } from "./channel.ts"

/** Of a refusal nothing secret is shown. */
export const redacted = (refusal: Refusal, redact: Redaction): Refusal => {
  const { challenge, detail } = refusal
  const shown = challenge === undefined ? {} : { challenge: { ...challenge, header: redact(challenge.header) } }
  return { ...refusal, ...shown, detail: redact(detail) }
}
