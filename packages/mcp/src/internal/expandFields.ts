/** Texts of one server's configuration, expanded; an error names the field, and what came of variables is remembered. */
import * as Expansion from "@effect-toolnexus/core/Expansion"
import * as Effect from "effect/Effect"
import { entryError } from "./entryError.ts"

export interface Fields {
  readonly expand: (field: string, text: string) => ReturnType<typeof expandField>
  /** What variables and files put into the texts so far. */
  readonly secrets: Array<string>
}

export const makeFields = ({ folder, name }: { readonly folder: string; readonly name: string }): Fields => {
  const secrets: Array<string> = []
  return {
    expand: (field, text) =>
      Effect.tap(expandField(name, folder, field, text), (expanded) =>
        Effect.sync(() => {
          secrets.push(...expanded.secrets)
        })),
    secrets
  }
}

const expandField = (entry: string, folder: string, field: string, text: string) =>
  Effect.mapError(
    Expansion.expand(text, { folder }),
    (error) => entryError(entry, "config", `${field}: ${error.message}`)
  )
