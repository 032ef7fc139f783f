/** Which definitions contain themselves, and through which others. */
import { type Definition, isAny, type ObjectForm, type Shape, undeclared } from "./shape.ts"

/** The definitions, or names of some, that lead to each other, as a number: Tarjan's algorithm, each edge looked at once. */
export const makeComponents = <A>(edges: (definition: A) => Iterable<A>) => {
  const components = new Map<A, number>()
  const order = new Map<A, number>()
  const cyclic = new Set<number>()
  const stack: Array<A> = []

  const visit = (definition: A): number => {
    const known = order.get(definition)
    if (known !== undefined) return components.has(definition) ? Infinity : known
    const number = order.size
    order.set(definition, number)
    stack.push(definition)
    let low = number
    for (const next of edges(definition)) {
      // alone in its component, it may still refer to itself
      if (next === definition) cyclic.add(number)
      low = Math.min(low, visit(next))
    }
    if (low === number) close(definition, number)
    return low
  }
  const close = (definition: A, component: number): void => {
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      components.set(member, component)
      if (member === definition) return
      cyclic.add(component)
    }
  }
  const componentOf = (definition: A): number | undefined => {
    visit(definition)
    return components.get(definition)
  }
  return {
    componentOf,
    /** Whether a definition leads back to itself. */
    isCyclic: (definition: A): boolean => {
      const component = componentOf(definition)
      return component !== undefined && cyclic.has(component)
    }
  }
}

/** Whether a shape, somewhere in it, refers to a definition that leads back to `home`. */
export type LeadsBack = (shape: Shape, home: Definition) => boolean

export const makeLeadsBack = (): LeadsBack => {
  const { componentOf } = makeComponents((definition: Definition) => referencesIn(definition.shape))
  return (shape, home) => {
    const component = componentOf(home)
    return [...referencesIn(shape)].some((definition) => componentOf(definition) === component)
  }
}

/** Those that stand in a shape itself, not in what it refers to. Parts may be shared, and are looked at once. */
const referencesIn = (shape: Shape): ReadonlySet<Definition> => {
  const found = new Set<Definition>()
  const seen = new Set<Shape["forms"]>()
  const visit = ({ forms }: Shape): void => {
    if (isAny({ forms, about: {} }) || seen.has(forms)) return
    seen.add(forms)
    for (const form of forms) {
      if (form.type === "reference") found.add(form.definition)
      else if (form.type === "array") [...form.prefix, form.items].forEach(visit)
      else if (form.type === "object") innerShapes(form).forEach(visit)
    }
  }
  visit(shape)
  return found
}

const innerShapes = (form: ObjectForm): ReadonlyArray<Shape> => [
  ...form.properties.map(({ shape }) => shape),
  undeclared(form)
]
