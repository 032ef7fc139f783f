/** Judges what was measured against what a noisy machine may still show. */

/** One measured number, in the unit of its `limit`, which it must not exceed. */
export interface Outcome {
  readonly value: number
  readonly limit: number
}

/** What is wrong, a line each; a measurement without a limit can't be. */
export const complaints = (outcomes: Readonly<Record<string, Outcome | undefined>>): ReadonlyArray<string> =>
  Object.entries(outcomes).flatMap(([name, outcome]) =>
    // a number that is none passes nothing
    outcome === undefined || outcome.value <= outcome.limit
      ? []
      : [`${name}: ${outcome.value.toFixed(2)}, but at most ${outcome.limit} is right`]
  )
