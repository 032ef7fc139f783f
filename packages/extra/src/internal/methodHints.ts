import type { Tool } from "@effect-toolnexus/core"

/** What a method says of its tool (RFC 9110, 9.2). */
export const annotationsOf = (method: string): Tool.ToolAnnotations => {
  if (/^(?:GET|HEAD|OPTIONS|TRACE)$/.test(method)) {
    return { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
  }
  const isIdempotent = method === "PUT" || method === "DELETE"
  return { readOnlyHint: false, destructiveHint: method !== "POST", idempotentHint: isIdempotent, openWorldHint: true }
}
