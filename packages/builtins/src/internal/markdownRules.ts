/**
 * What Markdown the library makes of an element. Tables have rules of our own, because the plugin for them takes time that
 * grows with the square of the cells.
 */
import type TurndownService from "turndown"

/** The class of a table that arranges a page. */
export const LAYOUT = "layout"

/** The class of a table whose first rows are in the part before. */
export const CONTINUED = "continued"

export const withRules = (turndown: TurndownService): TurndownService =>
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
    && tableClass(node) !== CONTINUED
  return `\n|${cells}${isFirst ? `\n|${" --- |".repeat(node.childNodes.length)}` : ""}`
}

const isLayout = (node: TurndownService.Node): boolean => {
  const name = tableClass(node)
  return name === undefined || name === LAYOUT
}

/** Of the table a node is in; `undefined`: it is in none. */
const tableClass = (node: TurndownService.Node): string | undefined => {
  let table: Node | null = node
  while (table !== null && table.nodeName !== "TABLE") table = table.parentNode
  return table === null ? undefined : attributeOf(table, "class") ?? ""
}

const attributeOf = (node: Node, name: string): string | undefined =>
  ("getAttribute" in node && typeof node.getAttribute === "function" ? String(node.getAttribute(name) ?? "") : "") ||
  undefined
