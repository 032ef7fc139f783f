/** Reads options key by key out of a value from a file, and collects what is wrong with it. */
import { ConfigKeys, type Diagnostic } from "@effect-toolnexus/core"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

export type RawMap = Readonly<Record<string, unknown>>

export class OptionReader {
  readonly diagnostics: Array<Diagnostic.Diagnostic> = []

  isMap(value: unknown, path: string, expected: string): value is RawMap {
    if (Predicate.isObject(value) && !Array.isArray(value)) return true
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

  checkKeys(
    raw: RawMap,
    path: string,
    known: ReadonlyArray<string>,
    code: "unknown-key" | "unknown-tool" = "unknown-key"
  ): void {
    this.diagnostics.push(...ConfigKeys.check(raw, { path, known, notYet: [], code }))
  }

  #add(level: Diagnostic.Diagnostic["level"], code: string, path: string, message: string): void {
    this.diagnostics.push({ level, code, path, message })
  }
}
