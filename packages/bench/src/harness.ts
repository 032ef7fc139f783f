/**
 * A small bench: the contenders of one measurement take turns in one process, so that what disturbs one disturbs all,
 * and the table shows medians and the ratio to the first.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** One way of doing the work; `run` does it once and is timed as a whole. */
export interface Contender {
  readonly name: string
  /** Makes what the next sample works on, outside of its time. */
  readonly prepare?: () => void
  readonly run: () => Promise<unknown>
}

export interface Measurement {
  readonly title: string
  /** How often the work is done for one sample; the sample is the time of one. */
  readonly batch: number
  readonly samples: number
  readonly unit: "µs" | "ms"
  readonly contenders: readonly [Contender, ...ReadonlyArray<Contender>]
  /** Clears up what a sample left, outside of its time. */
  readonly afterEach?: () => Promise<void>
}

export const measure = ({ afterEach, batch, contenders, samples, title, unit }: Measurement) =>
  Effect.gen(function*() {
    const times = new Map<Contender, Array<number>>(contenders.map((contender) => [contender, []]))
    for (const contender of contenders) yield* sample(contender, batch, afterEach)
    for (let round = 0; round < samples; round++) {
      for (const contender of contenders) times.get(contender)?.push(yield* sample(contender, batch, afterEach))
    }
    const scale = unit === "µs" ? 1000 : 1
    const medians = contenders.map((contender) => median(times.get(contender) ?? []) * scale)
    const width = Math.max(...contenders.map(({ name }) => name.length))
    const rows = contenders.map(({ name }, index) => {
      const value = medians[index] ?? Number.NaN
      const first = medians[0] ?? Number.NaN
      return `  ${name.padEnd(width)}  ${value.toFixed(1).padStart(10)} ${unit}  ${(value / first).toFixed(2)}x  ${
        signed(value - first)
      } ${unit}`
    })
    yield* Console.log([title, ...rows, ""].join("\n"))
    return medians
  })

const sample = (contender: Contender, batch: number, afterEach: Measurement["afterEach"]) =>
  Effect.promise(async () => {
    contender.prepare?.()
    const start = performance.now()
    for (let done = 0; done < batch; done++) await contender.run()
    const time = (performance.now() - start) / batch
    await afterEach?.()
    return time
  })

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN

const signed = (value: number): string => `${value < 0 ? "" : "+"}${value.toFixed(1)}`

setFlagsFromString("--expose-gc")
const gc: (options: { readonly type: "minor" }) => void = runInNewContext("gc")

/**
 * Makes what lives now old, so that no sample pays for moving what was made before it. All garbage is not collected for
 * that: code which isn't run in between would go with it.
 */
export const settle = (): void => {
  gc({ type: "minor" })
  gc({ type: "minor" })
}
