/** A piece of a program under test: it asks for a toolkit, and knows nothing of what is behind it. */
import { Toolkit } from "effect-toolnexus"
import * as Effect from "effect/Effect"

export const packingAdvice = Effect.fnUntraced(function*(city: string) {
  const toolkit = yield* Toolkit
  const weather = yield* toolkit.execute("weather_forecast", { city })
  if (weather.isError) return "Take a bit of everything."
  return weather.output.includes("rain") ? "Take an umbrella." : "Take sunglasses."
})
