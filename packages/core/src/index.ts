/**
 * What every part of effect-toolnexus shares: tools, results, errors, sources, and the key of the toolkit.
 *
 * @since 0.1.0
 */
export { AgentRegistry, type RemoteAgent } from "./AgentRegistry.ts"
export * as Answer from "./Answer.ts"
export * as ConfigKeys from "./ConfigKeys.ts"
export * as Defect from "./Defect.ts"
export * as Diagnostic from "./Diagnostic.ts"
export * as EntryOptions from "./EntryOptions.ts"
export * as EntryTexts from "./EntryTexts.ts"
export { Environment } from "./Environment.ts"
export * as Expansion from "./Expansion.ts"
export * as FileFormat from "./FileFormat.ts"
export { HostResolver, InlineResolver, type Resolver } from "./HostResolver.ts"
export * as HttpAddress from "./HttpAddress.ts"
export {
  type BodyBytes,
  type BodyText,
  type ConnectionOptions,
  type Connections,
  HttpConnections,
  HttpFailure,
  type HttpRequest,
  type HttpResponse,
  type Wanted
} from "./HttpConnections.ts"
export * as InFlight from "./InFlight.ts"
export * as Json from "./Json.ts"
export * as Middleware from "./Middleware.ts"
export * as NameFilter from "./NameFilter.ts"
export * as NetworkPolicy from "./NetworkPolicy.ts"
export * as OptionCheck from "./OptionCheck.ts"
export * as ProviderProfile from "./ProviderProfile.ts"
export * as ProviderSchema from "./ProviderSchema.ts"
export * as RandomId from "./RandomId.ts"
export * as Redaction from "./Redaction.ts"
export * as Request from "./Request.ts"
export { RequestHeaders, type RequestHeadersService } from "./RequestHeaders.ts"
export * as SchemaDocument from "./SchemaDocument.ts"
export * as SchemaValue from "./SchemaValue.ts"
export { Source } from "./Source.ts"
export * as SourceEntry from "./SourceEntry.ts"
export * as Suggestion from "./Suggestion.ts"
export * as Suspension from "./Suspension.ts"
export * as Text from "./Text.ts"
export * as TextFile from "./TextFile.ts"
export { type Challenge, TokenProvider, type TokenProviderService } from "./TokenProvider.ts"
export * as Tool from "./Tool.ts"
export { defineTool } from "./Tool.ts"
export * as ToolCall from "./ToolCall.ts"
export * as ToolError from "./ToolError.ts"
export {
  type CallArguments,
  type Change,
  LogFailures,
  type Shadowed,
  type Snapshot,
  Toolkit,
  type ToolkitEntry,
  type ToolkitService,
  type ViewOptions
} from "./Toolkit.ts"
export * as ToolName from "./ToolName.ts"
export * as ToolResult from "./ToolResult.ts"
export * as Tracing from "./Tracing.ts"
