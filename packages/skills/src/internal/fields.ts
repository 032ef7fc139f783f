/** The fields of front matter, whichever reader they come from. */

/** What a field holds, if a head has any use for it: text, a list of texts, or names and texts. */
export interface Value {
  readonly text?: string
  readonly list?: ReadonlyArray<string>
  readonly record?: ReadonlyMap<string, string>
  /** Whether `record` lacks nothing. */
  readonly isWhole?: boolean
}

export interface Fields {
  readonly values: ReadonlyMap<string, Value>
  /** The line of the file on which a field stands. */
  readonly lineOf: (name: string) => number | undefined
  readonly warnings: ReadonlyArray<string>
}
