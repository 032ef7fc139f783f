/** For random files and random edits, what `edit` and `apply_patch` make of a file is what the same change makes of its text. */
import type { Json } from "@effect-toolnexus/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { builtins, call, folder, platform } from "./harness.ts"
import { below, pick, type Random, randomLines, seeded } from "./randomText.ts"

const RUNS = Number(process.env["SEEDS"] ?? 400)

const seeds = Array.from({ length: RUNS }, (_, seed) => seed)

interface Style {
  readonly name: string
  /** From a text with LF to the bytes of the file. */
  readonly encode: (text: string) => Uint8Array
}

const utf8 = (text: string) => new TextEncoder().encode(text)

const utf16 = (isLittle: boolean) => (text: string) => {
  const bytes = new Uint8Array(2 + text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let index = -1; index < text.length; index++) {
    view.setUint16(2 + index * 2, index === -1 ? 0xfeff : text.charCodeAt(index), isLittle)
  }
  return bytes
}

const crlf = (text: string) => text.replaceAll("\n", "\r\n")

const STYLES: readonly [Style, ...ReadonlyArray<Style>] = [
  { name: "LF", encode: utf8 },
  { name: "CRLF", encode: (text) => utf8(crlf(text)) },
  { name: "BOM and LF", encode: (text) => utf8(`\uFEFF${text}`) },
  { name: "BOM and CRLF", encode: (text) => utf8(`\uFEFF${crlf(text)}`) },
  { name: "UTF-16LE and CRLF", encode: (text) => utf16(true)(crlf(text)) },
  { name: "UTF-16BE and LF", encode: utf16(false) }
]

const count = (text: string, part: string) => part === "" ? 0 : text.split(part).length - 1

/** A part of a text that doesn't cut a character, mostly a small one. */
const randomPart = (random: Random, text: string): string => {
  const characters = [...text]
  const start = below(random, characters.length + 1)
  return characters.slice(start, start + 1 + below(random, 12)).join("")
}

interface Trial {
  readonly style: Style
  readonly before: string
  /** `undefined`: the call fails. */
  readonly after: string | undefined
  readonly args: Json.JsonObject
}

/**
 * Holds for every seed: a file that had these bytes has those after the call, and the call succeeds if that is a change.
 * At least so many of them are.
 */
const property = (
  tool: "edit" | "apply_patch",
  atLeast: number,
  make: (random: Random, path: string) => Trial | undefined
) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const root = yield* folder
    const changes = yield* Effect.forEach(seeds, (seed) =>
      Effect.gen(function*() {
        const path = `${seed}`
        const trial = make(seeded(seed), path)
        if (trial === undefined) return false
        const { after, args, before, style } = trial
        const isChange = after !== undefined && after !== before
        yield* fs.writeFile(`${root}/${path}`, style.encode(before))
        const result = yield* Effect.result(call(tool, args))
        const label = JSON.stringify({ seed, style: style.name, before, args, result })
        assert.strictEqual(Result.isSuccess(result), isChange, label)
        assert.deepStrictEqual(yield* fs.readFile(`${root}/${path}`), style.encode(isChange ? after : before), label)
        return isChange
      })).pipe(Effect.provide(builtins({ root })))
    assert.isAbove(changes.filter((isChange) => isChange).length, RUNS * atLeast)
  }).pipe(Effect.provide(platform))

describe("edit", () => {
  it.live(
    "replaces as the same replacement in the text does, in every style",
    () =>
      property("edit", 1 / 4, (random, path) => {
        const before = randomLines(random, 20).join("\n") + pick(random, ["", "\n"])
        const style = pick(random, STYLES)
        const oldString = randomPart(random, before)
        const newString = randomLines(random, 3).join("\n")
        const replaceAll = random() < 0.5
        const occurrences = count(before, oldString)
        const isRight = occurrences === 1 || (occurrences > 1 && replaceAll)
        // without a line end in the file there is no style to keep
        if (!before.includes("\n") && newString.includes("\n")) return undefined
        const after = replaceAll
          ? before.replaceAll(oldString, () => newString)
          : before.replace(oldString, () => newString)
        return {
          style,
          before,
          after: isRight && oldString !== "" ? after : undefined,
          args: { path, oldString, newString, replaceAll }
        }
      }),
    120_000
  )
})

/** A change of lines as a hunk with all of the file as context, and what it makes. */
const randomChange = (random: Random, lines: ReadonlyArray<string>) => {
  const hunk: Array<string> = []
  const after: Array<string> = []
  for (const line of lines) {
    if (random() < 0.15) {
      const added = pick(random, ["new", "$&", "", "+", "- x", "*** End Patch"])
      hunk.push(`+${added}`)
      after.push(added)
    }
    if (random() < 0.2) hunk.push(`-${line}`)
    else {
      hunk.push(` ${line}`)
      after.push(line)
    }
  }
  return { hunk, after }
}

describe("apply_patch", () => {
  it.live(
    "changes lines as the same change of the text does, in every style",
    () =>
      property("apply_patch", 1 / 2, (random, path) => {
        const lines = ["first", ...randomLines(random, 20), "last"]
        const style = pick(random, STYLES)
        const { after, hunk } = randomChange(random, lines)
        const isCrlf = random() < 0.3
        const patchText = [
          "*** Begin Patch",
          `*** Update File: ${path}`,
          "@@",
          ...hunk,
          ...(random() < 0.3 ? ["*** End of File"] : []),
          "*** End Patch"
        ].join(isCrlf ? "\r\n" : "\n")
        return {
          style,
          before: `${lines.join("\n")}\n`,
          after: after.length === 0 ? "" : `${after.join("\n")}\n`,
          args: { patchText }
        }
      }),
    120_000
  )
})
