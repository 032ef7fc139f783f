/** The fields of what agents send. */
import * as Schema from "effect/Schema"

/** Some servers write `null` where the protocol says absent. */
export const field = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
