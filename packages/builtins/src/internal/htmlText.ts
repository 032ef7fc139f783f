/** HTML as plain text: a line for each block, a mark for each item of a list, cells apart. */
import * as Effect from "effect/Effect"
import { BLOCKS, type HtmlDocument, type HtmlSink, readHtml } from "./htmlReader.ts"

export const htmlToText = Effect.fnUntraced(function*(html: string, baseUrl: string, maxLength: number) {
  const sink = new TextSink(maxLength)
  const document = yield* readHtml(html, baseUrl, sink)
  return { ...document, text: sink.result() } satisfies HtmlDocument & { readonly text: string }
})

/** Blocks with an empty line around them; others begin a line. */
const APART: ReadonlySet<string> = new Set(
  "p h1 h2 h3 h4 h5 h6 pre blockquote table ul ol dl hr figure section article".split(" ")
)

class TextSink implements HtmlSink {
  readonly #maxLength: number
  readonly #parts: Array<string> = []
  #length = 0
  /** Line ends, or else a blank, that come before the next text. */
  #lines = 0
  #hasBlank = false
  #pre = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  isFull(): boolean {
    return this.#length >= this.#maxLength
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === "br") return this.#break(this.#lines + 1)
    if (name === "img") return this.text(attributes.get("alt") ?? "")
    if (name === "td" || name === "th") return this.#cell()
    if (BLOCKS.has(name)) this.#break(APART.has(name) ? 2 : 1)
    if (name === "li") this.#write("- ")
    if (name === "pre") this.#pre++
  }

  close(name: string): void {
    if (name === "td" || name === "th" || name === "br") return
    if (BLOCKS.has(name)) this.#break(APART.has(name) ? 2 : 1)
    if (name === "pre") this.#pre--
  }

  text(text: string): void {
    if (this.#pre > 0) return this.#write(text)
    const words = text.replace(WHITE_SPACE, " ")
    if (words.startsWith(" ")) this.#hasBlank = true
    const inner = words.trim()
    if (inner === "") return
    this.#write(inner)
    this.#hasBlank = words.endsWith(" ")
  }

  result(): string {
    return this.#parts.join("").trim()
  }

  /** The first cell follows the end of a line. */
  #cell(): void {
    if (this.#lines === 0) this.#write("\t")
  }

  #break(lines: number): void {
    this.#lines = Math.min(2, Math.max(this.#lines, lines))
    this.#hasBlank = false
  }

  #write(text: string): void {
    if (this.#length > 0 && this.#lines > 0) this.#add("\n".repeat(this.#lines))
    else if (this.#hasBlank && !/\s$/.test(this.#parts.at(-1)?.slice(-1) ?? " ")) this.#add(" ")
    this.#lines = 0
    this.#hasBlank = false
    this.#add(text.slice(0, Math.max(0, this.#maxLength - this.#length)))
  }

  #add(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
  }
}

/** Not the blanks that are meant to stay. */
const WHITE_SPACE = /[ \t\r\n\f]+/g
