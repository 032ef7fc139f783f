/** What the check of arguments costs, alone: a typical tool's schema, a right call and a wrong one. */
import * as SchemaValidator from "@effect-toolnexus/toolkit/SchemaValidator"
import { measure } from "./harness.ts"

const schema = {
  type: "object",
  properties: {
    owner: { type: "string", description: "Repository owner" },
    repo: { type: "string", pattern: "^[\\w.-]+$" },
    state: { enum: ["open", "closed", "all"] },
    labels: { type: "array", items: { type: "string" }, maxItems: 20 },
    page: { type: "integer", minimum: 1 },
    since: { type: "string", format: "date-time" }
  },
  required: ["owner", "repo"],
  additionalProperties: false
}
const right = { owner: "effect", repo: "effect", state: "open", labels: ["bug", "p1"], page: 2 }
const wrong = { owner: "effect", state: "opened", page: 0, lable: [] }

export const validation = measure({
  title: "Arguments of a typical tool",
  batch: 10_000,
  samples: 15,
  unit: "µs",
  contenders: [
    { name: "JSON.stringify of them", run: async () => JSON.stringify(right) },
    { name: "a right call", run: checking(right) },
    { name: "a wrong call, with its issues", run: checking(wrong) }
  ]
})

function checking(args: object): () => Promise<unknown> {
  const validator = SchemaValidator.compile(schema)
  return async () => validator.validate(args)
}
