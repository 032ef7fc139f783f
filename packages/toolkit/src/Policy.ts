/**
 * Which calls are allowed, which a person has to approve, and which are refused (CONTRACT 11): an ordered list of rules,
 * of which the first that fits a call decides. What no rule fits is allowed.
 *
 * @since 0.1.0
 */
import {
  type Diagnostic,
  type Json,
  type Middleware,
  OptionCheck,
  Text,
  type Tool,
  ToolError
} from "@effect-toolnexus/core"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { globMatcher } from "./internal/glob.ts"

/**
 * Which tools and calls a rule is for; what isn't given fits any. In `source`, `entry` and `tool` `*` stands for any
 * characters.
 *
 * **Gotchas**
 *
 * A key that is none of these, a value of the wrong kind and one that is `undefined` throw a `TypeError`: the rule would be
 * for more than it says.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scope {
  /** `mcp`, `skill`, `builtin`, `a2a`, `native`, `http`, `agent` or `custom`. */
  readonly source?: string
  /** The server, agent or document it comes from. */
  readonly entry?: string
  /**
   * Its name here; or where it comes from, if the rule refuses or asks, or names a `source` or `entry`. Else any server
   * could call a tool of its own by the name of one that is allowed.
   */
  readonly tool?: string
  /** Chooses among tools in a way of one's own; `isTrusted`: the owner of its entry vouches for what it says. */
  readonly tools?: (tool: Tool.Tool, isTrusted: boolean) => boolean
  /** Chooses among calls, by arguments that were checked. One that throws counts as a yes, unless the rule allows. */
  readonly when?: (args: Json.JsonObject) => boolean
  /** Told to whoever is refused or asked. */
  readonly reason?: string
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Rule extends Scope {
  readonly effect: "allow" | "ask" | "deny"
}

/**
 * @category models
 * @since 0.1.0
 */
export type Policy = ReadonlyArray<Rule>

/**
 * Calls that go on without a word.
 *
 * @category constructors
 * @since 0.1.0
 */
export const allow = (scope: Scope = {}): Rule => makeRule("allow", scope)

/**
 * Calls that a person has to approve: they are suspended with a request of kind `approval`, before their handler runs.
 *
 * **Example**
 *
 * ```ts
 * const policy = [Policy.allow({ tool: "bash", when: ({ command }) => command === "git status" }), Policy.ask({ tool: "bash" })]
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const ask = (scope: Scope = {}): Rule => makeRule("ask", scope)

/**
 * Calls that are refused.
 *
 * @category constructors
 * @since 0.1.0
 */
export const deny = (scope: Scope = {}): Rule => makeRule("deny", scope)

const makeRule = (effect: Rule["effect"], scope: Scope): Rule => {
  // spread, a text would be a rule for everything
  if (!Predicate.isObject(scope)) throw new TypeError(`Policy.${effect} takes an object, e.g. { tool: "bash" }`)
  const rule = { ...scope, effect }
  checkRule(rule)
  return rule
}

/** A mistake of the program, and so told at once. */
const checkRule = (rule: Rule): void => {
  const effect: unknown = Predicate.hasProperty(rule, "effect") ? rule.effect : undefined
  if (effect !== "allow" && effect !== "ask" && effect !== "deny") {
    throw new TypeError(
      `A rule of a policy is what Policy.allow, Policy.ask or Policy.deny makes, but the effect of one is ${
        JSON.stringify(effect)
      }`
    )
  }
  // what is missed of a rule makes it one for more: what was to be asked for would be allowed
  OptionCheck.check(rule, { owner: "a policy's rule", keys: ruleKeys, isStrict: true })
}

const FUNCTION = OptionCheck.functionOf("a function")

const ruleKeys: Readonly<Record<keyof Rule, OptionCheck.Expectation>> = {
  source: OptionCheck.text,
  entry: OptionCheck.text,
  tool: OptionCheck.text,
  tools: FUNCTION,
  when: FUNCTION,
  reason: { fits: (value) => value === undefined || Predicate.isString(value), what: "a text" },
  effect: OptionCheck.anything
}

/**
 * Asks for tools that say they destroy something, of sources that are ours or vouched for; and for every tool of a server
 * or agent that nobody vouches for (`trusted`), since it may say of itself what it likes.
 *
 * **Example**
 *
 * ```ts
 * ToolkitLive({ policy: [Policy.deny({ entry: "prod-*" }), ...Policy.askDestructive] })
 * ```
 *
 * @category policies
 * @since 0.1.0
 */
export const askDestructive: Policy = [
  ask({
    tools: (tool, isTrusted) => !isOurs(tool) && !isTrusted || tool.annotations?.destructiveHint === true,
    reason: "it may destroy something"
  })
]

/** Own tools, builtins and skills; what an OpenAPI document lists has an entry of its own. */
const isOurs = ({ origin, source }: Tool.Tool): boolean =>
  source !== "mcp" && source !== "a2a" && !(source === "http" && origin.entry !== "")

/**
 * Rules that are for no tool there is: mostly a name that was misspelled, so that what was to be refused runs.
 *
 * @category operations
 * @since 0.1.0
 */
export const unmatched = (
  policy: Policy,
  tools: ReadonlyArray<Tool.Tool>,
  isTrusted: (tool: Tool.Tool) => boolean
): ReadonlyArray<Diagnostic.Diagnostic> =>
  policy.flatMap((rule, index) => {
    const isFor = isForTool(rule)
    if (tools.some((tool) => isFor(tool, isTrusted(tool)))) return []
    return [{
      level: "warning" as const,
      code: "unmatched-rule",
      path: `policy.${index}`,
      message: `The rule "${nameRule(rule)}" is for no tool there is`
    }]
  })

/** The stage that asks a policy, and which suspensions are its own. */
export interface PolicyStage {
  readonly stage: Middleware.Middleware
  readonly isGate: (suspension: ToolError.ToolSuspended) => boolean
  /** Whether a person has to approve this call, which nobody has approved yet; its arguments were checked. */
  readonly asks: (tool: Tool.Tool, args: Json.JsonObject) => boolean
}

/**
 * The stage of a policy. `isTrusted` is asked when a tool is put behind it.
 *
 * @category middleware
 * @since 0.1.0
 */
export const makeStage = (policy: Policy, isTrusted: (tool: Tool.Tool) => boolean): PolicyStage => {
  // by identity: one that looks like ours may come from a handler, or from a call within it
  const gates = new WeakSet<ToolError.ToolSuspended>()
  for (const rule of policy) checkRule(rule)
  const compiled = policy.map((rule) => ({ rule, isFor: isForTool(rule) }))
  const rulesFor = (tool: Tool.Tool): ReadonlyArray<Rule> => {
    const trusted = isTrusted(tool)
    return compiled.filter(({ isFor }) => isFor(tool, trusted)).map(({ rule }) => rule)
  }
  const stage: Middleware.Middleware = (tool, next) => {
    const rules = rulesFor(tool)
    if (rules.length === 0) return next
    return (args, call) => {
      const rule = rules.find((each) => isForCall(each, args))
      if (rule === undefined || rule.effect === "allow" || rule.effect === "ask" && call.isApproved) {
        return next(args, call)
      }
      const { toolName } = call
      if (rule.effect === "deny") return Effect.fail(new ToolError.ToolDenied({ toolName, rule: nameRule(rule) }))
      const request = { id: "", kind: "approval", prompt: approvalPrompt(toolName, args, rule) }
      const suspension = new ToolError.ToolSuspended({ toolName, request })
      gates.add(suspension)
      return Effect.fail(suspension)
    }
  }
  return {
    stage,
    isGate: (suspension) => gates.has(suspension),
    asks: (tool, args) => rulesFor(tool).find((each) => isForCall(each, args))?.effect === "ask"
  }
}

const isForTool = (
  { effect, entry, source, tool: name, tools }: Rule
): (tool: Tool.Tool, isTrusted: boolean) => boolean => {
  const knowsOrigin = effect !== "allow" || entry !== undefined || source !== undefined
  const [isSource, isEntry, isName] = [globMatcher(source), globMatcher(entry), globMatcher(name)]
  return (tool, isTrusted) =>
    isSource(tool.source) && isEntry(tool.origin.entry) &&
    (isName(tool.name) || knowsOrigin && isName(tool.origin.name)) &&
    (tools === undefined || tools(tool, isTrusted))
}

/**
 * A yes is `true` and nothing else, and only a clear no keeps a rule that refuses or asks from a call. The arguments are a
 * copy: looking at them must not change them.
 */
const isForCall = ({ effect, when }: Rule, args: Json.JsonObject): boolean => {
  if (when === undefined) return true
  const answer: unknown = Result.getOrElse(Result.try(() => when(structuredClone(args))), () => undefined)
  // it can't be waited for, and must not end the process
  if (Predicate.isPromiseLike(answer)) Promise.resolve(answer).catch(() => {})
  return effect === "allow" ? answer === true : answer !== false
}

/** As it would be written down. */
const nameRule = ({ effect, entry, reason, source, tool, when }: Rule): string => {
  const scope = Object.entries({ source, entry, tool }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`]
  )
  const words = [effect, ...scope, ...when === undefined ? [] : ["by its arguments"]].join(" ")
  return reason === undefined ? words : `${words}: ${reason}`
}

const approvalPrompt = (toolName: string, args: Json.JsonObject, { reason }: Rule): string =>
  `Allow ${toolName} ${spellArguments(args)}?${reason === undefined ? "" : ` (${reason})`}`

/** What a person reads before saying yes. Each argument is cut by itself: one that is long must not hide another. */
const MAX_ARGUMENTS = 30
const MAX_VALUE = 160

const spellArguments = (args: Json.JsonObject): string => {
  const entries = Object.entries(args)
  const shown = entries.slice(0, MAX_ARGUMENTS).map(([name, value]) => `${spell(name)}:${spell(value)}`)
  const more = entries.length - shown.length
  return `{${[...shown, ...more > 0 ? [`and ${more} more`] : []].join(",")}}`
}

const spell = (value: Json.Json): string => {
  const text = Result.getOrElse(Result.try(() => JSON.stringify(value)), () => "too deep to be shown")
  if (text.length <= MAX_VALUE) return text
  const half = MAX_VALUE / 2
  return `${Text.cut(text, half)} …${text.length - MAX_VALUE} more… ${
    text.slice(-half).replace(/^[\uDC00-\uDFFF]/, "")
  }`
}
