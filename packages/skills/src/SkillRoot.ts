/**
 * A root is a folder below which skills are looked for: one that a program names, or one where hosts of skills look by
 * convention.
 *
 * @since 0.1.0
 */

/**
 * A root. `optional` is one that needn't exist, and is no failure while it doesn't; a path alone is one that must.
 *
 * @category models
 * @since 0.1.0
 */
export interface SkillRoot {
  readonly path: string
  readonly optional?: boolean
}

/**
 * Hosts that look for skills in a folder of their own: `agents` is the one many of them share.
 *
 * @category models
 * @since 0.1.0
 */
export type Host = "agents" | "claude" | "opencode"

/**
 * **Details**
 *
 * - `project`: the folder an agent works in. Default: the working directory.
 * - `home`: the user's folder. Default: its skills are left out, for what is installed there is for all projects.
 * - `hosts`: whose folders, the first winning a name. Default: all, in the order `agents`, `claude`, `opencode`.
 *
 * @category models
 * @since 0.1.0
 */
export interface HostOptions {
  readonly project?: string
  readonly home?: string
  readonly hosts?: ReadonlyArray<Host>
}

const ALL: ReadonlyArray<Host> = ["agents", "claude", "opencode"]

/**
 * Where hosts keep skills: `.agents/skills`, `.claude/skills` and `.opencode/skills`, in the project and then in the home
 * folder, each optional.
 *
 * **Details**
 *
 * The first root that has a name wins it, so a project's skill hides the home folder's of the same name; the hidden one is
 * skipped as `duplicate-name`. A folder that several of these lead to, by links, is searched once.
 *
 * **Example**
 *
 * ```ts
 * ToolkitLive({ skills: SkillRoot.ofHosts({ home: homedir() }) })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const ofHosts = ({ home, hosts = ALL, project = "." }: HostOptions = {}): ReadonlyArray<SkillRoot> =>
  [project, ...(home === undefined ? [] : [home])].flatMap((folder) =>
    hosts.map((host) => ({ path: `${folder}/.${host}/skills`, optional: true }))
  )
