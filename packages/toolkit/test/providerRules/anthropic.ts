/** Schemas as Anthropic and Bedrock take them. */
import { draftKeywords, standardType, without } from "./keywords.ts"
import { quoted } from "./plainJson.ts"
import {
  arrayHasItems,
  type Dialect,
  dottedKey,
  requiredDeclared,
  requiredDeclaredHere,
  type Rule
} from "./schemaRules.ts"

export const anthropic: Dialect = {
  name: "Anthropic",
  keywords: draftKeywords,
  type: standardType,
  rootTypes: ["object"],
  propertyKey: dottedKey,
  allowsBooleans: true,
  rules: [requiredDeclared],
  documentRules: []
}

const bareRoot: Rule = function*(schema, { path }, document) {
  const others = Object.keys(schema).filter((keyword) => !["type", "properties", "required"].includes(keyword))
  if (path === document.path && others.length > 0) yield `${path}: the root must be without ${quoted(others)}`
}

export const bedrock: Dialect = {
  ...anthropic,
  name: "Bedrock",
  keywords: without(draftKeywords, "$ref $defs definitions $dynamicRef $anchor $dynamicAnchor $id $schema $vocabulary"),
  rules: [requiredDeclaredHere, arrayHasItems, bareRoot]
}
