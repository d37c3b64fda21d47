// Lists the declarations of Scala files with the parser of Scalameta. require finds the
// package scalameta-parsers through NODE_PATH.
const fs = require("node:fs");
const { parseSource } = require("scalameta-parsers");

const groups = {
  "Defn.Class": "type", "Defn.Trait": "type", "Defn.Object": "type", "Defn.Enum": "type", "Defn.Type": "type", "Decl.Type": "type",
  "Defn.Def": "function", "Decl.Def": "function", "Pkg.Object": "module", "Defn.EnumCase": "value",
};

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = fs.readFileSync(path, "utf8");
  let tree;
  for (const dialect of path.endsWith(".sbt") ? ["Sbt1"] : ["Scala213", "Scala3"]) {
    tree = parseSource(text, { dialect });
    if (!tree.error) break;
  }
  if (tree.error) {
    console.log([path, "rejected", 0, String(tree.error).split("\n")[0]].join("\t"));
    continue;
  }
  const put = (group, name) => {
    if (name && name.value) console.log([path, group, text.slice(0, name.pos.start).split("\n").length, name.value].join("\t"));
  };
  list(tree.stats, put);
  inner(tree, (group, name) => put("+" + group, name));
}

// inner prints everything that has a name: also what stands in functions, in blocks, and in
// classes and types without a name.
function inner(node, put) {
  if (node === null || typeof node !== "object") return;
  if (groups[node.type]) put(groups[node.type], node.name);
  if (node.type === "Pat.Var") put("value", node.name);
  for (const child of Object.values(node)) inner(child, put);
}

// list prints the declarations of a file or of a template.
function list(stats, put) {
  for (const s of stats ?? []) {
    if (groups[s.type]) put(groups[s.type], s.name);
    if (/^(Defn|Decl)\.(Val|Var)$/.test(s.type)) s.pats.forEach((p) => names(p, put));
    if (s.type === "Defn.RepeatedEnumCase") s.cases.forEach((c) => put("value", c));
    if (/Given/.test(s.type) && s.name) put(s.templ && s.type === "Defn.Given" ? "type" : "value", s.name);
    if (s.ctor) parameters(s, put);
    if (s.type === "Pkg") list(s.body ? s.body.stats : s.stats, put);
    if (s.type === "Defn.ExtensionGroup") list(s.body.type === "Term.Block" ? s.body.stats : [s.body], put);
    if (s.templ) list(s.templ.body ? s.templ.body.stats : s.templ.stats, put);
  }
}

// parameters prints the parameters of a class that are members.
function parameters(s, put) {
  const isCase = s.type === "Defn.Class" && s.mods.some((m) => m.type === "Mod.Case");
  (s.ctor.paramClauses ?? []).forEach((clause, i) => {
    for (const p of clause.values) {
      if ((isCase && i === 0) || p.mods.some((m) => m.type === "Mod.ValParam" || m.type === "Mod.VarParam")) put("value", p.name);
    }
  });
}

// names prints the names that a pattern binds.
function names(p, put) {
  if (p.type === "Pat.Var") put("value", p.name);
  for (const inner of [p.lhs, p.rhs, ...(p.args ?? []), ...(p.argClause?.values ?? [])]) if (inner) names(inner, put);
}
