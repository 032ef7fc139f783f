/** The ready-made sources, from the options and the configuration, in the order of precedence. */
import * as AgentSource from "@effect-toolnexus/agents/AgentSource"
import * as BuiltinSource from "@effect-toolnexus/builtins/BuiltinSource"
import { type Diagnostic, EntryOptions, Source, SourceEntry } from "@effect-toolnexus/core"
import * as ExtraSource from "@effect-toolnexus/extra/ExtraSource"
import * as OpenApiDefinition from "@effect-toolnexus/extra/OpenApiDefinition"
import * as OpenApiTools from "@effect-toolnexus/extra/OpenApiTools"
import { McpSource } from "@effect-toolnexus/mcp/McpSource"
import type { SkillDefinition } from "@effect-toolnexus/skills/Skill"
import type { SkillRoot } from "@effect-toolnexus/skills/SkillRoot"
import { SkillSource } from "@effect-toolnexus/skills/SkillSource"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Precedence from "../Precedence.ts"
import type { RawEntry, ToolkitConfig } from "../ToolkitConfig.ts"
import type { ToolkitOptions } from "../ToolkitOptions.ts"
import { inPlace } from "./configDocument.ts"

export const sourceLayers = Effect.fnUntraced(
  function*<R>(options: ToolkitOptions<R>, config: ToolkitConfig, precedence: Precedence.Precedence) {
    const path = yield* Path.Path
    const builtins = readBuiltins(options, config, path)
    const agents = readAgents(options, config, path)
    const documents = readDocuments(config)
    const layers = {
      mcp: McpSource.layer({ servers: config.servers }),
      skill: skillLayer(options, config, path),
      builtin: BuiltinSource.layer(builtins.options),
      agent: AgentSource.layer({ agents: agents.definitions, failed: agents.failures }),
      extra: ExtraSource.layer<R>([...options.tools ?? [], ...documents.items], { failed: documents.failures })
    }
    const diagnostics = [
      ...config.diagnostics,
      ...builtins.diagnostics,
      ...agents.diagnostics,
      ...documents.diagnostics
    ]
    // spelled out, since a list literal would reduce to what all have in common and forget the sources' own services
    const sources: ReadonlyArray<(typeof layers)[Precedence.RankedKind] | Layer.Layer<Source>> = [
      // whoever made the order by hand may have left kinds out
      ...Precedence.make(precedence.order).order.map((kind) => layers[kind]),
      Source.fromEntries("config", configEntry(options, config, diagnostics))
    ]
    return sources
  }
)

/** There whenever a configuration was given, so that its diagnostics have a place. */
const configEntry = (
  options: Pick<ToolkitOptions, "config">,
  { error }: ToolkitConfig,
  diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
): ReadonlyArray<SourceEntry.SourceEntry> => {
  if (error !== undefined) return [SourceEntry.failed(error, { diagnostics })]
  if (options.config !== undefined) return [SourceEntry.loaded("<config>", { diagnostics })]
  // what there is to say of code has no status of its own
  return diagnostics.length === 0 ? [] : [SourceEntry.loaded("<options>", { diagnostics, unlisted: true })]
}

const skillLayer = (options: SkillOptions, config: ToolkitConfig, path: Path.Path) => {
  const given = options.skills === undefined
    ? []
    : typeof options.skills === "string"
    ? [options.skills]
    : options.skills
  const roots = new Map(given.flatMap((skill) => {
    const root = toRoot(skill, path)
    return root === undefined ? [] : [[skill, root] as const]
  }))
  const definitions = given.filter((skill): skill is SkillDefinition => !roots.has(skill))
  return SkillSource.layer({
    roots: [...roots.values(), ...config.skills],
    definitions: [...definitions, ...options.skillDefs ?? []],
    ...(options.skillProvider === undefined ? {} : { provider: options.skillProvider }),
    ...(options.skillsFilter === undefined ? {} : { filter: options.skillsFilter }),
    ...(options.disableSkills === undefined ? {} : { disabled: options.disableSkills }),
    ...(options.skillSampleLimit === undefined ? {} : { sampleLimit: options.skillSampleLimit }),
    ...(options.watch === undefined ? {} : { watch: options.watch }),
    ...(options.promptBudget === undefined ? {} : { promptBudget: options.promptBudget })
  })
}

/** A root has a path and no content. What breaks whoever looks at it is the source's to report. */
const toRoot = (skill: string | SkillRoot | SkillDefinition, path: Path.Path): string | SkillRoot | undefined =>
  typeof skill === "string" ? path.resolve(skill) : Result.getOrElse(
    Result.try(() => {
      if (!("path" in skill) || "content" in skill) return undefined
      return { path: path.resolve(skill.path), optional: skill.optional === true }
    }),
    () => undefined
  )

type SkillOptions = Pick<
  ToolkitOptions,
  | "skills"
  | "skillDefs"
  | "skillProvider"
  | "skillsFilter"
  | "disableSkills"
  | "skillSampleLimit"
  | "watch"
  | "promptBudget"
>

/** What is said in code replaces the file's; the file's root is relative to the file. */
const readBuiltins = (
  options: Pick<ToolkitOptions, "builtins">,
  { builtins: raw }: ToolkitConfig,
  path: Path.Path
): BuiltinSource.DecodedOptions => {
  if (options.builtins !== undefined) return { options: options.builtins, diagnostics: [] }
  const { diagnostics: found, options: decoded } = BuiltinSource.decodeOptions(raw?.config)
  const diagnostics = raw === undefined ? found : inPlace(raw.path.slice(0, -"builtins".length), found)
  if (typeof decoded === "boolean" || decoded.root === undefined || raw === undefined) {
    return { options: decoded, diagnostics }
  }
  return { options: { ...decoded, root: path.resolve(raw.folder, decoded.root) }, diagnostics }
}

interface Agents {
  readonly definitions: ReadonlyMap<string, AgentSource.AgentDefinition>
  readonly failures: ReadonlyArray<SourceEntry.SourceEntry>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** Those given in code come first, and win by name. */
const readAgents = (options: Pick<ToolkitOptions, "agents">, config: ToolkitConfig, path: Path.Path): Agents => {
  const definitions = new Map<string, AgentSource.AgentDefinition>()
  const failures: Array<SourceEntry.SourceEntry> = []
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  for (const [name, agent] of agentsInCode(options.agents)) {
    if (definitions.has(name)) diagnostics.push(duplicateAgent(name))
    else definitions.set(name, { ...agent, folder: path.resolve(".") })
  }
  for (const [name, entry] of config.agents) {
    if (definitions.has(name)) continue
    Result.match(decodeAgent(name, entry), {
      onFailure: (error) => void failures.push(failedAgent(error, name, entry)),
      onSuccess: (decoded) => {
        definitions.set(name, decoded.definition)
        diagnostics.push(...decoded.diagnostics)
      }
    })
  }
  return { definitions, failures, diagnostics }
}

const failedAgent = (error: SourceEntry.EntryError, name: string, { config, path }: RawEntry) =>
  SourceEntry.failed(error, {
    ...EntryOptions.flagsOf(config),
    diagnostics: AgentSource.diagnose(name, config, path)
  })

const decodeAgent = (name: string, { config, folder, path }: RawEntry) =>
  AgentSource.decodeDefinition(name, config, folder, path)

const agentsInCode = (agents: ToolkitOptions["agents"] = []) =>
  isList(agents)
    // untyped callers put anything here; the source says what is wrong with it
    ? agents.map((agent) => [AgentSource.entryNameOf(agent), agent] as const)
    : Object.entries(agents)

const isList = <A>(value: ReadonlyArray<A> | Readonly<Record<string, A>>): value is ReadonlyArray<A> =>
  Array.isArray(value)

const duplicateAgent = (name: string): Diagnostic.Diagnostic => ({
  level: "warning",
  code: "duplicate-agent",
  path: "agents",
  message: `The agent "${name}" is given twice; the first counts. Give agents as a record to name them yourself`
})

interface Documents {
  readonly items: ReadonlyArray<OpenApiTools.OpenApiTools>
  readonly failures: ReadonlyArray<SourceEntry.SourceEntry>
  readonly diagnostics: ReadonlyArray<Diagnostic.Diagnostic>
}

/** Those given in code are among its tools. */
const readDocuments = ({ openapi }: ToolkitConfig): Documents => {
  const items: Array<OpenApiTools.OpenApiTools> = []
  const failures: Array<SourceEntry.SourceEntry> = []
  const diagnostics: Array<Diagnostic.Diagnostic> = []
  for (const [name, { config, folder, path }] of openapi) {
    Result.match(OpenApiDefinition.decodeDefinition(name, config, folder, path), {
      onFailure: (error) =>
        void failures.push(SourceEntry.failed(error, {
          ...EntryOptions.flagsOf(config),
          diagnostics: OpenApiDefinition.diagnose(name, config, path)
        })),
      onSuccess: (decoded) => {
        items.push(OpenApiTools.fromDefinition(name, decoded.definition))
        diagnostics.push(...decoded.diagnostics)
      }
    })
  }
  return { items, failures, diagnostics }
}
