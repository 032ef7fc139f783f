/** One line of text. */
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import { plainText } from "./plainText.ts"

/** Keys that the prompt doesn't know, like the arrows up and down, leave escape sequences in what it gives. */
export const askText = (options: Prompt.TextOptions) => Effect.map(Prompt.String(options), plainText)
