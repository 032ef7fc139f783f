/**
 * The toolkit of a set of options without a platform: it asks its environment for file system, paths, processes and
 * HTTP.
 *
 * @since 0.1.0
 */
export * from "@effect-toolnexus/toolkit/ToolkitOptions"
