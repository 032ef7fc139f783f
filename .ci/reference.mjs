/**
 * Writes docs/reference from the doc comments of what packages export, one page a package; with --check it says which
 * pages aren't what it would write. Reads the declarations that the compiler has put into `dist`.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"

const root = join(import.meta.dirname, "..")
const folder = join(root, "docs", "reference")

const packages = globSync("packages/*/package.json", { cwd: root }).toSorted()
  .map((file) => ({ folder: join(root, file, ".."), ...JSON.parse(readFileSync(join(root, file), "utf8")) }))
  .filter(({ private: isPrivate }) => isPrivate !== true)

/** A doc comment and the declaration below it, as the compiler prints them: each begins at the start of a line. */
const declarationsOf = (text) =>
  text.split(/^(?=\/\*\*)/m).flatMap((part) => {
    const [, comment, rest] = /^\/\*\*\n?([\s\S]*?)\*\/\n?([\s\S]*)$/.exec(part) ?? []
    if (comment === undefined) return []
    const [statement = ""] = rest.split(/^(?=(?:import|\/\/#|declare|type|interface|const|export \{) ?)/m)
    const [, kind, name] = /^export (?:declare )?(?:abstract )?(const|class|function|interface|type|namespace) (\w+)/
      .exec(statement) ?? []
    return [{ ...parseComment(comment), kind, name, signature: statement.trim() }]
  })

const parseComment = (comment) => {
  const lines = comment.split("\n").map((line) => line.replace(/^ \* ?/, "").trimEnd())
  const text = lines.filter((line) => !/^@\w+/.test(line)).join("\n").trim()
  return { category: lines.find((line) => line.startsWith("@category"))?.slice(10) ?? "", text }
}

/** A fragment in a comment is no program that stands for itself. */
const toMarkdown = (text) => text.replaceAll(/\{@link ([^}]+)\}/g, "`$1`").replaceAll(/^```ts$/gm, "```typescript")

/** A class that is made by a function is printed with its base by name; what it is stands there instead. */
const withBases = (text) => {
  const bases = new Map(
    [...text.matchAll(/^declare const (\w+_base): ([\s\S]*?);\n(?=\/\*\*|export |declare |\/\/#|$)/gm)].map((
      [, name, type]
    ) => [name, type])
  )
  return text.replaceAll(/\bextends (\w+_base)\b/g, (all, name) => bases.has(name) ? `extends ${bases.get(name)}` : all)
}

/** Overloads stand one below the other, and with one comment. */
const exported = (declarations) => {
  const named = new Map()
  for (const declaration of declarations.filter(({ name }) => name !== undefined)) {
    const known = named.get(declaration.name)
    if (known === undefined) named.set(declaration.name, declaration)
    else named.set(declaration.name, { ...known, signature: `${known.signature}\n${declaration.signature}` })
  }
  return [...named.values()]
}

const moduleSection = (file) => {
  const name = basename(file, ".d.ts")
  const text = withBases(readFileSync(file, "utf8")).replace(/^\/\/# sourceMappingURL.*$/m, "")
  const [head, ...rest] = declarationsOf(text)
  const about = head !== undefined && head.name === undefined ? toMarkdown(head.text) : ""
  const all = exported(about === "" ? [head, ...rest].filter(Boolean) : rest)
  if (all.length === 0) return []
  return [`## ${name}`, about, ...all.map(declarationSection)]
}

const declarationSection = ({ category, name, signature, text }) =>
  [
    `### \`${name}\`${category === "" ? "" : ` (${category})`}`,
    toMarkdown(text),
    `\`\`\`typescript\n${signature.replaceAll(/^export (?:declare )?/gm, "").replaceAll(" {\n}", " {}")}\n\`\`\``
  ].filter((part) => part !== "").join("\n\n")

const modulesOf = ({ folder: home }) =>
  globSync("dist/*.d.ts", { cwd: home }).toSorted()
    .filter((file) => existsSync(join(home, "src", `${basename(file, ".d.ts")}.ts`)))
    .filter((file) => !["index.d.ts", "bin.d.ts"].includes(basename(file)))
    .map((file) => join(home, file))

const page = (each) => {
  const sections = modulesOf(each).flatMap(moduleSection)
  if (sections.length === 0) return undefined
  return [
    `# ${each.name}`,
    `${each.description}. Each module is exported by its name, and as \`${each.name}/MODULE\`.`,
    ...sections
  ].filter((section) => section !== "").join("\n\n") + "\n"
}

const pages = packages.flatMap((each) => {
  const text = page(each)
  return text === undefined ? [] : [{ ...each, file: `${basename(each.folder)}.md`, text }]
})

const contents = [
  "# Reference",
  "Made from the doc comments of each package by `npm run reference`.",
  pages.map(({ description, file, name }) => `- [\`${name}\`](${file}): ${description}`).join("\n")
].join("\n\n") + "\n"

const files = [{ file: "README.md", text: contents }, ...pages]

if (process.argv.includes("--check")) {
  const known = (file) => existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : ""
  const stale = files.filter(({ file, text }) => known(file) !== text).map(({ file }) => `docs/reference/${file}`)
  if (stale.length > 0) {
    process.stderr.write(`${stale.join(", ")}: not what the doc comments say; npm run reference writes them\n`)
    process.exitCode = 1
  }
} else {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { file, text } of files) writeFileSync(join(folder, file), text)
}
