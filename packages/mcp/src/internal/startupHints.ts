/** What a person could try where a server gives no reason of its own for not starting. */
import type { Variables } from "@effect-toolnexus/core/Environment"

/** What programs need to get through a proxy, to trust its certificate, and to find a registry of their own. */
const NETWORK =
  /^(?:HTTPS?_PROXY|ALL_PROXY|NO_PROXY|NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|SSL_CERT_(?:FILE|DIR)|NPM_CONFIG_.+)$/i

/** What npm tells every program it runs; nobody set that. */
const OF_NPM = /^npm_config_(?:user_agent|npm_version|node_gyp|global_prefix|local_prefix|init_module)$/i

/** The names of such variables that are set here, but not for the child. */
export const withheldNames = (
  variables: Variables,
  env: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  Object.entries(variables).flatMap(([name, value]) =>
    value !== "" && NETWORK.test(name) && !OF_NPM.test(name) && !Object.hasOwn(env, name) ? [name] : []
  )

const SHOWN_NAMES = 6

/** For a process that neither answered in time nor said a word. */
export const silenceHints = (withheld: ReadonlyArray<string>): string => {
  const slow = "; if it only takes longer (npx downloads a package the first time), raise timeout.startup"
  if (withheld.length === 0) return slow
  const more = withheld.length > SHOWN_NAMES ? ` and ${withheld.length - SHOWN_NAMES} more` : ""
  const names = `${withheld.slice(0, SHOWN_NAMES).join(", ")}${more}`
  return `${slow}; ${names} of our environment ${withheld.length === 1 ? "is" : "are"} not passed on to it, `
    + `"inheritEnv": true would do that`
}

/** Whatever knows no `initialize` speaks another protocol. */
export const NO_MCP_SERVER = " (it may be no MCP server)"

/** The name of a program has no arguments in it. */
export const commandHint = (command: string): string =>
  /\S\s+\S/.test(command) ? "; the command contains a blank: arguments belong into \"args\"" : ""
