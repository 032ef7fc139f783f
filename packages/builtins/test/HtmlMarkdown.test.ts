import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { htmlToMarkdown } from "../src/internal/htmlMarkdown.ts"

const markdown = (html: string, maxLength = 10_000_000) =>
  Effect.map(htmlToMarkdown(html, "http://a.test/", maxLength), ({ text }) => text)

/** How many parts the event loop got an effect in. */
const turnsDuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    let turns = 0
    let isEnded = false
    const count = () => {
      turns++
      if (!isEnded) setImmediate(count)
    }
    setImmediate(count)
    const value = yield* effect
    isEnded = true
    return { turns, value }
  })

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("a page that is converted in parts", () => {
  it.live("is the same as one converted as a whole, wherever a part ends", () =>
    Effect.gen(function*() {
      // the first part of the table ends with its 256th row, that of the list with its 482nd item
      for (const count of [1, 10, 255, 256, 257, 481, 482, 483, 2000]) {
        const all = numbers(count)
        assert.strictEqual(
          yield* markdown(`<ul>${all.map((each) => `<li>item ${each}</li>`).join("")}</ul><p>after`),
          `${all.map((each) => `- item ${each}`).join("\n")}\n\nafter`
        )
        assert.strictEqual(
          yield* markdown(`<ol start="5">${all.map((each) => `<li>item ${each}`).join("")}</ol>after`),
          `${all.map((each) => `${each + 5}. item ${each}`).join("\n")}\n\nafter`
        )
        assert.strictEqual(
          yield* markdown(`<table>${all.map((each) => `<tr><th>a${each}<td>b`).join("")}</table>after`),
          `${all.map((each) => `| a${each} | b |${each === 0 ? "\n| --- | --- |" : ""}`).join("\n")}\n\nafter`
        )
        assert.strictEqual(
          yield* markdown(`<blockquote>${all.map((each) => `<p>a${each}</p>`).join("")}</blockquote>after`),
          `${all.map((each) => `> a${each}`).join("\n> \n")}\n\nafter`
        )
      }
    }))

  it.live("loses no text where there is no good place for an end", () =>
    Effect.gen(function*() {
      const all = numbers(2000)
      const words = all.map((each) => `<b>w${each}</b> <a href="/${each}">v${each}</a>`).join(" ")
      const shapes: ReadonlyArray<string> = [
        `<p>${words}`,
        `<ul><li>${words}</ul>`,
        `<table><tr><td>x<td>${words}</table>`,
        `<blockquote><ol><li><ul><li>${words}</ul></ol></blockquote>`,
        `${"<ul><li>".repeat(40)}${words}`
      ]
      for (const shape of shapes) {
        const text = yield* markdown(shape)
        for (const mark of [/\*\*w(\d+)\*\*/g, /\[v(\d+)\]\(http:\/\/a.test\/\d+\)/g]) {
          const found = Array.from(text.matchAll(mark), ([, number]) => Number(number))
          assert.isTrue(
            found.length === all.length && found.every((number, index) => number === index),
            shape.slice(0, 30)
          )
        }
      }
    }))

  it.live("lets others go on, however it is made", () =>
    Effect.gen(function*() {
      const shapes: Readonly<Record<string, string>> = {
        rows: `<table>${"<tr><td>a</td><td>b</td></tr>".repeat(20_000)}</table>`,
        cells: `<table><tr>${"<td>a</td>".repeat(40_000)}</table>`,
        items: `<ul>${"<li>a</li>".repeat(40_000)}</ul>`,
        definitions: "<dl><dt>a<dd>b".repeat(20_000),
        bold: "<b>a</b>".repeat(40_000)
      }
      for (const [name, html] of Object.entries(shapes)) {
        const { turns, value } = yield* turnsDuring(markdown(html, 65_536))
        assert.isAbove(value.length, 10_000, name)
        assert.isAbove(turns, 10, name)
      }
    }))

  it.live("takes no time for blanks and breaks that say nothing", () =>
    Effect.gen(function*() {
      const started = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* markdown(`<p>a${"&nbsp;".repeat(500_000)}b`), "a b")
      assert.strictEqual(yield* markdown(`<p>a${"\u2003\u00a0".repeat(500_000)}b`), "a b")
      assert.match(yield* markdown(`<p>a${"<br>".repeat(500_000)}b`), /^a\s+b$/)
      // some tenths of a second; it was minutes
      assert.isBelow((yield* Clock.currentTimeMillis) - started, 20_000)
    }))
})
