// Lists the declarations of TypeScript and JavaScript files with the TypeScript compiler.
// require finds it through NODE_PATH.
const fs = require("node:fs");
const ts = require("typescript");

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const file = ts.createSourceFile(path, fs.readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, kindOf(path));
  if (file.parseDiagnostics.length > 0) {
    console.log([path, "rejected", 0, ts.flattenDiagnosticMessageText(file.parseDiagnostics[0].messageText, " ")].join("\t"));
    continue;
  }
  list(file, file.statements);
  inner(file, file);
}

function kindOf(path) {
  if (/\.tsx$/.test(path)) return ts.ScriptKind.TSX;
  return /\.[cm]?ts$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.JSX;
}

function put(file, group, name) {
  if (!name || ts.isBindingPattern(name)) return;
  const computed = ts.isComputedPropertyName(name);
  const text = computed ? name.expression.getText(file) : name.text;
  if (text === "" || (computed && !/^[\w.]+$/.test(text))) return;
  const { line } = file.getLineAndCharacterOfPosition(name.getStart(file));
  console.log([file.fileName, group, line + 1, text.replace(/\s+/g, " ").trim()].join("\t"));
}

// Everything that has a name is an inner declaration, unless it is listed.
function inner(file, node) {
  ts.forEachChild(node, (n) => {
    if (ts.isClassLike(n) || ts.isInterfaceDeclaration(n) || ts.isTypeAliasDeclaration(n) || ts.isEnumDeclaration(n)) put(file, "+type", n.name);
    else if (ts.isVariableDeclaration(n) || ts.isPropertyDeclaration(n) || ts.isPropertyAssignment(n)) put(file, "+" + groupOf(n.initializer), n.name);
    else if (ts.isPropertySignature(n)) put(file, "+value", n.name);
    else if (ts.isFunctionLike(n)) put(file, "+function", n.name);
    else if (ts.isBinaryExpression(n) && ts.isPropertyAccessExpression(n.left)) put(file, "+" + groupOf(n.right), n.left.name);
    inner(file, n);
  });
}

function list(file, statements) {
  for (const s of statements) {
    if (ts.isFunctionDeclaration(s)) put(file, "function", s.name);
    else if (ts.isClassDeclaration(s)) classOf(file, s, s.name);
    else if (ts.isInterfaceDeclaration(s)) members(file, s);
    else if (ts.isTypeAliasDeclaration(s)) alias(file, s);
    else if (ts.isEnumDeclaration(s)) {
      put(file, "type", s.name);
      for (const m of s.members) put(file, "value", m.name);
    } else if (ts.isModuleDeclaration(s)) moduleOf(file, s);
    else if (ts.isVariableStatement(s)) for (const d of s.declarationList.declarations) variable(file, d.name, d.initializer);
    else if (ts.isExpressionStatement(s)) assignment(file, s.expression);
  }
}

// A name is of the group of the function or class that is its value.
function groupOf(value) {
  while (value && (ts.isParenthesizedExpression(value) || ts.isAsExpression(value) || ts.isSatisfiesExpression(value))) value = value.expression;
  if (!value) return "value";
  if (ts.isFunctionExpression(value) || ts.isArrowFunction(value)) return "function";
  return ts.isClassExpression(value) ? "type" : "value";
}

function variable(file, name, value) {
  if (value && ts.isCallExpression(value) && value.expression.getText(file) === "require") return; // an import
  if (ts.isIdentifier(name)) {
    const group = groupOf(value);
    if (group === "type") classOf(file, value, name);
    else put(file, group, name);
    return;
  }
  for (const e of name.elements) if (!ts.isOmittedExpression(e)) variable(file, e.name);
}

function classOf(file, node, name) {
  put(file, "type", name);
  if (!name) return; // the members of a class without a name have no owner
  for (const m of node.members) {
    if (ts.isConstructorDeclaration(m)) {
      const at = m.getChildren(file).find((c) => c.kind === ts.SyntaxKind.ConstructorKeyword);
      const { line } = file.getLineAndCharacterOfPosition(at.getStart(file));
      console.log([file.fileName, "function", line + 1, "constructor"].join("\t"));
      for (const p of m.parameters) if (ts.isParameterPropertyDeclaration(p, m)) put(file, "value", p.name);
    } else if (ts.isPropertyDeclaration(m)) put(file, groupOf(m.initializer), m.name);
    else if (m.name) put(file, "function", m.name);
  }
}

function members(file, node) {
  put(file, "type", node.name);
  for (const m of node.members) if (m.name) put(file, ts.isPropertySignature(m) ? "value" : "function", m.name);
}

// The members of an alias are those of the object types in it that are not inside of others.
function alias(file, node) {
  put(file, "type", node.name);
  const visit = (n) => {
    if (ts.isTypeLiteralNode(n)) {
      for (const m of n.members) if (m.name) put(file, ts.isPropertySignature(m) ? "value" : "function", m.name);
    } else ts.forEachChild(n, visit);
  };
  visit(node.type);
}

function moduleOf(file, node) {
  let name = node.name;
  let body = node.body;
  put(file, "module", name);
  while (body && ts.isModuleDeclaration(body)) {
    name = body.name;
    body = body.body;
  }
  if (body) list(file, body.statements);
}

// exports.f = function …, A.prototype.m = …, module.exports = class A …
function assignment(file, node) {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return;
  if (ts.isBinaryExpression(node.right)) return assignment(file, node.right);
  const group = groupOf(node.right);
  if (group === "value" || !ts.isPropertyAccessExpression(node.left)) return;
  const own = node.right.name;
  const name = node.left.getText(file) === "module.exports" ? own : node.left.name;
  if (group === "type") classOf(file, node.right, name);
  else put(file, group, name);
}
