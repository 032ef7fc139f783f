/** Objects of a usual schema. */
import { renderFreeObject } from "./renderOpaque.ts"
import { nameFor, note, noteRenamed, ONLY_DECLARED } from "./renderPass.ts"
import { isKeywords, type Keywords } from "./schemaReferences.ts"
import { areTexts, isAmong, isEmpty, type UsualPart } from "./usualPart.ts"
import { renderAt, type UsualPass } from "./usualPass.ts"
import type { UsualInner } from "./writeUsual.ts"

type Writable = Record<string, unknown>

/** An object's properties, and what else it may have. */
export const renderUsualObject = (pass: UsualPass, part: UsualPart): UsualInner | undefined => {
  const { additionalProperties: rest, properties = NOTHING, required = NO_NAMES } = part
  const { anything, keywords, strict } = pass.profile
  if (!isKeywords(properties) || !areTexts(required)) return undefined
  const isOpen = rest === undefined || rest === true || isEmpty(rest)
  if (pass.depth > 1 && isEmpty(properties)) {
    if (required.length > 0) return undefined
    if (isOpen) return renderFree(pass, part, "any object")
    if (anything === "json-text") {
      return rest === false
        ? renderFree(pass, part, "an object without properties")
        : undefined
    }
  }
  const rendered = renderProperties(pass, properties, required)
  if (rendered === undefined) return undefined
  if (strict !== undefined) return isOpen || rest === false ? close(pass, part, rendered) : undefined
  const known = { properties: rendered, required: required.map((name) => nameFor(pass, name)) }
  if (isOpen) return known
  if (rest === false) return { ...known, rest }
  if (!keywords.has("additionalProperties")) return undefined
  const others = renderAt(pass, "{}", rest)
  return others && { ...known, rest: others }
}

/** For strict mode: without other properties, and each of its own is there, be it null. */
const close = (
  pass: UsualPass,
  { additionalProperties, bounds }: UsualPart,
  rendered: Keywords
): UsualInner | undefined => {
  // it may need some that are not declared
  if (bounds !== undefined) return undefined
  if (additionalProperties !== false) note(pass, "narrowed", ONLY_DECLARED)
  return { properties: rendered, required: Object.keys(rendered), rest: false }
}

/** Of which nothing is known. */
const renderFree = (pass: UsualPass, { bounds }: UsualPart, what: string): UsualInner | undefined => {
  const { anything } = pass.profile
  if (anything === "untyped") return { properties: {} }
  if (bounds !== undefined) return undefined
  const { schema: free } = renderFreeObject(pass, what)
  if (pass.refused !== undefined || !isKeywords(free["properties"])) return undefined
  return {
    properties: free["properties"],
    ...areTexts(free["required"]) ? { required: free["required"] } : {},
    ...anything === "typed" ? { rest: true } : {}
  }
}

const NOTHING: Keywords = {}
const NO_NAMES: ReadonlyArray<string> = []

const renderProperties = (
  pass: UsualPass,
  properties: Keywords,
  required: ReadonlyArray<string>
): Keywords | undefined => {
  const names = Object.keys(properties)
  if (names.length > pass.room) return undefined
  const isRequired = isAmong(required)
  let changed: Writable | undefined
  let found = 0
  let isRenamed = false
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ""
    const schema = properties[name]
    const legal = nameFor(pass, name)
    if (legal === "__proto__") return undefined
    const isNeeded = isRequired(name)
    if (isNeeded) found++
    pass.path.push(name)
    if (legal !== name) {
      isRenamed = true
      noteRenamed(pass, name, legal)
    }
    const rendered = renderProperty(pass, schema, isNeeded)
    pass.path.pop()
    if (rendered === undefined) return undefined
    if (rendered !== schema) {
      changed ??= { ...properties }
      changed[name] = rendered
    }
  }
  // else it names the same twice, or what is not declared
  if (found !== required.length) return undefined
  return isRenamed ? renameProperties(pass, changed ?? properties) : changed ?? properties
}

const renameProperties = (pass: UsualPass, properties: Keywords): Keywords =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [nameFor(pass, name), schema]))

const renderProperty = (pass: UsualPass, schema: unknown, isNeeded: boolean): Keywords | undefined => {
  const before = pass.isOptional
  // whatever is above, what is needed somewhere on the way is hard to leave out
  pass.isOptional = isNeeded ? false : before ?? true
  const rendered = pass.render(schema, pass.profile.strict !== undefined && !isNeeded)
  pass.isOptional = before
  return rendered
}
