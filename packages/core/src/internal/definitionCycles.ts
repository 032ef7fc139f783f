/** Which definitions contain themselves, and through which others. */
import { type Definition, isAny, type ObjectForm, type Shape, undeclared } from "./shape.ts"

/** Whether a shape, somewhere in it, refers to a definition that leads back to `home`. */
export type LeadsBack = (shape: Shape, home: Definition) => boolean

/** Definitions lead to each other where they are of one component (Tarjan's algorithm); each is looked at once. */
export const makeLeadsBack = (): LeadsBack => {
  const components = new Map<Definition, number>()
  const order = new Map<Definition, number>()
  const lowest = new Map<Definition, number>()
  const stack: Array<Definition> = []

  const visit = (definition: Definition): number => {
    const known = lowest.get(definition)
    if (known !== undefined) return components.has(definition) ? Infinity : order.get(definition) ?? known
    const number = order.size
    order.set(definition, number)
    stack.push(definition)
    let low = number
    lowest.set(definition, low)
    for (const next of referencesIn(definition.shape)) low = Math.min(low, visit(next))
    lowest.set(definition, low)
    if (low === number) close(definition, number)
    return low
  }
  const close = (definition: Definition, component: number): void => {
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      components.set(member, component)
      if (member === definition) return
    }
  }
  const componentOf = (definition: Definition): number | undefined => {
    visit(definition)
    return components.get(definition)
  }
  return (shape, home) => {
    const component = componentOf(home)
    return [...referencesIn(shape)].some((definition) => componentOf(definition) === component)
  }
}

/** Those that stand in a shape itself, not in what it refers to. */
const referencesIn = (shape: Shape, found: Set<Definition> = new Set()): ReadonlySet<Definition> => {
  if (isAny(shape)) return found
  for (const form of shape.forms) {
    if (form.type === "reference") found.add(form.definition)
    else if (form.type === "array") [...form.prefix, form.items].forEach((inner) => referencesIn(inner, found))
    else if (form.type === "object") innerShapes(form).forEach((inner) => referencesIn(inner, found))
  }
  return found
}

const innerShapes = (form: ObjectForm): ReadonlyArray<Shape> => [
  ...form.properties.map(({ shape }) => shape),
  undeclared(form)
]
