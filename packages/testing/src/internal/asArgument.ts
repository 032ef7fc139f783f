/** JSON as an argument of a command in a configuration: what looks like a variable in it is not expanded. */
export const asArgument = (json: string): string =>
  json.replaceAll("$", String.raw`\u0024`).replaceAll(/\{(?=env:|file:)/g, String.raw`\u007b`)
