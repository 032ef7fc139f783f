/** Lists and tuples. */
import { nameShape } from "./describeSchema.ts"
import { renderAsserts } from "./renderAsserts.ts"
import { type Body, has, note, type Pass, renderAt } from "./renderPass.ts"
import { type ArrayForm, isNever, OPEN, type Shape, SILENT, unite } from "./shape.ts"

export const renderArray = (pass: Pass, form: ArrayForm): Body => {
  const { left, schema } = renderAsserts(pass, form, { type: "array" })
  if (form.prefix.length === 0) schema["items"] = renderAt(pass, "[]", isNever(form.items) ? ANY_TEXT : form.items)
  else if (has(pass, "prefixItems")) {
    schema["prefixItems"] = form.prefix.map((shape, index) => renderAt(pass, `[${index}]`, shape))
    // some want `items` with every array; where there are no more items, it doesn't matter what they may be
    schema["items"] = renderAt(pass, "[]", isNever(form.items) ? unite(form.prefix) : form.items)
  } else {
    const each = [...form.prefix, ...isNever(form.items) ? [] : [form.items]]
    schema["items"] = renderAt(pass, "[]", unite(each))
    note(pass, "widened", "each item may be what any of them is: places have no shape of their own")
    return { schema, left: [...left, ["items in order", form.prefix.map(nameShape)]] }
  }
  return { schema, left }
}

/** The items of a list that is always empty. */
const ANY_TEXT: Shape = { forms: [OPEN.string], about: SILENT }
