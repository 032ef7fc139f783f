/**
 * Reads HTML as others write it into what a text is made of: well nested elements from a short list, their few attributes,
 * and text. Scripts, styles, comments and what is embedded are left out. The time is that of the length alone, whatever
 * the nesting: a full parser's grows with the square of it, and its tree overflows the stack of who walks it.
 */
import * as Effect from "effect/Effect"
import type { TokenizerCallbacks } from "htmlparser2"

export interface HtmlSink {
  readonly open: (name: string, attributes: ReadonlyMap<string, string>) => void
  readonly close: (name: string) => void
  readonly text: (text: string) => void
  /** Whether it wants no more. */
  readonly isFull: () => boolean
}

export interface HtmlDocument {
  readonly title: string
  /** False where the sink was full before the end. */
  readonly isWhole: boolean
}

/** Characters between two looks at what else there is to do. */
const SLICE = 8192

/** Hands a document to a sink; the event loop goes on in between. */
export const readHtml = Effect.fnUntraced(function*(html: string, baseUrl: string, sink: HtmlSink) {
  const { Tokenizer } = yield* Effect.promise(() => import("htmlparser2"))
  const reader = new HtmlReader(html, baseUrl, sink)
  const tokenizer = new Tokenizer({ decodeEntities: true }, reader)
  let read = 0
  while (read < html.length && !sink.isFull()) {
    tokenizer.write(html.slice(read, read + SLICE))
    read += SLICE
    yield* Effect.yieldNow
  }
  if (!sink.isFull()) tokenizer.end()
  const isWhole = !sink.isFull()
  reader.closeAll()
  return { title: reader.title, isWhole } satisfies HtmlDocument
})

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "))

/** Their contents are no text of the page. */
const LEFT_OUT = setOf(
  "script style template noscript svg iframe object embed canvas audio video title noframes noembed xmp plaintext "
    + "annotation annotation-xml datalist textarea"
)

export const BLOCKS = setOf(
  "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 "
    + "h5 h6 header hr li main nav ol p pre section summary table td th tr ul"
)

const INLINE = setOf("a b strong i em code kbd samp tt del s strike")

const VOID = setOf("br hr img input wbr area base col link meta param source track embed")

const SHOWN_VOID = setOf("br hr img")

/** An end that nobody writes: what an element closes by its beginning, and how far up it looks for that. */
const IMPLIED: ReadonlyMap<string, { readonly closes: ReadonlySet<string>; readonly until: ReadonlySet<string> }> =
  new Map([
    ["li", { closes: setOf("li"), until: setOf("ul ol table") }],
    ["dt", { closes: setOf("dt dd"), until: setOf("dl table") }],
    ["dd", { closes: setOf("dt dd"), until: setOf("dl table") }],
    ["td", { closes: setOf("td th"), until: setOf("tr table") }],
    ["th", { closes: setOf("td th"), until: setOf("tr table") }],
    ["tr", { closes: setOf("tr"), until: setOf("table") }],
    ["a", { closes: setOf("a"), until: setOf("td th table") }]
  ])

/** Before other blocks only a paragraph ends, with what stands in it inline. */
const PARAGRAPH = {
  closes: setOf("p"),
  until: new Set([...BLOCKS].filter((name) => name !== "p"))
}

const TABLE_PARTS = setOf("table tr td th caption")
const CELL = setOf("td th caption")

/** Deeper ones lose their tags, not their text. */
const MAX_DEPTH = 100

class HtmlReader implements TokenizerCallbacks {
  title = ""
  readonly #html: string
  readonly #sink: HtmlSink
  #baseUrl: string
  #hasBase = false
  readonly #open: Array<string> = []
  /** How many elements of a name are open that lost their tags for their depth. */
  readonly #flattened = new Map<string, number>()
  #leftOut: { readonly name: string; depth: number } | undefined
  #name = ""
  #attributes = new Map<string, string>()
  #attribute = ""
  #value = ""

  constructor(html: string, baseUrl: string, sink: HtmlSink) {
    this.#html = html
    this.#baseUrl = baseUrl
    this.#sink = sink
  }

  closeAll(): void {
    for (const name of this.#open.splice(0).toReversed()) this.#sink.close(name)
  }

  ontext(start: number, end: number): void {
    this.#text(this.#html.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    this.#text(String.fromCodePoint(codePoint))
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase()
    this.#attributes = new Map()
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase()
    this.#value = ""
  }

  onattribdata(start: number, end: number): void {
    if (ATTRIBUTES.has(this.#attribute)) this.#value += this.#html.slice(start, end)
  }

  onattribentity(codePoint: number): void {
    if (ATTRIBUTES.has(this.#attribute)) this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(): void {
    const isFirst = ATTRIBUTES.has(this.#attribute) && !this.#attributes.has(this.#attribute)
    if (isFirst) this.#attributes.set(this.#attribute, this.#value)
  }

  onopentagend(): void {
    this.#element(this.#name)
  }

  onselfclosingtag(): void {
    this.#element(this.#name)
    // of an element that isn't void a browser reads the slash as nothing, but nothing embedded goes on after it
    if (this.#leftOut?.name === this.#name) this.#end(this.#name)
  }

  onclosetag(start: number, end: number): void {
    this.#end(this.#html.slice(start, end).toLowerCase())
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #text(text: string): void {
    if (this.#leftOut === undefined) this.#sink.text(text)
    else if (this.#leftOut.name === "title" && this.title.length < MAX_TITLE) this.title += text
  }

  #element(name: string): void {
    if (this.#leftOut !== undefined) {
      if (name === this.#leftOut.name) this.#leftOut.depth++
    } else if (name === "base") this.#rebase()
    else if (VOID.has(name)) this.#void(name)
    else if (LEFT_OUT.has(name)) this.#leftOut = { name, depth: 1 }
    else if (BLOCKS.has(name) || INLINE.has(name)) this.#begin(name)
  }

  #void(name: string): void {
    if (!SHOWN_VOID.has(name)) return
    if (name === "hr") this.#imply(PARAGRAPH)
    this.#sink.open(name, this.#shownAttributes())
    this.#sink.close(name)
  }

  #begin(name: string): void {
    const implied = IMPLIED.get(name)
    if (implied !== undefined) this.#imply(implied)
    else if (BLOCKS.has(name)) this.#imply(PARAGRAPH)
    if (this.#open.length >= MAX_DEPTH) {
      this.#flattened.set(name, (this.#flattened.get(name) ?? 0) + 1)
      return
    }
    this.#open.push(name)
    this.#sink.open(name, this.#shownAttributes())
  }

  #end(name: string): void {
    if (this.#leftOut !== undefined) {
      if (name === this.#leftOut.name && --this.#leftOut.depth === 0) this.#leftOut = undefined
      return
    }
    const flattened = this.#flattened.get(name) ?? 0
    if (flattened > 0) return void this.#flattened.set(name, flattened - 1)
    // an end inside of a cell ends nothing around its table
    const until = TABLE_PARTS.has(name) ? NOTHING : CELL
    const index = this.#open.findLastIndex((open) => open === name || until.has(open))
    if (this.#open[index] === name) this.#closeFrom(index)
  }

  #imply({ closes, until }: { readonly closes: ReadonlySet<string>; readonly until: ReadonlySet<string> }): void {
    const index = this.#open.findLastIndex((open) => closes.has(open) || until.has(open))
    if (closes.has(this.#open[index] ?? "")) this.#closeFrom(index)
  }

  #closeFrom(index: number): void {
    for (const name of this.#open.splice(index).toReversed()) this.#sink.close(name)
  }

  #rebase(): void {
    const base = URL.parse(this.#attributes.get("href") ?? "", this.#baseUrl)
    if (base === null || this.#hasBase) return
    this.#baseUrl = base.href
    this.#hasBase = true
  }

  /** Addresses absolute; those that lead nowhere (scripts, embedded data) left out. */
  #shownAttributes(): ReadonlyMap<string, string> {
    for (const name of ["href", "src"]) {
      const value = this.#attributes.get(name)
      if (value === undefined) continue
      const url = URL.parse(value, this.#baseUrl)
      if (url === null || !SCHEMES.has(url.protocol) || url.href.length > MAX_URL) this.#attributes.delete(name)
      else this.#attributes.set(name, url.href)
    }
    return this.#attributes
  }
}

const NOTHING: ReadonlySet<string> = new Set()

const ATTRIBUTES = setOf("href src alt class start")
const SCHEMES = setOf("http: https: mailto: tel: ftp:")

/** Characters. */
const MAX_URL = 4096
const MAX_TITLE = 500
