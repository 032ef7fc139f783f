/** The optional fields of a head. One that isn't what it should be is left out, with a diagnostic. */
import type { Diagnostic } from "@effect-toolnexus/core"
import type { DiskSkill } from "../Skill.ts"
import type { Fields, Value } from "./fields.ts"
import { ALLOWED_TOOLS, checkCompatibility, diagnostic, type Place } from "./openFormat.ts"

type Extras = Pick<DiskSkill, "license" | "compatibility" | "allowedTools" | "metadata">

/** `on` is the place of a field. */
export const readExtras = ({ values }: Fields, on: (field: string) => Place) => {
  const license = values.get("license")?.text
  const compatibility = values.get("compatibility")?.text
  const toolsField = ALLOWED_TOOLS.find((spelling) => values.has(spelling))
  const tools = toolsField === undefined ? undefined : readTools(values.get(toolsField), on(toolsField))
  const metadata = values.get("metadata")
  const extras: Extras = {
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...(tools === undefined ? {} : { allowedTools: tools.allowedTools }),
    ...(metadata === undefined ? {} : { metadata: Object.fromEntries(metadata.record ?? []) })
  }
  const diagnostics: ReadonlyArray<Diagnostic.Diagnostic> = [
    ...(values.has("license") && license === undefined
      ? [diagnostic(on("license"), "illegal-license", "The field license should be text")]
      : []),
    ...(values.has("compatibility") ? checkCompatibility(on("compatibility"), compatibility) : []),
    ...ALLOWED_TOOLS.slice(1).filter((spelling) => values.has(spelling)).map((spelling) =>
      diagnostic(on(spelling), "misspelled-field", `Spell it allowed-tools: other hosts pass "${spelling}" over`)
    ),
    ...(tools?.diagnostics ?? []),
    ...(metadata !== undefined && metadata.isWhole !== true
      ? [
        diagnostic(on("metadata"), "illegal-metadata", "The field metadata should map names to text; the rest is lost")
      ]
      : [])
  ]
  return { diagnostics, extras }
}

/**
 * A blank or a comma separates tools, except inside the brackets of `Bash(git add:*)`. Brackets that nobody closes go to
 * the end: without them `Bash` would be all of it.
 */
const TOOL = /[^\s,()]+(?:\([^)]*(?:\)|$))?/g

const toolsIn = (text: string): ReadonlyArray<string> => text.match(TOOL) ?? []

/**
 * Text and lists are both in use. What is neither restricts the skill to no tool at all: it must never have more than
 * its file grants.
 */
const readTools = (value: Value | undefined, place: Place) =>
  value?.text === undefined
    ? {
      allowedTools: (value?.list ?? []).flatMap(toolsIn),
      diagnostics: [
        diagnostic(place, "illegal-allowed-tools", "The field allowed-tools should be text, separated by blanks")
      ]
    }
    : { allowedTools: toolsIn(value.text), diagnostics: [] }
