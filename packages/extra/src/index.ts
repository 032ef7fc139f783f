/**
 * Tools of your own: functions now, HTTP endpoints and OpenAPI documents later.
 *
 * @since 0.1.0
 */
export * as ExtraSource from "./ExtraSource.ts"
