/** Folders that change while they are watched: real ones, on the system's own events. */
import { Source } from "@effect-toolnexus/core"
import { SkillDiscovery, SkillSource, type SkillSourceOptions } from "@effect-toolnexus/skills"
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import { makeTree, platform, skillText } from "./support.ts"

/** The skills found, each time that they were looked for. */
const watching = Effect.fnUntraced(function*(roots: ReadonlyArray<string>) {
  const found = yield* Queue.unbounded<SkillDiscovery.Discovery>()
  yield* Effect.forkScoped(
    Stream.runForEach(SkillDiscovery.changes(roots), (discovery) => Queue.offer(found, discovery))
  )
  /** Waits until the skills are these; their descriptions, sorted. */
  const until = (...descriptions: ReadonlyArray<string>) =>
    Queue.take(found).pipe(
      Effect.repeat({ until: (discovery) => describe(discovery) === descriptions.join(",") }),
      Effect.timeout("20 seconds"),
      Effect.asVoid
    )
  return { found, until }
})

const describe = ({ found }: SkillDiscovery.Discovery) =>
  found.map(({ description = "" }) => description).toSorted().join(",")

const skill = (description: string) => skillText("s", "Do it.", description)

layer(platform, { excludeTestServices: true })("SkillDiscovery.changes", (it) => {
  it.effect("skills come, change and go", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeTree({ "a/SKILL.md": skill("a") })
      const { until } = yield* watching([root])
      yield* until("a")
      yield* fs.makeDirectory(`${root}/deep/er/b`, { recursive: true })
      yield* fs.writeFileString(`${root}/deep/er/b/SKILL.md`, skill("b"))
      yield* until("a", "b")
      yield* fs.writeFileString(`${root}/deep/er/b/SKILL.md`, skill("c"))
      yield* until("a", "c")
      yield* fs.writeFileString(`${root}/a/new`, skill("d"))
      yield* fs.rename(`${root}/a/new`, `${root}/a/SKILL.md`)
      yield* until("c", "d")
      yield* fs.remove(`${root}/a`, { recursive: true })
      yield* until("c")
      yield* fs.rename(`${root}/deep`, `${root}/moved`)
      yield* fs.writeFileString(`${root}/moved/er/b/SKILL.md`, skill("e"))
      yield* until("e")
    }), 60_000)

  it.effect("a root that is missing, comes, goes, and comes again", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const above = yield* makeTree({ other: "" })
      const root = `${above}/x/y/skills`
      const { found, until } = yield* watching([root])
      const first = yield* Queue.take(found)
      assert.strictEqual(first.unreadableRoots.length, 1)
      for (const round of ["1", "2"]) {
        yield* fs.makeDirectory(`${root}/s`, { recursive: true })
        yield* fs.writeFileString(`${root}/s/SKILL.md`, skill(round))
        yield* until(round)
        yield* fs.remove(`${above}/x`, { recursive: true })
        yield* until()
      }
      yield* fs.makeDirectory(`${root}/s`, { recursive: true })
      yield* fs.writeFileString(`${root}/s/SKILL.md`, skill("3"))
      yield* until("3")
      // another folder under the same name
      yield* fs.rename(root, `${above}/old`)
      yield* fs.makeDirectory(`${root}/s`, { recursive: true })
      yield* fs.writeFileString(`${root}/s/SKILL.md`, skill("4"))
      yield* until("4")
      yield* fs.writeFileString(`${root}/s/SKILL.md`, skill("5"))
      yield* until("5")
    }), 120_000)

  it.effect("links that lead elsewhere: a root, a folder, a file", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeTree({
        "v1/s/SKILL.md": skill("v1"),
        "v2/s/SKILL.md": skill("v2"),
        "far/t/SKILL.md": skill("folder"),
        "files/any.md": skill("file"),
        "v2/folder": { link: "../far" },
        "v2/file/SKILL.md": { link: "../../files/any.md" },
        current: { link: "v1" }
      })
      const { until } = yield* watching([`${root}/current`])
      yield* until("v1")
      yield* fs.symlink("v2", `${root}/next`)
      yield* fs.rename(`${root}/next`, `${root}/current`)
      yield* until("file", "folder", "v2")
      yield* fs.writeFileString(`${root}/files/any.md`, skill("file 2"))
      yield* until("file 2", "folder", "v2")
      yield* fs.writeFileString(`${root}/far/t/SKILL.md`, skill("folder 2"))
      yield* until("file 2", "folder 2", "v2")
      yield* fs.remove(`${root}/v2/folder`)
      yield* until("file 2", "v2")
    }), 60_000)

  it.effect("a flood is one change, and what skills write beside themselves is none", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeTree({ "a/SKILL.md": skill("a"), "a/scripts/x": "", "a/.git/x": "" })
      const { found, until } = yield* watching([root])
      yield* until("a")
      for (let index = 0; index < 50; index++) {
        yield* fs.writeFileString(`${root}/a/scripts/out-${index}`, "x")
        yield* fs.writeFileString(`${root}/a/scripts/x`, String(index))
        yield* fs.remove(`${root}/a/scripts/out-${index}`)
        yield* fs.writeFileString(`${root}/a/.git/x`, String(index))
      }
      yield* Effect.sleep("1 second")
      assert.deepStrictEqual(yield* Queue.poll(found), Option.none())
      const names = Array.from({ length: 50 }, (_, index) => `z${index}`)
      yield* Effect.forEach(names, (name) =>
        Effect.andThen(
          fs.makeDirectory(`${root}/${name}`),
          fs.writeFileString(`${root}/${name}/SKILL.md`, skill(name))
        ), { concurrency: "unbounded" })
      let searches = 0
      yield* Queue.take(found).pipe(
        Effect.tap(() => Effect.sync(() => searches++)),
        Effect.repeat({ until: ({ found: skills }) => skills.length === 51 }),
        Effect.timeout("20 seconds")
      )
      assert.isAtMost(searches, 5)
    }), 60_000)

  it.effect("a body that was written to is a change, though nothing else differs", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeTree({ "s/SKILL.md": skill("s") })
      const { found, until } = yield* watching([root])
      yield* until("s")
      yield* fs.writeFileString(`${root}/s/SKILL.md`, `${skill("s")}More.`)
      yield* Effect.timeout(Queue.take(found), "20 seconds")
    }), 60_000)

  it.effect("what nothing has happened to isn't read again", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const names = Array.from({ length: 20 }, (_, index) => `s${index}`)
      const root = yield* makeTree({
        ...Object.fromEntries(names.map((name) => [`group/${name}/SKILL.md`, skill(name)])),
        "elsewhere/SKILL.md": skill("linked"),
        "group/link": { link: "../elsewhere" }
      })
      const read: Array<string> = []
      const counted = FileSystem.FileSystem.of({
        ...fs,
        open: (path, options) => {
          read.push(path.replace(`${root}/group/`, ""))
          return fs.open(path, options)
        },
        readDirectoryEntries: (path) => {
          read.push(path.replace(`${root}/group`, ""))
          return fs.readDirectoryEntries(path)
        }
      })
      const { until } = yield* Effect.provideService(watching([`${root}/group`]), FileSystem.FileSystem, counted)
      yield* until(...["linked", ...names].toSorted())
      read.length = 0
      yield* fs.writeFileString(`${root}/group/s1/SKILL.md`, skill("x"))
      yield* until(...["linked", "x", ...names.filter((name) => name !== "s1")].toSorted())
      // that with a link in it, and the one that was written to
      assert.deepStrictEqual([...new Set(read)].toSorted(), ["", "/s1", "s1/SKILL.md"])
    }), 60_000)

  it.effect("whatever happens to the folders, in the end what is known is what is there", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeTree({ "away/x": "", "skills/a/SKILL.md": skill("a") })
      const { found } = yield* watching([`${root}/skills`])
      yield* Queue.take(found)
      const random = generator(7)
      let last: SkillDiscovery.Discovery | undefined
      const folders = ["skills", "skills/a", "skills/b", "skills/a/c", "skills/b/c/d", "away", "away/e"]
      const any = () => `${root}/${folders[random(folders.length)]}`
      for (let round = 0; round < 4; round++) {
        for (let step = 0; step < 40; step++) {
          const [one, other] = [any(), any()]
          const actions = [
            fs.makeDirectory(one, { recursive: true }),
            Effect.andThen(
              fs.makeDirectory(one, { recursive: true }),
              fs.writeFileString(`${one}/SKILL.md`, skill(String(step)))
            ),
            fs.remove(`${one}/SKILL.md`),
            fs.remove(one, { recursive: true }),
            fs.rename(one, other),
            fs.symlink(other, `${one}/link${step % 3}`),
            fs.symlink(`${other}/SKILL.md`, `${one}/SKILL.md`)
          ]
          yield* Effect.ignore(actions[random(actions.length)] ?? Effect.void)
          if (random(4) === 0) yield* Effect.sleep(random(150))
        }
        yield* Effect.ignore(fs.makeDirectory(`${root}/skills/last`, { recursive: true }))
        yield* fs.writeFileString(`${root}/skills/last/SKILL.md`, skill(`last ${round}`))
        // nothing more happens, so what is told last must come to be how it is
        const { found: skills } = yield* SkillDiscovery.discover([`${root}/skills`])
        const isKnown = Effect.map(Queue.clear(found), (told) => {
          last = told.at(-1) ?? last
          return Equal.equals(last?.found, skills)
        })
        yield* isKnown.pipe(
          Effect.repeat({ until: (known) => known, schedule: Schedule.spaced("200 millis") }),
          Effect.timeoutOption("20 seconds")
        )
        assert.deepStrictEqual(last?.found, skills)
      }
    }), 120_000)

  it.effect("a mechanism of the host's own is used, and one that breaks is told", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeTree({ "s/SKILL.md": skill("s"), "t/SKILL.md": skill("t"), "u/x": "" })
      const poke = yield* Queue.unbounded<FileSystem.WatchEvent>()
      const own = FileSystem.WatchBackend.of({
        register: (path, _, options) => {
          if (path.endsWith("/t")) throw new Error("no watch left")
          if (path.endsWith("/u")) return Option.some(Stream.fail(refused(path)))
          options?.onReady?.()
          return Option.some(path.endsWith("/s") ? Stream.fromQueue(poke) : Stream.never)
        }
      })
      const { found, until } = yield* Effect.provideService(watching([root]), FileSystem.WatchBackend, own)
      const first = yield* Queue.take(found)
      const [told] = first.diagnostics.filter(({ code }) => code === "not-watched")
      assert.match(told?.message ?? "", /and in 1 more folder are/)
      yield* fs.writeFileString(`${root}/s/SKILL.md`, skill("new"))
      yield* Queue.offer(poke, { _tag: "Update", path: `${root}/s/SKILL.md` })
      yield* until("new", "t")
    }), 60_000)
})

layer(platform)("SkillDiscovery.changes, by a clock of the test's", (it) => {
  it.effect(
    "looks once a minute where a folder can't be watched, and tells only what differs",
    () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const root = yield* makeTree({ "s/SKILL.md": skill("s") })
        const none = FileSystem.WatchBackend.of({ register: (path) => Option.some(Stream.fail(refused(path))) })
        const { found } = yield* Effect.provideService(watching([root]), FileSystem.WatchBackend, none)
        const first = yield* Queue.take(found)
        assert.include(first.diagnostics.map(({ code }) => code), "not-watched")
        yield* TestClock.adjust("61 seconds")
        assert.deepStrictEqual(yield* Queue.poll(found), Option.none())
        yield* fs.writeFileString(`${root}/s/SKILL.md`, skill("new"))
        const waiting = yield* Effect.forkChild(Queue.take(found))
        for (let round = 0; waiting.pollUnsafe() === undefined && round < 100; round++) {
          yield* TestClock.adjust("61 seconds")
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        }
        assert.strictEqual(describe(yield* Fiber.join(waiting)), "new")
      }),
    60_000
  )
})

/** Numbers below a limit, the same ones each time. */
const generator = (seed: number) => {
  let state = seed
  return (limit: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * limit)
  }
}

const refused = (pathOrDescriptor: string) =>
  PlatformError.systemError({ module: "FileSystem", method: "watch", _tag: "PermissionDenied", pathOrDescriptor })

layer(platform, { excludeTestServices: true })("SkillSource with watch", (it) => {
  const build = (options: SkillSourceOptions) => Layer.build(SkillSource.layer({ ...options, watch: true }))

  const entriesUntil = (
    { entries }: Source["Service"],
    isRight: (skills: ReadonlyArray<string>, statuses: ReadonlyArray<string>) => boolean
  ) =>
    SubscriptionRef.changes(entries).pipe(
      Stream.filter((all) =>
        isRight(
          all.flatMap((entry) => entry.skills ?? []).map(({ name }) => name),
          all.map(({ _tag, name }) => `${name} ${_tag}`)
        )
      ),
      Stream.runHead,
      Effect.timeout("20 seconds")
    )

  it.effect("the entries follow, the tool comes and goes, and filters hold", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const above = yield* makeTree({ x: "" })
      const root = `${above}/skills`
      const context = yield* build({ roots: [root], disabled: ["b"] })
      const source = Context.get(context, Source)
      yield* entriesUntil(source, (skills, statuses) => skills.length === 0 && statuses.join() === "<skills> Failed")
      for (const name of ["a", "b", "c"]) {
        yield* fs.makeDirectory(`${root}/${name}`, { recursive: true })
        yield* fs.writeFileString(`${root}/${name}/SKILL.md`, skillText(name))
      }
      yield* entriesUntil(source, (skills, statuses) => skills.join() === "a,c" && statuses[0] === "<skills> Loaded")
      const { load } = Context.get(context, SkillSource)
      yield* fs.writeFileString(`${root}/a/SKILL.md`, skillText("a", "Fresh."))
      assert.include(yield* load("a"), "Fresh.")
      yield* fs.remove(root, { recursive: true })
      yield* entriesUntil(source, (skills, statuses) => skills.length === 0 && statuses.join() === "<skills> Failed")
    }), 60_000)

  it.effect("closing ends every watch, also in the middle of a flood", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeTree(
        Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`s${index}/SKILL.md`, skillText(`s${index}`)]))
      )
      const before = watches()
      for (let round = 0; round < 5; round++) {
        const scope = yield* Scope.make()
        yield* Effect.forkScoped(Scope.provide(build({ roots: [root] }), scope))
        if (round > 0) yield* Effect.sleep(round * 60)
        yield* fs.writeFileString(`${root}/s1/SKILL.md`, skillText("s1", String(round)))
        yield* Scope.close(scope, Exit.void)
      }
      yield* Effect.sleep("100 millis")
      assert.strictEqual(watches(), before)
    }), 60_000)
})

const watches = (): number => process.getActiveResourcesInfo().filter((name) => name === "FSEventWrap").length
