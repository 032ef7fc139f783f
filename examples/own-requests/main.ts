/**
 * An agent on requests of one's own: chat completions by `fetch`, nothing between. A stand-in plays the model, so that no
 * key is needed; with OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY any server that speaks chat completions does.
 */
import { Schema } from "effect"
import { createToolkit, defineTool } from "effect-toolnexus"
import { startModel } from "./model.ts"

const Call = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
})
const Message = Schema.Struct({
  role: Schema.String,
  content: Schema.NullOr(Schema.String),
  tool_calls: Schema.optionalKey(Schema.Array(Call))
})
const decode = Schema.decodeUnknownSync(
  Schema.Struct({ choices: Schema.NonEmptyArray(Schema.Struct({ message: Message })) })
)

const weather = defineTool({
  name: "weather",
  description: "The weather in a city",
  input: Schema.Struct({ city: Schema.String }),
  handler: ({ city }) => `sunny in ${city}`
})

const { OPENAI_API_KEY = "none", OPENAI_BASE_URL, OPENAI_MODEL = "stand-in" } = process.env
await using standIn = await startModel()
await using toolkit = await createToolkit({ builtins: false, tools: [weather] })

const ask = async (messages: ReadonlyArray<object>) => {
  const response = await fetch(`${OPENAI_BASE_URL ?? standIn.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model: OPENAI_MODEL, messages, tools: await toolkit.toOpenAI() })
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`)
  return decode(await response.json()).choices[0].message
}

const answer = async ({ function: { arguments: sent, name: declared }, id }: typeof Call.Type) => {
  // the tool's own name and arguments; what is wrong with them the model is told by the result
  const { args, name } = await toolkit.fromProvider("openai", declared, sent)
  return { role: "tool", tool_call_id: id, content: (await toolkit.execute(name, args)).output }
}

const messages: Array<object> = [{ role: "user", content: "Is it nicer in Oslo or in Rome?" }]
for (let round = 1; round <= 20; round++) {
  const message = await ask(messages)
  const answers = await Promise.all((message.tool_calls ?? []).map(answer))
  messages.push(message, ...answers)
  for (const { content } of answers) console.log(">", content)
  if (answers.length > 0) continue
  console.log(message.content)
  break
}
