/**
 * The fold alone: a toolkit of chosen sources, without loading the others or a platform.
 *
 * @since 0.1.0
 */
export * from "@effect-toolnexus/toolkit/ToolkitLayer"
