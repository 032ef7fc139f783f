/**
 * The options of the one call (CONTRACT 4).
 *
 * {@link layer} makes a toolkit of them on any platform; `ToolkitLive` is the same on Node.
 *
 * @since 0.1.0
 */
import type { AgentDefinition } from "@effect-toolnexus/agents/AgentSource"
import type { BuiltinOptions } from "@effect-toolnexus/builtins/BuiltinSource"
import type { Middleware, Resolver } from "@effect-toolnexus/core"
import type * as ExtraSource from "@effect-toolnexus/extra/ExtraSource"
import type { SkillDefinition } from "@effect-toolnexus/skills/Skill"
import type { SkillProvider } from "@effect-toolnexus/skills/SkillProvider"
import type { SkillRoot } from "@effect-toolnexus/skills/SkillRoot"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkOptions } from "./internal/checkOptions.ts"
import { sourceLayers } from "./internal/sourceLayers.ts"
import type * as Policy from "./Policy.ts"
import * as Precedence from "./Precedence.ts"
import * as ToolkitConfig from "./ToolkitConfig.ts"
import * as ToolkitLayer from "./ToolkitLayer.ts"

/**
 * A remote agent given in code; what is relative in it is so to the working directory.
 *
 * @category models
 * @since 0.1.0
 */
export type AgentOptions = Omit<AgentDefinition, "folder">

/**
 * **Details**
 *
 * Lists given here and in the configuration are joined, these first; everything else here replaces the
 * configuration's. `R` is what the handlers of `tools` ask for.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolkitOptions<R = never> {
  /** A path, JSON text, an object, or a list of these. Default: no configuration is read. */
  readonly config?: ToolkitConfig.ConfigInput
  /** A folder of skills, or a list of folders and definitions. Relative to the working directory. See also `SkillRoot.ofHosts`. */
  readonly skills?: string | ReadonlyArray<string | SkillRoot | SkillDefinition>
  /** Skills given as data. */
  readonly skillDefs?: ReadonlyArray<SkillDefinition>
  /** Skills from elsewhere: asked once, within 30 s; its failure costs only its own skills. */
  readonly skillProvider?: SkillProvider
  /** Name to whether the skill is kept (CONTRACT 6). Default: all are. */
  readonly skillsFilter?: Readonly<Record<string, boolean>>
  /** Files listed with a skill: 0 means 10, -1 none. Default: 10. */
  readonly skillSampleLimit?: number
  /** Skills left out; an explicit entry of `skillsFilter` wins. */
  readonly disableSkills?: ReadonlyArray<string>
  /** Shell and file tools. Default: all on. */
  readonly builtins?: BuiltinOptions
  /** Remote agents; in a record the key is the entry's name, in a list the card's URL. */
  readonly agents?: ReadonlyArray<AgentOptions> | Readonly<Record<string, AgentOptions>>
  /** Tools of your own: what `defineTool`, `httpTool` and `openApiTools` make. */
  readonly tools?: ReadonlyArray<ExtraSource.Item<R>>
  /** Final names that are taken out after the merge. */
  readonly disableTools?: ReadonlyArray<string>
  /** Which source wins a name. Default: `Precedence.standard`. */
  readonly precedence?: Precedence.Precedence
  /** Stages around every call, the first outermost: caching, redaction, a dry run. */
  readonly middleware?: ReadonlyArray<Middleware.Middleware>
  /** The most characters of output that a result keeps, its beginning and its end. Default: 100000. */
  readonly maxOutput?: number
  /** `background` returns at once, and entries appear as they come; required ones are waited for. Default: `wait`. */
  readonly startup?: "wait" | "background"
  /** Who answers suspensions inline. Default: the service `HostResolver`; without one, requests go to the caller. */
  readonly waitFor?: Resolver
  /** Which calls are allowed, asked for, and refused; the first rule that fits decides. Default: all are allowed. */
  readonly policy?: Policy.Policy
  /** Whether folders of skills that change become changes of the toolkit (`changes`). Default: they are read once. */
  readonly watch?: boolean
  /**
   * The most characters (UTF-16 units) of `skillsPrompt`: descriptions are shortened, the longest first, before any skill
   * is left out of it. Default: no limit.
   */
  readonly promptBudget?: number
}

/**
 * The toolkit of these options. Loads no platform: it asks its environment for file system, paths, processes and HTTP.
 * An option that makes no sense, and one that is misspelled, throws a `TypeError` at once.
 *
 * **Example**
 *
 * ```ts
 * const layer = ToolkitOptions.layer({ config: "mcp.json" }).pipe(Layer.provide(MyPlatform))
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <R = never>(options: ToolkitOptions<R>) => {
  checkOptions(options)
  return Layer.unwrap(Effect.gen(function*() {
    const config = yield* ToolkitConfig.load(options.config)
    const precedence = options.precedence ?? Precedence.standard
    const sources = yield* sourceLayers(options, config, precedence)
    return ToolkitLayer.make(sources, {
      disableTools: [...options.disableTools ?? [], ...config.disableTools],
      replaceableBuiltins: precedence.replaceableBuiltins,
      ...(options.middleware === undefined ? {} : { middleware: options.middleware }),
      ...(options.maxOutput === undefined ? {} : { maxOutput: options.maxOutput }),
      ...(options.policy === undefined ? {} : { policy: options.policy }),
      ...(options.waitFor === undefined ? {} : { waitFor: options.waitFor }),
      ...(options.startup === undefined ? {} : { startup: options.startup })
    })
  }))
}
