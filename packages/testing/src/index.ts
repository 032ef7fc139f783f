/**
 * For tests of programs that use tools: servers and agents to talk to, layers that put them in place of real ones, and
 * checks. `sourceContract` is in `@effect-toolnexus/testing/SourceContract`, because it needs a test runner.
 *
 * @since 0.1.0
 */
export * as A2aReply from "./A2aReply.ts"
export * as Chaos from "./Chaos.ts"
export * as ChaosProxy from "./ChaosProxy.ts"
export { FakeA2aAgent } from "./FakeA2aAgent.ts"
export * as InMemoryMcpServer from "./InMemoryMcpServer.ts"
export * as NothingLeft from "./NothingLeft.ts"
export { assertNothingLeft } from "./NothingLeft.ts"
export * as ScriptedMcpServer from "./ScriptedMcpServer.ts"
export * as ScriptedModel from "./ScriptedModel.ts"
export * as TestHttp from "./TestHttp.ts"
export * as TestServers from "./TestServers.ts"
