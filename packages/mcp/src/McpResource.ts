/**
 * What a server has to read beside its tools (MCP, Server Features: Resources): the resources it lists, templates of
 * URIs for those it doesn't list one by one, and what stands in one.
 *
 * Servers are read leniently: what is missing but not needed is left out, what is broken costs only itself and is a
 * diagnostic, and `raw` has each thing as the server sent it, with `annotations`, `icons`, `_meta` and whatever else.
 *
 * @since 0.1.0
 */
import type { Diagnostic } from "@effect-toolnexus/core/Diagnostic"
import type { JsonObject } from "@effect-toolnexus/core/Json"

/**
 * A resource that a server lists.
 *
 * **Details**
 *
 * - `server`: whose it is, by its name in the configuration
 * - `name`: its title or its URI where the server gave it none
 * - `size`: of what stands in it, in bytes
 *
 * @category models
 * @since 0.1.0
 */
export interface Resource {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
  readonly raw: JsonObject
}

/**
 * A template (RFC 6570) of the URIs of resources, e.g. `file:///logs/{day}`. Its variables can be completed.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceTemplate {
  readonly server: string
  readonly uriTemplate: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly raw: JsonObject
}

/**
 * A part of what was read: text, or bytes as base64 text. `uri` is the one that was asked for where the server gave
 * none.
 *
 * @category models
 * @since 0.1.0
 */
export type ResourceContents = TextContents | BlobContents

interface ContentsFields {
  readonly uri: string
  readonly mimeType?: string
  readonly raw: JsonObject
}

/**
 * @category models
 * @since 0.1.0
 */
export interface TextContents extends ContentsFields {
  readonly text: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface BlobContents extends ContentsFields {
  readonly blob: string
}

/**
 * What stands in a resource; a folder may have several parts. At most 10,000.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadResource {
  readonly contents: ReadonlyArray<ResourceContents>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}
