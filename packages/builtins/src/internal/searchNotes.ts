/** What there is to say of a search besides what it found. */
import type { Ended } from "./ripgrep.ts"
import { singleLine } from "./singleLine.ts"

export const timeNote = ({ isWhole }: Ended): ReadonlyArray<string> =>
  isWhole ? [] : ["[stopped after 60 seconds: this is what was found until then; search a smaller folder]"]

/** Shown of many complaints. */
const MAX_SHOWN = 3

export const complaintNotes = ({ complaints }: Ended): ReadonlyArray<string> => {
  const lines = complaints.split("\n").filter((line) => line.startsWith("rg: ")).map((line) =>
    singleLine(line.slice("rg: ".length).replace(/^\.\//, "").replace(/ \(os error \d+\)$/, ""))
  )
  if (lines.length === 0) return []
  const more = lines.length > MAX_SHOWN ? "; and more" : ""
  return [`[not searched: ${lines.slice(0, MAX_SHOWN).join("; ")}${more}]`]
}
