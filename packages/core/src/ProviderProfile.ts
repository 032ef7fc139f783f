/**
 * What each provider takes as the schema of a tool's input, as data. Whatever a schema says beyond that is written in
 * another way, or in words; a further provider is a further profile.
 *
 * @since 0.1.0
 */

/**
 * The rules of one provider.
 *
 * @category models
 * @since 0.1.0
 */
export interface ProviderProfile {
  /** As people call it. */
  readonly name: string
  /** How many tools it takes in one request; absent: no bound is known. */
  readonly maxTools?: number
  /** Characters of a tool's description; what is over goes to the schema's own. Absent: no bound is known. */
  readonly maxDescription?: number
  /** Whether an empty description is refused. */
  readonly needsDescription: boolean
  readonly propertyName: RegExp
  /** Keywords that may stand in a schema; `$ref` brings `$defs`. */
  readonly keywords: ReadonlySet<string>
  /** Those that may stand at the root; absent: the same. */
  readonly rootKeywords?: ReadonlySet<string>
  /** Values of `format`, by type; absent: any. */
  readonly formats?: Readonly<Record<string, ReadonlySet<string>>>
  /** Types whose values may be listed in `enum`. */
  readonly listable: ReadonlySet<string>
  /** Which types may stand together in a list. */
  readonly typeLists: "all" | "scalars" | "none"
  /** Whether `(?=` and the like may stand in a pattern. */
  readonly lookaround: boolean
  /** Whether a definition that contains itself may do so through a property that is needed. */
  readonly requiredCycles: boolean
  /** Whether other keywords may stand beside `$ref`, and beside `anyOf`. */
  readonly besideReference: boolean
  readonly besideAnyOf: boolean
  /**
   * How a value of any kind is declared: by a schema without a type, by a list of all types, as an object with JSON text
   * in it, or not at all.
   */
  readonly anything: "untyped" | "typed" | "json-text" | "refused"
  /** Strict mode: all objects are closed, and what is optional is `null` instead. */
  readonly strict?: StrictLimits
}

/**
 * What a schema in strict mode may have in all.
 *
 * @category models
 * @since 0.1.0
 */
export interface StrictLimits {
  readonly levels: number
  readonly properties: number
  readonly characters: number
  readonly listedValues: number
  /** Of a list with more than 250 values. */
  readonly longListCharacters: number
}

const BOUNDS = [
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "maxItems",
  "maximum",
  "minItems",
  "minimum",
  "multipleOf",
  "pattern"
]

/** Every provider takes them. */
const STRUCTURE = ["items", "properties", "required", "type"]

const EVERYTHING: ReadonlySet<string> = new Set([
  ...STRUCTURE,
  ...BOUNDS,
  "$ref",
  "additionalProperties",
  "anyOf",
  "contentEncoding",
  "contentMediaType",
  "default",
  "deprecated",
  "description",
  "enum",
  "examples",
  "maxLength",
  "maxProperties",
  "minLength",
  "minProperties",
  "patternProperties",
  "prefixItems",
  "propertyNames",
  "readOnly",
  "title",
  "uniqueItems",
  "writeOnly"
])

const ALL_TYPES: ReadonlySet<string> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"])

/** Anthropic's rule; OpenAI names none, but gateways send what they get for the one on to the other. */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/

/** The rules of a provider that checks nothing but the names of properties. */
const LENIENT: Omit<ProviderProfile, "name"> = {
  needsDescription: false,
  propertyName: PROPERTY_NAME,
  keywords: EVERYTHING,
  listable: ALL_TYPES,
  typeLists: "all",
  lookaround: true,
  requiredCycles: true,
  besideReference: true,
  besideAnyOf: true,
  anything: "untyped"
}

/**
 * OpenAI's chat completions and Responses API without strict mode.
 *
 * @category profiles
 * @since 0.1.0
 */
export const openAI: ProviderProfile = { ...LENIENT, name: "OpenAI", maxTools: 128, maxDescription: 1024 }

/**
 * OpenAI's strict mode. `default`, `minLength` and `maxLength` are refused there.
 *
 * @category profiles
 * @since 0.1.0
 */
export const openAIStrict: ProviderProfile = {
  ...openAI,
  keywords: new Set([...STRUCTURE, ...BOUNDS, "$ref", "anyOf", "description", "enum"]),
  formats: {
    string: new Set(["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"])
  },
  listable: new Set(["boolean", "integer", "null", "number", "string"]),
  typeLists: "scalars",
  lookaround: false,
  besideReference: false,
  anything: "refused",
  strict: { levels: 10, properties: 5000, characters: 120_000, listedValues: 1000, longListCharacters: 15_000 }
}

/**
 * Anthropic's Messages API.
 *
 * @category profiles
 * @since 0.1.0
 */
export const anthropic: ProviderProfile = { ...LENIENT, name: "Anthropic" }

/**
 * Gemini's `parametersJsonSchema`.
 *
 * @category profiles
 * @since 0.1.0
 */
export const gemini: ProviderProfile = {
  name: "Gemini",
  maxTools: 512,
  needsDescription: true,
  propertyName: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  keywords: new Set([
    ...STRUCTURE,
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "format",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "prefixItems",
    "title"
  ]),
  formats: { string: new Set(["date", "date-time", "time"]) },
  listable: new Set(["integer", "number", "string"]),
  typeLists: "all",
  lookaround: false,
  requiredCycles: false,
  besideReference: false,
  besideAnyOf: true,
  anything: "typed"
}

/**
 * Gemini's `parameters`: the subset of OpenAPI that older endpoints take.
 *
 * @category profiles
 * @since 0.1.0
 */
export const geminiOpenApi: ProviderProfile = {
  ...gemini,
  keywords: new Set([
    ...STRUCTURE,
    "anyOf",
    "description",
    "enum",
    "example",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "title"
  ]),
  formats: {
    string: new Set(["date-time"]),
    number: new Set(["double", "float"]),
    integer: new Set(["int32", "int64"])
  },
  listable: new Set(["string"]),
  typeLists: "none",
  besideAnyOf: false,
  anything: "json-text"
}

/**
 * Amazon Bedrock's Converse API, whichever model answers: Nova takes three keywords at the root, others have Anthropic's
 * rules.
 *
 * @category profiles
 * @since 0.1.0
 */
export const bedrock: ProviderProfile = {
  ...anthropic,
  name: "Bedrock",
  needsDescription: true,
  keywords: new Set([...EVERYTHING].filter((keyword) => keyword !== "$ref")),
  rootKeywords: new Set(["properties", "required", "type"])
}

/**
 * What all of them take, for a runtime that doesn't say which provider a request goes to: Gemini's keywords but for
 * references, Nova's at the root, OpenAI's limits.
 *
 * @category profiles
 * @since 0.1.0
 */
export const common: ProviderProfile = {
  ...gemini,
  name: "every provider",
  maxTools: 128,
  maxDescription: 1024,
  keywords: new Set([...gemini.keywords].filter((keyword) => keyword !== "$ref")),
  rootKeywords: new Set(["properties", "required", "type"])
}
