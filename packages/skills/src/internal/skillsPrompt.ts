/** What the skills put into a system prompt, within a budget where there is one. */
import { Text, ToolName } from "@effect-toolnexus/core"
import * as Order from "effect/Order"
import type { Skill } from "../Skill.ts"

/** The text, and what the budget cost: how many descriptions are shortened, and how many skills not shown. */
export interface Prompt {
  readonly text: string
  readonly shortened: number
  readonly hidden: number
}

interface Item {
  readonly name: string
  readonly description: string
}

const TITLE = "## Available Skills"

const INSTRUCTION =
  "When a task is what one of these skills is for, load that skill with the `skill` tool before you act on the task."

/** A budget is in characters (UTF-16 units) of the whole text. Skills are in the order of their precedence. */
export const renderPrompt = (skills: ReadonlyArray<Skill>, budget = Number.POSITIVE_INFINITY): Prompt => {
  const items = skills.flatMap(({ description, name }) =>
    description === undefined ? [] : [{ name, description: fold(description) }]
  )
  if (items.length === 0) return { text: "", shortened: 0, hidden: 0 }
  const longest = items.reduce((length, { description }) => Math.max(length, description.length), 1)
  const limit = largest(1, longest, (candidate) => sizeOf(items, candidate, 0) <= budget)
  if (limit !== undefined) return render(items, limit, 0)
  const shown = largest(
    0,
    items.length - 1,
    (count) => sizeOf(items.slice(0, count), 1, items.length - count) <= budget
  )
  // where not even the last line has room, nothing has
  return shown === undefined
    ? { text: "", shortened: 0, hidden: items.length }
    : render(items.slice(0, shown), 1, items.length - shown)
}

/** Each description is one line; control characters count as white space, since some readers take them for line ends. */
const fold = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim()

/** The largest number from `low` to `high` that fits, where all below one that fits do; none if `low` doesn't. */
const largest = (low: number, high: number, fits: (candidate: number) => boolean): number | undefined => {
  if (low > high || !fits(low)) return undefined
  let [fitting, tooLarge] = [low, high + 1]
  while (tooLarge - fitting > 1) {
    const middle = Math.floor((fitting + tooLarge) / 2)
    if (fits(middle)) fitting = middle
    else tooLarge = middle
  }
  return fitting
}

/** All descriptions have the same limit, so that a long one is shortened before a short one is. */
const render = (items: ReadonlyArray<Item>, limit: number, hidden: number): Prompt => ({
  text: [TITLE, ...items.toSorted(byCodePoints).map((item) => toLine(item, limit)), ...endOf(hidden)].join("\n"),
  shortened: items.filter(({ description }) => description.length > limit).length,
  hidden
})

const byCodePoints = Order.mapInput(ToolName.byCodePoints, ({ name }: Item) => name)

const toLine = ({ description, name }: Item, limit: number): string =>
  `- **${name}**: ${description.length > limit ? Text.cut(description, limit - 1).trimEnd() + "…" : description}`

/** At least as long as what is rendered: a cut may take a blank, or half a character, more. */
const sizeOf = (items: ReadonlyArray<Item>, limit: number, hidden: number): number =>
  items.reduce(
    (size, { description, name }) => size + FRAME + name.length + Math.min(description.length, limit),
    TITLE.length + endOf(hidden).reduce((size, line) => size + 1 + line.length, 0)
  )

/** Of a line, with its line break, beside name and description. */
const FRAME = "\n- ****: ".length

const endOf = (hidden: number): ReadonlyArray<string> => [
  "",
  INSTRUCTION,
  ...(hidden === 0 ? [] : [`(${hidden} more ${hidden === 1 ? "skill is" : "skills are"} not shown)`])
]
