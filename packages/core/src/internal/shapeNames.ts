/**
 * Names of properties that a provider refuses, and the legal ones they go by. A legal name stands for one original in the
 * whole schema, so that what a model sends can be read back without knowing where in a union it is.
 */
import { hashOf, makeFreeNames } from "./legalName.ts"

export interface Names {
  /** The legal name of one that is not an identifier; others are legal everywhere. */
  readonly legal: (original: string) => string
  readonly original: (legal: string) => string | undefined
  /** Of the one property of an object that stands for JSON text; no property of the tool's has this name. */
  readonly jsonText: string
}

/** Letters, digits and `_`, no digit first: legal everywhere. A pattern takes three times as long, and most names are. */
export const isIdentifier = (name: string): boolean => {
  if (name.length === 0 || name.length > MAX_LENGTH || isDigit(name.charCodeAt(0))) return false
  for (let index = 0; index < name.length; index++) if (!isWordCharacter(name.charCodeAt(index))) return false
  return true
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

const isWordCharacter = (code: number): boolean => {
  const small = code | 32
  return small >= 97 && small <= 122 || code === 95 || isDigit(code)
}

/** Made when one is asked for: most schemas have only names that are legal everywhere. */
export const makeNames = (names: () => ReadonlyArray<string>): Names => {
  let made: Made | undefined
  const get = () => made ??= make(new Set(names()))
  return {
    legal: (original) => get().legal.get(original) ?? original,
    original: (name) => get().originals.get(name),
    get jsonText() {
      return get().jsonText
    }
  }
}

interface Made {
  readonly legal: ReadonlyMap<string, string>
  readonly originals: ReadonlyMap<string, string>
  readonly jsonText: string
}

const make = (names: ReadonlySet<string>): Made => {
  const legal = new Map<string, string>()
  const originals = new Map<string, string>()
  const taken = new Set(names)
  const free = makeFreeNames(taken)
  for (const original of [...names].filter((name) => !isIdentifier(name)).toSorted()) {
    const plain = original.replace(/[^A-Za-z0-9_]/gu, "_").replace(/^(?=\d|$)/, "_")
    const isFree = plain.length <= MAX_LENGTH && !taken.has(plain)
    const name = free(plain, isFree ? "" : `_${hashOf(original)}`, MAX_LENGTH)
    legal.set(original, name)
    originals.set(name, original)
  }
  return { legal, originals, jsonText: free("json_text", "", MAX_LENGTH) }
}

/** No provider takes longer ones. */
export const MAX_LENGTH = 64
