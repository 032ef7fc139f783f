/** Reads options key by key out of a value from a file, and collects what is wrong with it. */
import { ConfigKeys, type Diagnostic, Suggestion } from "@effect-toolnexus/core"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

export type RawMap = Readonly<Record<string, unknown>>

interface KeyRules {
  readonly code?: "unknown-key" | "unknown-tool"
  /** What is done where this key is misspelled, so that what somebody meant to close isn't left open; nothing, if it closes nothing. */
  readonly closes?: (key: string, value: unknown) => string | undefined
}

export class OptionReader {
  readonly diagnostics: Array<Diagnostic.Diagnostic> = []

  isMap(value: unknown, path: string, expected: string): value is RawMap {
    if (Predicate.isObject(value)) return true
    this.#add("error", "invalid-value", path, `"${path}" must be ${expected}`)
    return false
  }

  /** The value of a key; `undefined` where it is absent or makes no sense. The value itself is never shown. */
  read<A>(raw: RawMap, key: string, path: string, schema: Schema.Decoder<A>, expected: string): A | undefined {
    if (!Object.hasOwn(raw, key) || raw[key] === undefined) return undefined
    const decoded = Schema.decodeUnknownOption(schema)(raw[key])
    if (Option.isSome(decoded)) return decoded.value
    this.#add("error", "invalid-value", `${path}.${key}`, `"${path}.${key}" must be ${expected}`)
    return undefined
  }

  /** Says which keys are unknown, and gives those that were meant by misspelled ones, where a misspelling closes something. */
  checkKeys(
    raw: RawMap,
    path: string,
    known: ReadonlyArray<string>,
    { closes = () => undefined, code = "unknown-key" }: KeyRules = {}
  ): ReadonlySet<string> {
    const misspelled = new Set<string>()
    for (const [key, value] of Object.entries(raw)) {
      if (known.includes(key)) continue
      const diagnostic = ConfigKeys.unknown(key, { path: `${path}.${key}`, known, code })
      const [meant] = Suggestion.closest(key, known, 1)
      const consequence = meant === undefined || Object.hasOwn(raw, meant) ? undefined : closes(meant, value)
      if (meant === undefined || consequence === undefined) this.diagnostics.push(diagnostic)
      else {
        misspelled.add(meant)
        this.diagnostics.push({ ...diagnostic, message: `${diagnostic.message} ${consequence}` })
      }
    }
    return misspelled
  }

  #add(level: Diagnostic.Diagnostic["level"], code: string, path: string, message: string): void {
    this.diagnostics.push({ level, code, path, message })
  }
}
