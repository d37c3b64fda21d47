// Writes tasks that ask for the context of TypeScript functions, with the answers of the
// TypeScript compiler.
//
// usage: node tasks.mjs CORPUS DIR > CORPUS.json
//
// A task is a function of DIR with the declarations of DIR that it names (deps) and the
// declarations that name it (dependents). README.md in the folder above describes the format.
// The package typescript is found from the working directory.
import { createRequire } from "node:module"
import fs from "node:fs"
import path from "node:path"

const ts = createRequire(path.join(process.cwd(), "x.js"))("typescript")
const [, , corpus, dir] = process.argv
const root = fs.realpathSync(dir)
const seed = 11, nTasks = 40, minDeps = 3, minLines = 4
const leftOut = /(^|\/)(__tests__|tests?|spec|benchmarks?|examples?|node_modules)\/|\.(test|spec|bench)\./

function files(d) {
  return fs.readdirSync(d, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((e) => {
    const full = path.join(d, e.name)
    if (e.isDirectory()) return e.name === "node_modules" ? [] : files(full)
    return /\.tsx?$/.test(e.name) ? [full] : []
  })
}

// The names of modules that a tsconfig.json of DIR maps to paths.
const config = path.join(root, "tsconfig.json")
const own = fs.existsSync(config) ? ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, root).options : {}
const mapped = own.paths ? { paths: own.paths, ...(own.baseUrl && { baseUrl: own.baseUrl }), pathsBasePath: root, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler } : {}

const program = ts.createProgram(files(root), {
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, allowImportingTsExtensions: true, noEmit: true,
  strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, jsx: ts.JsxEmit.Preserve, types: [], experimentalDecorators: true, ...mapped,
})
const checker = program.getTypeChecker()
const relative = (file) => path.relative(root, file.fileName)
const inside = (file) => file.fileName.startsWith(root + "/")
const lineOf = (node) => node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1

function columnOf(node) { // 1-based, in bytes
  const file = node.getSourceFile(), { line, character } = file.getLineAndCharacterOfPosition(node.getStart())
  const start = file.getPositionOfLineAndCharacter(line, 0)
  return 1 + Buffer.byteLength(file.text.slice(start, start + character))
}

const isFunction = (n) => ts.isArrowFunction(n) || ts.isFunctionExpression(n)

// Returns the kind of a declaration that tasks count, undefined for a parameter, a local, a field.
function kindOf(d) {
  const top = (n) => ts.isSourceFile(n) || ts.isModuleBlock(n)
  if (ts.isFunctionDeclaration(d)) return top(d.parent) ? "func" : undefined
  if (ts.isMethodDeclaration(d) || ts.isMethodSignature(d)) return "method"
  if (ts.isClassDeclaration(d) || ts.isInterfaceDeclaration(d) || ts.isTypeAliasDeclaration(d) || ts.isEnumDeclaration(d)) return top(d.parent) ? "type" : undefined
  if (ts.isVariableDeclaration(d) && ts.isVariableStatement(d.parent.parent) && top(d.parent.parent.parent)) return d.initializer && isFunction(d.initializer) ? "func" : "var"
  return undefined
}

// Returns the declarations of DIR that a name means: of a name for a value and a type, the one
// that the place of the name asks for.
function meant(identifier) {
  let s = checker.getSymbolAtLocation(identifier)
  if (ts.isShorthandPropertyAssignment(identifier.parent)) s = checker.getShorthandAssignmentValueSymbol(identifier.parent)
  if (!s) return undefined
  if (s.flags & ts.SymbolFlags.Alias) s = checker.getAliasedSymbol(s)
  const all = (s.declarations ?? []).filter((d) => d.name && inside(d.getSourceFile()) && kindOf(d))
  const typed = (d) => ts.isInterfaceDeclaration(d) || ts.isTypeAliasDeclaration(d) || ts.isClassDeclaration(d) || ts.isEnumDeclaration(d)
  return all.find((d) => typed(d) === ts.isPartOfTypeNode(identifier)) ?? all[0]
}

const entry = (d) => ({ path: relative(d.getSourceFile()), line: lineOf(d.name), name: d.name.getText(), kind: kindOf(d) })
const keyOf = (d) => `${relative(d.getSourceFile())}:${d.name.getStart()}`
const units = new Map() // key -> {d, uses: Map(key -> declaration)}
const usedBy = new Map() // key -> Map(key -> declaration)

function visit(node, around) {
  if (node.name && kindOf(node)) {
    around = node
    if (!units.has(keyOf(node))) units.set(keyOf(node), { d: node, uses: new Map() })
  }
  if (around && ts.isIdentifier(node) && node !== around.name) {
    const d = meant(node)
    if (d && keyOf(d) !== keyOf(around)) {
      units.get(keyOf(around)).uses.set(keyOf(d), d)
      if (!usedBy.has(keyOf(d))) usedBy.set(keyOf(d), new Map())
      usedBy.get(keyOf(d)).set(keyOf(around), around)
    }
  }
  ts.forEachChild(node, (n) => visit(n, around))
}

for (const f of program.getSourceFiles()) if (inside(f) && !f.isDeclarationFile) visit(f, undefined)

function random() { // mulberry32
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const bodyOf = (d) => d.body ?? (d.initializer && isFunction(d.initializer) ? d.initializer.body : undefined)
const fit = [...units.values()].filter(({ d, uses }) =>
  /func|method/.test(kindOf(d)) && bodyOf(d) && uses.size >= minDeps && d.getText().split("\n").length >= minLines && !leftOut.test(relative(d.getSourceFile())))
const next = random()
for (let i = fit.length - 1; i > 0; i--) {
  const j = Math.floor(next() * (i + 1));
  [fit[i], fit[j]] = [fit[j], fit[i]]
}
const order = (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line)
const once = (list) => list.filter((e, i) => i === 0 || e.path !== list[i - 1].path || e.line !== list[i - 1].line)
const tasks = fit.slice(0, nTasks).map(({ d, uses }) => ({
  path: relative(d.getSourceFile()), line: lineOf(d.name), column: columnOf(d.name), name: d.name.getText(),
  deps: once([...uses.values()].map(entry).sort(order)),
  dependents: once([...(usedBy.get(keyOf(d)) ?? new Map()).values()].map(entry).sort(order)),
})).sort(order)
console.log(`{\n "corpus": ${JSON.stringify(corpus)},\n "tasks": [\n  ${tasks.map((t) => JSON.stringify(t)).join(",\n  ")}\n ]\n}`)
