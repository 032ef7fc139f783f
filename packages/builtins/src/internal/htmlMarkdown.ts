/**
 * HTML as Markdown. The library for it takes well nested HTML of bounded depth, which the reader makes of any; tables have
 * rules of our own, because the plugin for them takes time that grows with the square of the cells.
 */
import * as Effect from "effect/Effect"
import type TurndownService from "turndown"
import { BLOCKS, type HtmlDocument, type HtmlSink, readHtml } from "./htmlReader.ts"

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

interface OpenTable {
  /** Where its tag stands. */
  readonly index: number
  cells: number
  columns: number
  isLayout: boolean
}

/** A table with these in it arranges a page, and as a table it would be one endless line. */
const NOT_IN_CELLS: ReadonlySet<string> = new Set(["table", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"])

/** They have no sign of their own in Markdown, so a page may be converted in parts between them. */
const CONTAINERS: ReadonlySet<string> = new Set(
  "address article aside center details div fieldset figure footer form header main nav section summary".split(" ")
)

/** Characters of HTML after which a part is converted: it takes some milliseconds, and then others have their turn. */
const PART = 16_384

/** Characters of HTML that are converted for each one of the answer, where they can't be parted. */
const MARKUP = 4

/** Writes HTML that the library makes the most of, and converts it part by part. */
class MarkdownSink implements HtmlSink {
  readonly #convert: (markup: string) => string
  readonly #maxLength: number
  readonly #converted: Array<string> = []
  #convertedLength = 0
  /** The part that isn't converted yet. */
  readonly #parts: Array<string> = []
  #length = 0
  /** How many elements are open that aren't mere containers. */
  #depth = 0
  #isAtEdge = true
  readonly #tables: Array<OpenTable> = []
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
    return this.#converted.join("\n\n")
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#pre !== "none") return this.#openInPre(name, attributes)
    if (!CONTAINERS.has(name)) this.#depth++
    this.#isAtEdge = BLOCKS.has(name)
    this.#noteTable(name)
    if (name === "pre") {
      this.#pre = "empty"
      this.#preDepth = 1
      this.#language = languageOf(attributes)
      return this.#add("<pre>")
    }
    this.#add(`<${name}${SHOWN.map((key) => attribute(key, attributes.get(key))).join("")}>`)
  }

  close(name: string): void {
    if (this.#pre !== "none" && !this.#isEndOfPre(name)) return
    if (!CONTAINERS.has(name)) this.#depth--
    if (name === "table") this.#endTable()
    if (!VOID.has(name)) {
      if (this.#isEmpty(name)) this.#length -= this.#parts.pop()?.length ?? 0
      else this.#add(`</${name}>`)
    }
    if (!BLOCKS.has(name)) return
    this.#isAtEdge = true
    if (this.#depth === 0 && this.#length >= PART) this.#convertPart()
  }

  text(text: string): void {
    if (this.#pre !== "none") this.#beginCode()
    const shown = this.#pre === "none" ? text.replace(WHITE_SPACE, " ") : text
    if (this.#isAtEdge && this.#pre === "none" && shown === " ") return
    this.#isAtEdge = false
    this.#add(escaped(shown.slice(0, Math.max(0, this.#maxLength * MARKUP - this.#length))))
  }

  #convertPart(): void {
    const text = this.#convert(this.#parts.splice(0).join(""))
    this.#length = 0
    if (text === "") return
    this.#converted.push(text)
    this.#convertedLength += text.length
  }

  /** What has nothing in it says nothing, and there may be very much of it. A cell keeps its place. */
  #isEmpty(name: string): boolean {
    const last = this.#parts.at(-1) ?? ""
    return name !== "td" && name !== "th" && (last === `<${name}>` || last.startsWith(`<${name} `))
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

  #noteTable(name: string): void {
    if (NOT_IN_CELLS.has(name)) { for (const table of this.#tables) table.isLayout = true }
    if (name === "table") this.#tables.push({ index: this.#parts.length, cells: 0, columns: 0, isLayout: false })
    const table = this.#tables.at(-1)
    if (table === undefined) return
    if (name === "tr") table.cells = 0
    if (name === "td" || name === "th") table.columns = Math.max(table.columns, ++table.cells)
  }

  #endTable(): void {
    const table = this.#tables.pop()
    if (table === undefined || (!table.isLayout && table.columns > 1)) return
    if (this.#parts[table.index] === "<table>") this.#parts[table.index] = `<table class="${LAYOUT}">`
  }

  #add(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
  }
}

const VOID: ReadonlySet<string> = new Set(["br", "hr", "img"])
const SHOWN = ["href", "src", "alt", "start"]
const LAYOUT = "layout"
const WHITE_SPACE = /[ \t\r\n\f]+/g

const languageOf = (attributes: ReadonlyMap<string, string>): string =>
  /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})/.exec(attributes.get("class") ?? "")?.[1] ?? ""

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\0": "" }

const escaped = (text: string): string => text.replace(/[&<>"\0]/g, (character) => ENTITIES[character] ?? character)

const attribute = (name: string, value: string | undefined): string =>
  value === undefined ? "" : ` ${name}="${escaped(value)}"`

const withRules = (turndown: TurndownService): TurndownService =>
  turndown
    .addRule("item", { filter: "li", replacement: makeItems() })
    .addRule("link", {
      filter: "a",
      replacement: (content, node) => link(oneLine(content, " "), attributeOf(node, "href"))
    })
    .addRule("strikethrough", {
      filter: ["del", "s"],
      replacement: (content) => content === "" ? "" : `~~${content}~~`
    })
    .addRule("cell", {
      filter: ["td", "th"],
      replacement: (content, node) =>
        isLayout(node) ? block(content) : ` ${oneLine(content, "<br>").replaceAll("|", "\\|")} |`
    })
    .addRule("row", {
      filter: "tr",
      replacement: (content, node) => isLayout(node) ? block(content) : row(content, node)
    })
    .addRule("table", {
      filter: ["table", "tbody", "caption"],
      replacement: (content, node) => node.nodeName === "TBODY" ? content : block(content)
    })

/** The library's own rule looks for an item's number among all items, for each of them. */
const makeItems = () => {
  const numbers = new WeakMap<Node, number>()
  return (content: string, node: TurndownService.Node): string => {
    const list = node.parentNode
    const number = list === null ? 1 : numbers.get(list) ?? (Number(attributeOf(list, "start") ?? "1") || 1)
    if (list !== null) numbers.set(list, number + 1)
    const mark = list?.nodeName === "OL" ? `${number}. ` : "- "
    const lines = content.trim().split("\n")
    return `${mark}${lines.join(`\n${" ".repeat(mark.length)}`)}${node.nextSibling === null ? "" : "\n"}`
  }
}

const block = (content: string): string => content.trim() === "" ? "" : `\n\n${content}\n\n`

const oneLine = (content: string, separator: string): string =>
  content.split("\n").map((line) => line.trim()).filter((line) => line !== "").join(separator)

/** What ends a link in Markdown is written in the address's own way. */
const link = (text: string, href: string | undefined): string => {
  if (text === "" || href === undefined) return text
  return `[${text}](${href.replaceAll("(", "%28").replaceAll(")", "%29")})`
}

/** The first row is the head, for Markdown knows no table without. */
const row = (cells: string, node: TurndownService.Node): string => {
  if (cells.trim() === "") return ""
  const isFirst = node.previousSibling === null && node.parentNode?.previousSibling?.nodeName !== "TBODY"
  return `\n|${cells}${isFirst ? `\n|${" --- |".repeat(node.childNodes.length)}` : ""}`
}

const isLayout = (node: TurndownService.Node): boolean => {
  let table: Node | null = node
  while (table !== null && table.nodeName !== "TABLE") table = table.parentNode
  return table === null || attributeOf(table, "class") === LAYOUT
}

const attributeOf = (node: Node, name: string): string | undefined =>
  ("getAttribute" in node && typeof node.getAttribute === "function" ? String(node.getAttribute(name) ?? "") : "") ||
  undefined
