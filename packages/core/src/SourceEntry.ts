/**
 * One part of a source: a server, an agent, a root of skills. What became of it is a tagged value, so that one broken
 * entry never costs the others, and every view of a toolkit (statuses, errors, tools) derives from the same list.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import type { Diagnostic } from "./Diagnostic.ts"
import type { Tool } from "./Tool.ts"

/**
 * The five sources, and the configuration file, which has an entry of its own when it can't be read.
 *
 * @category models
 * @since 0.1.0
 */
export const SourceKind = Schema.Literals(["mcp", "skill", "builtin", "agent", "extra", "config"])

/**
 * @category models
 * @since 0.1.0
 */
export type SourceKind = Schema.Schema.Type<typeof SourceKind>

/**
 * How far an entry came before it failed (CONTRACT 4): `config` its configuration makes no sense; `spawn` its process
 * can't be started; `connect` no answer over the network; `initialize` it answered wrongly, too late, or died before;
 * `list` its contents couldn't be read.
 *
 * @category models
 * @since 0.1.0
 */
export const Phase = Schema.Literals(["config", "spawn", "connect", "initialize", "list"])

/**
 * @category models
 * @since 0.1.0
 */
export type Phase = Schema.Schema.Type<typeof Phase>

/**
 * Why an entry has no tools. `detail` is for a person: what happened and what to do; never a secret.
 *
 * @category errors
 * @since 0.1.0
 */
export class EntryError extends Schema.TaggedError<EntryError>("@effect-toolnexus/core/SourceEntry/EntryError")(
  "EntryError",
  {
    kind: SourceKind,
    entry: Schema.String,
    phase: Phase,
    detail: Schema.String,
    /** How a server asked who we are, its `WWW-Authenticate` header; the entry is `NeedsAuth`. */
    challenge: Schema.optionalKey(Schema.String),
    cause: Schema.optionalKey(Schema.Defect())
  }
) {
  override get message(): string {
    // entries of our own, like `<config>` and `builtin`, say no more than their kind does
    const name = this.entry.startsWith("<") || this.kind === "builtin" ? "" : ` "${this.entry}"`
    return `${labels[this.kind]}${name} failed at ${this.phase}: ${this.detail}`
  }
}

/**
 * Entries that the program can't do without have failed, and so has the build of the toolkit.
 *
 * @category errors
 * @since 0.1.0
 */
export class RequiredEntriesFailed
  extends Schema.TaggedError<RequiredEntriesFailed>("@effect-toolnexus/core/SourceEntry/RequiredEntriesFailed")(
    "RequiredEntriesFailed",
    { entries: Schema.Array(EntryError) }
  )
{
  override get message(): string {
    return `required, but failed: ${this.entries.map(({ message }) => message).join("; ")}`
  }
}

const labels: Readonly<Record<SourceKind, string>> = {
  mcp: "mcp server",
  skill: "skills",
  builtin: "builtins",
  agent: "agent",
  extra: "source",
  config: "configuration"
}

/**
 * A skill as a list shows it; `location` is where it was found.
 *
 * @category models
 * @since 0.1.0
 */
export interface SkillSummary {
  readonly name: string
  readonly description?: string
  readonly location: string
}

/**
 * What every entry has, whatever became of it.
 *
 * @category models
 * @since 0.1.0
 */
export interface EntryFields {
  /** The server's name, the agent's id; names in `<>` are entries of our own. */
  readonly name: string
  /** Stays filled while a lost connection is being repaired. */
  readonly tools: ReadonlyArray<Tool>
  readonly diagnostics: ReadonlyArray<Diagnostic>
  /** Not shown among the statuses: it can't fail, e.g. functions of one's own. */
  readonly unlisted?: boolean
  /** Its owner vouches for what it says of its tools: a policy may believe their hints. */
  readonly trusted?: boolean
  /** The build of the toolkit fails where this entry fails. */
  readonly required?: boolean
  /** What the model should be told beside the tools. */
  readonly prompt?: string
  readonly skills?: ReadonlyArray<SkillSummary>
}

/** A failed entry says why. */
interface FailedFields extends EntryFields {
  readonly error: EntryError
}

/**
 * @category models
 * @since 0.1.0
 */
export type SourceEntry = Data.TaggedEnum<{
  Loaded: EntryFields
  Disabled: EntryFields
  Connecting: EntryFields
  Reconnecting: FailedFields
  NeedsAuth: FailedFields
  Failed: FailedFields
}>

const constructors = Data.taggedEnum<SourceEntry>()

type Rest = Partial<Omit<EntryFields, "name">>

/**
 * It works, and these are its tools.
 *
 * @category constructors
 * @since 0.1.0
 */
export const loaded = (name: string, rest?: Rest): SourceEntry => constructors.Loaded({ ...blank(name), ...rest })

/**
 * Switched off by its owner.
 *
 * @category constructors
 * @since 0.1.0
 */
export const disabled = (name: string, rest?: Rest): SourceEntry => constructors.Disabled({ ...blank(name), ...rest })

/**
 * Its first connection is on the way.
 *
 * @category constructors
 * @since 0.1.0
 */
export const connecting = (name: string, rest?: Rest): SourceEntry =>
  constructors.Connecting({ ...blank(name), ...rest })

/**
 * It was connected once, or its host asked for it, and attempts to connect it follow; its tools stay listed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const reconnecting = (name: string, error: EntryError, rest?: Rest): SourceEntry =>
  constructors.Reconnecting({ ...blank(name), ...rest, error })

/**
 * It refuses us until somebody logs in.
 *
 * @category constructors
 * @since 0.1.0
 */
export const needsAuth = (error: EntryError, rest?: Rest): SourceEntry =>
  constructors.NeedsAuth({ ...blank(error.entry), ...rest, error })

/**
 * It doesn't work, and the error says why.
 *
 * @category constructors
 * @since 0.1.0
 */
export const failed = (error: EntryError, rest?: Rest): SourceEntry =>
  constructors.Failed({ ...blank(error.entry), ...rest, error })

/**
 * Reads an entry by its tag.
 *
 * @category pattern matching
 * @since 0.1.0
 */
export const match: typeof constructors.$match = constructors.$match

const blank = (name: string): EntryFields => ({ name, tools: [], diagnostics: [] })

/**
 * An entry's status in one word.
 *
 * @category models
 * @since 0.1.0
 */
export const Status = Schema.Literals(["connected", "reconnecting", "connecting", "needs_auth", "failed", "disabled"])

/**
 * @category models
 * @since 0.1.0
 */
export type Status = Schema.Schema.Type<typeof Status>

const statuses: Readonly<Record<SourceEntry["_tag"], Status>> = {
  Loaded: "connected",
  Disabled: "disabled",
  Connecting: "connecting",
  Reconnecting: "reconnecting",
  NeedsAuth: "needs_auth",
  Failed: "failed"
}

/**
 * The status of an entry.
 *
 * @category getters
 * @since 0.1.0
 */
export const status = (entry: SourceEntry): Status => statuses[entry._tag]
