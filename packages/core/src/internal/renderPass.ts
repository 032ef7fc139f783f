/** One way from a shape to a provider's schema, and what it leaves behind. */
import type { Json } from "../Json.ts"
import type { ProviderProfile } from "../ProviderProfile.ts"
import * as Text from "../Text.ts"
import { type LeadsBack, makeLeadsBack } from "./definitionCycles.ts"
import { MAX_NOTES, type NoteKind, type SchemaNote, spellPath } from "./schemaNote.ts"
import { type Definition, isList, type Shape, type Statement } from "./shape.ts"
import { isIdentifier, type Names } from "./shapeNames.ts"
import type { ToolShape } from "./shapeReader.ts"

export type Schema = Record<string, Json>

/** A schema, and what it doesn't say. */
export interface Body {
  readonly schema: Schema
  readonly left: ReadonlyArray<Statement>
}

/** What is noted on a way to a provider, and how much may still be written. */
export interface Notebook {
  readonly profile: ProviderProfile
  readonly notes: Array<SchemaNote>
  /** Where in the arguments. */
  readonly path: Array<string>
  room: number
  readonly names: () => Names
  /** Why the profile can't express it at all. */
  refused: string | undefined
}

export interface Pass extends Notebook {
  readonly tool: ToolShape
  readonly render: (shape: Shape) => Schema
  /** Definitions that are referred to, in order. */
  readonly used: Set<Definition>
  /** Definitions that are being written where they are used. */
  readonly open: Set<Definition>
  /** Made when the profile first asks for it. */
  leadsBack: LeadsBack | undefined
  /** The definition whose body is being written, and whether what is written may be left out of it. */
  body: Definition | undefined
  isOptional: boolean
  depth: number
}

/** So many characters of texts and values count as a part. */
export const SIZE_OF_PART = 256

/** What has this size as so many parts. */
export const charge = (pass: Notebook, size: number): void => {
  pass.room -= Math.floor(size / SIZE_OF_PART)
}

export const note = (pass: Notebook, kind: NoteKind, text: string): void => {
  if (pass.notes.length < MAX_NOTES) pass.notes.push({ path: spellPath(pass.path), kind, text })
}

/** The profile can't express it: the whole is void. */
export const refuse = (pass: Notebook, reason: string): void => {
  pass.refused ??= `${spellPath(pass.path) || "the input"} ${reason}`
}

export const has = ({ profile }: Notebook, keyword: string): boolean => profile.keywords.has(keyword)

/** Each value counts as some characters. */
export const SIZE_OF_VALUE = 32

/** In characters: what is written where it is used is written again each time, and a long text counts as many parts. */
export const sizeOf = (value: Json | undefined): number => {
  if (value === undefined) return 0
  if (typeof value === "string") return SIZE_OF_VALUE + value.length
  if (typeof value !== "object" || value === null) return SIZE_OF_VALUE
  let size = SIZE_OF_VALUE
  if (isList(value)) { for (const each of value) size += sizeOf(each) }
  else for (const key of Object.keys(value)) size += key.length + sizeOf(value[key])
  return size
}

/** The name of a property as the provider takes it. */
export const nameFor = ({ names, profile }: Notebook, name: string): string =>
  isIdentifier(name) || profile.propertyName.test(name) ? name : names().legal(name)

export const noteRenamed = (pass: Notebook, name: string, legal: string): void =>
  note(pass, "renamed", `${quoteName(name)} is sent as "${legal}"`)

export const quoteName = (name: string): string => JSON.stringify(Text.cut(name, 200, "…"))

/** What strict mode makes of an object that may have more. */
export const ONLY_DECLARED = "only declared properties can be given"

/** At a place of its own in the arguments. */
export const renderAt = (pass: Pass, segment: string, shape: Shape): Schema => {
  pass.path.push(segment)
  const schema = pass.render(shape)
  pass.path.pop()
  return schema
}

/** Whether a shape leads back to the definition that is being written. */
export const leadsBack = (pass: Pass, shape: Shape): boolean => {
  if (pass.body === undefined) return false
  pass.leadsBack ??= makeLeadsBack()
  return pass.leadsBack(shape, pass.body)
}
