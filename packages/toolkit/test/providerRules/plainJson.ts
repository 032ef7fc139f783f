/** What is plain JSON, and how one looks into what may be anything. */
export type JsonObject = Readonly<Record<string, unknown>>
export type Violations = Iterable<string>

export const isString = (value: unknown): value is string => typeof value === "string"
export const isNumber = (value: unknown): value is number => typeof value === "number"
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean"
export const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !isList(value)
export const isStrings = (value: unknown): value is ReadonlyArray<string> => isList(value) && value.every(isString)

export const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key)
export const member = (value: unknown, key: string): unknown =>
  isObject(value) && has(value, key) ? value[key] : undefined
export const keysOf = (value: unknown): ReadonlyArray<string> => isObject(value) ? Object.keys(value) : []
export const quoted = (names: Iterable<string>): string => Array.from(names, (name) => JSON.stringify(name)).join(", ")

export const at = (path: string, ...steps: ReadonlyArray<string | number>): string =>
  [path, ...steps.map((step) => `${step}`.replaceAll("~", "~0").replaceAll("/", "~1"))].join("/")

/** One text for equal JSON values, whatever the order of their keys. */
export const canonical = (value: unknown): string => {
  if (isList(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  return `{${Object.keys(value).toSorted().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`
}

export const areDistinct = (values: ReadonlyArray<unknown>): boolean =>
  new Set(values.map(canonical)).size === values.length

// A lone surrogate survives `JSON.parse(JSON.stringify(x))`, but not the UTF-8 of a request: a cut description has one.
function* checkText(text: string, path: string): Violations {
  if (!text.isWellFormed()) yield `${path}: a lone surrogate is no text`
}

function* checkScalar(value: unknown, path: string): Violations {
  if (isString(value)) yield* checkText(value, path)
  else if (isNumber(value) && !Number.isFinite(value)) yield `${path}: ${value} is no JSON number`
  else if (!isNumber(value) && !isBoolean(value) && value !== null) yield `${path}: ${typeof value} is no JSON`
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return isList(value) || prototype === Object.prototype || prototype === null
}

/** Says what a JSON round trip would change or lose, with the place, which a comparison of the two wouldn't tell. */
export function* checkJson(value: unknown, path: string, around: ReadonlyArray<object> = []): Violations {
  if (typeof value !== "object" || value === null) {
    yield* checkScalar(value, path)
    return
  }
  if (around.includes(value)) {
    yield `${path}: contains itself`
    return
  }
  if (!isPlain(value)) yield `${path}: is no plain object`
  if (Object.getOwnPropertySymbols(value).length > 0) yield `${path}: has a symbol as a key`
  // `entries` of a list visits its holes, as undefined.
  for (const [key, part] of isList(value) ? value.entries() : Object.entries(value)) {
    yield* checkText(`${key}`, at(path, key))
    yield* checkJson(part, at(path, key), [...around, value])
  }
}
