/**
 * Skills for agents: folders with a SKILL.md, definitions in code and providers, as one catalog and one tool.
 *
 * @since 0.1.0
 */
export * as Skill from "./Skill.ts"
export * as SkillCatalog from "./SkillCatalog.ts"
export * as SkillCheck from "./SkillCheck.ts"
export * as SkillDiscovery from "./SkillDiscovery.ts"
export * as SkillError from "./SkillError.ts"
export * as SkillProvider from "./SkillProvider.ts"
export * as SkillRoot from "./SkillRoot.ts"
export { SkillSource, type SkillSourceOptions } from "./SkillSource.ts"
