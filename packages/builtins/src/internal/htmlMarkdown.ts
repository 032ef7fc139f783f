/**
 * HTML as Markdown. The library for it takes well nested HTML of bounded depth, which the reader makes of any, and keeps
 * everybody waiting until it is done: so it gets a page in small parts, however the page is made.
 */
import * as Effect from "effect/Effect"
import { BLOCKS, type HtmlDocument, type HtmlSink, readHtml } from "./htmlReader.ts"
import { CONTINUED, LAYOUT, withRules } from "./markdownRules.ts"

/** `maxLength`: characters of Markdown from which on no more is converted. */
export const htmlToMarkdown = Effect.fnUntraced(function*(html: string, baseUrl: string, maxLength: number) {
  const { default: Turndown } = yield* Effect.promise(() => import("turndown"))
  const turndown = withRules(
    new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" })
  )
  const sink = new MarkdownSink((markup) => turndown.turndown(markup), maxLength)
  const document = yield* readHtml(html, baseUrl, sink)
  return { ...document, text: sink.result() } satisfies HtmlDocument & { readonly text: string }
})

interface OpenElement {
  readonly name: string
  readonly tag: string
  /** Where its tag stands. */
  index: number
  /** Of a list: the number of its first item, and how many there are. */
  readonly start: number
  items: number
  /** Of a table: how many cells its row has, and its longest one. */
  cells: number
  columns: number
  isLayout: boolean
  /** Whether its first rows are in the part before. */
  isContinued: boolean
}

/** A table with these in it arranges a page, and as a table it would be one endless line. */
const NOT_IN_CELLS: ReadonlySet<string> = new Set(["table", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"])

/** They have no sign of their own in Markdown. */
const CONTAINERS: ReadonlySet<string> = new Set(
  ("address article aside center dd details div dl dt fieldset figcaption figure footer form header main nav section "
    + "summary").split(" ")
)

/** Nor have these in a table that arranges a page. */
const TABLE_PARTS: ReadonlySet<string> = new Set(["table", "tr", "td", "th", "caption"])

/** Between what is in them they may be parted, and this joins the parts. */
const JOINTS: ReadonlyMap<string, string> = new Map([["ul", "\n"], ["ol", "\n"], ["table", "\n"], [
  "blockquote",
  "\n> \n"
]])
const APART = "\n\n"

/** Characters of HTML after which a part ends at the next good place: it takes some milliseconds. */
const PART = 8192

/** After so many it ends wherever it is, in deep HTML sooner: each level goes through all that is in it. */
const LONGEST_PART = 32_768
const SHORTEST_PART = 2048
const USUAL_LEVELS = 8

/** Characters of code that are converted for each one of the answer; it isn't parted. */
const MARKUP = 4

/** Writes HTML that the library makes the most of. What is open where a part ends goes on in the next one. */
class MarkdownSink implements HtmlSink {
  readonly #convert: (markup: string) => string
  readonly #maxLength: number
  readonly #converted: Array<string> = []
  #convertedLength = 0
  /** What comes between the parts so far and the next one. */
  #joint = ""
  /** The next part. In front are the tags of what goes on, which don't count. */
  readonly #parts: Array<string> = []
  #reopened = 0
  #length = 0
  readonly #open: Array<OpenElement> = []
  #isAtEdge = true
  /** Within `pre` there is one `code`, and text; `begun` once that `code` is there. */
  #pre: "none" | "empty" | "begun" = "none"
  #language = ""
  #preDepth = 0

  constructor(convert: (markup: string) => string, maxLength: number) {
    this.#convert = convert
    this.#maxLength = maxLength
  }

  isFull(): boolean {
    return this.#convertedLength >= this.#maxLength || this.#length >= this.#maxLength * MARKUP
  }

  result(): string {
    this.#convertPart()
    return this.#converted.join("")
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#pre !== "none") return this.#openInPre(name, attributes)
    if (name === "br" && this.#parts.at(-1) === BREAK && this.#parts.at(-2) === BREAK) return
    this.#endLongPart()
    this.#isAtEdge = BLOCKS.has(name)
    this.#noteContent(name)
    const tag = `<${name}${SHOWN.map((key) => attribute(key, attributes.get(key))).join("")}>`
    if (!VOID.has(name)) this.#open.push(opened(name, tag, this.#parts.length, attributes.get("start")))
    this.#add(tag)
    if (name !== "pre") return
    this.#pre = "empty"
    this.#preDepth = 1
    this.#language = languageOf(attributes)
  }

  close(name: string): void {
    if (this.#pre !== "none" && !this.#isEndOfPre(name)) return
    if (!VOID.has(name)) this.#end(name)
    if (!BLOCKS.has(name)) return
    this.#isAtEdge = true
    if (this.#length >= PART && this.#isBetween()) this.#convertPart()
  }

  text(text: string): void {
    if (this.#pre === "none") this.#endLongPart()
    else this.#beginCode()
    const shown = this.#pre === "none" ? text.replace(WHITE_SPACE, " ") : text
    if (this.#pre === "none" && shown === " " && (this.#isAtEdge || this.#parts.at(-1)?.endsWith(" ") === true)) return
    this.#isAtEdge = false
    this.#add(escaped(shown.slice(0, Math.max(0, this.#maxLength * MARKUP - this.#length))))
  }

  #end(name: string): void {
    const element = this.#open.pop()
    if (element?.name === "table") this.#markTable(element)
    if (!this.#isEmpty(name)) return this.#add(`</${name}>`)
    const tag = this.#parts.pop() ?? ""
    if (this.#parts.length >= this.#reopened) {
      this.#length -= tag.length
      return
    }
    // nothing of it was left for this part
    this.#reopened--
    this.#joint = APART
  }

  /** What has nothing in it says nothing, and there may be very much of it. A cell keeps its place. */
  #isEmpty(name: string): boolean {
    const last = this.#parts.at(-1) ?? ""
    return name !== "td" && name !== "th" && (last === `<${name}>` || last.startsWith(`<${name} `))
  }

  #convertPart(): void {
    for (const element of this.#open) if (element.name === "table") this.#markTable(element)
    const ends = this.#open.toReversed().map(({ name }) => `</${name}>`)
    const text = this.#convert([...this.#parts.splice(0), ...ends].join(""))
    if (text !== "") {
      if (this.#converted.length > 0) this.#converted.push(this.#joint)
      this.#converted.push(text)
      this.#convertedLength += text.length
      this.#joint = this.#jointHere()
    }
    for (const element of this.#open) this.#reopen(element)
    this.#reopened = this.#parts.length
    this.#length = 0
  }

  #endLongPart(): void {
    if (this.#length < SHORTEST_PART) return
    const levels = this.#levels()
    if (this.#length < Math.max(SHORTEST_PART, LONGEST_PART * Math.min(1, USUAL_LEVELS / levels.length))) return
    // a row can't be parted, and what has rows as long as this arranges something
    for (const element of this.#open.slice(0, -1)) if (element.name === "table") element.isLayout = true
    this.#convertPart()
  }

  /** What is open and has a sign of its own. */
  #levels(): ReadonlyArray<OpenElement> {
    let isLayout = false
    return this.#open.filter((element) => {
      if (element.name === "table") isLayout = element.isLayout
      return !CONTAINERS.has(element.name) && !(isLayout && TABLE_PARTS.has(element.name))
    })
  }

  #isBetween(): boolean {
    const [level, ...others] = this.#levels()
    return level === undefined || (others.length === 0 && JOINTS.has(level.name))
  }

  #jointHere(): string {
    const [level, ...others] = this.#levels()
    if (level === undefined || others.length > 0 || (level.name === "table" && !level.isContinued)) return APART
    return JOINTS.get(level.name) ?? APART
  }

  #reopen(element: OpenElement): void {
    element.index = this.#parts.length
    const isItemOpen = this.#open.at(-1) !== element
    const number = element.start + element.items - (isItemOpen ? 1 : 0)
    const tag = element.name === "ol"
      ? `<ol start="${number}">`
      : element.isContinued && !element.isLayout
      ? `<table class="${CONTINUED}">`
      : element.tag
    this.#parts.push(tag)
  }

  /** Whether it shows data is known at its end, or at that of a part. */
  #markTable(table: OpenElement): void {
    const isLayout = table.isLayout || table.columns <= 1
    if (isLayout) this.#parts[table.index] = `<table class="${LAYOUT}">`
    else table.isContinued = true
  }

  #noteContent(name: string): void {
    if (name === "li") { for (const list of this.#open.slice(-1)) list.items++ }
    if (NOT_IN_CELLS.has(name)) { for (const element of this.#open) element.isLayout = true }
    const table = TABLE_PARTS.has(name) ? this.#open.findLast((element) => element.name === "table") : undefined
    if (table === undefined) return
    if (name === "tr") table.cells = 0
    if (name === "td" || name === "th") table.columns = Math.max(table.columns, ++table.cells)
  }

  #openInPre(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === "pre") this.#preDepth++
    if (name === "br") return this.text("\n")
    if (name === "code" && this.#pre === "empty") this.#language = languageOf(attributes) || this.#language
  }

  #isEndOfPre(name: string): boolean {
    if (name !== "pre") {
      // a line may be an element of its own
      if (BLOCKS.has(name) && this.#pre === "begun" && this.#parts.at(-1)?.endsWith("\n") === false) this.#add("\n")
      return false
    }
    if (--this.#preDepth > 0) return false
    this.#beginCode()
    this.#pre = "none"
    this.#add("</code>")
    return true
  }

  #beginCode(): void {
    if (this.#pre !== "empty") return
    this.#pre = "begun"
    this.#add(`<code${attribute("class", this.#language === "" ? undefined : `language-${this.#language}`)}>`)
  }

  #add(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
  }
}

const opened = (name: string, tag: string, index: number, start: string | undefined): OpenElement => ({
  name,
  tag,
  index,
  start: Number(start ?? "1") || 1,
  items: 0,
  cells: 0,
  columns: 0,
  isLayout: false,
  isContinued: false
})

const VOID: ReadonlySet<string> = new Set(["br", "hr", "img"])
const SHOWN = ["href", "src", "alt", "start"]
/** Also blanks that are meant to stay: Markdown has no use for them, and for long runs the library takes very long. */
const WHITE_SPACE = /\s+/g
/** More of them in a row say no more. */
const BREAK = "<br>"

const languageOf = (attributes: ReadonlyMap<string, string>): string =>
  /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})/.exec(attributes.get("class") ?? "")?.[1] ?? ""

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\0": "" }

const escaped = (text: string): string => text.replace(/[&<>"\0]/g, (character) => ENTITIES[character] ?? character)

const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? "" : ` ${name}="${escaped(value)}"`
