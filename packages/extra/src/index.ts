/**
 * Tools of your own: functions, HTTP endpoints and OpenAPI documents.
 *
 * @since 0.1.0
 */
export * as AiToolkit from "./AiToolkit.ts"
export * as ExtraSource from "./ExtraSource.ts"
export * as HttpTool from "./HttpTool.ts"
export { httpTool } from "./HttpTool.ts"
export * as OpenApiDefinition from "./OpenApiDefinition.ts"
export * as OpenApiTools from "./OpenApiTools.ts"
export { openApiTools } from "./OpenApiTools.ts"
