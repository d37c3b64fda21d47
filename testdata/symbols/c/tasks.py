"""Writes tasks that ask for the context of C and C++ functions, with the answers of libclang.

usage: tasks.py CORPUS SOURCE [SUBDIR] > CORPUS.json

SOURCE is a source tree, SUBDIR the folder in it that is indexed (default: all of it). A task
is a function of SUBDIR with the declarations of SUBDIR that it names (deps) and the functions
that name it (dependents). README.md describes the format.
"""
import ctypes
import json
import os
import random
import re
import sys

from clang.cindex import Config, CursorKind as K, Index, SourceLocation, TranslationUnit

SEED, N_TASKS, MIN_DEPS, MIN_LINES = 11, 40, 3, 4
SOURCES, HEADERS = (".c", ".cc", ".cpp", ".cxx"), (".h", ".hh", ".hpp", ".hxx")
LEFT_OUT = re.compile(r"(^|/)(tests?|testing|testdata|bench|benchmarks?|examples?|fuzz\w*|docs?|third_party|build)(/|$)|[_-](test|bench|benchmark|fuzz)\w*\.")
FUNCTIONS = {K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION, K.FUNCTION_TEMPLATE}
TYPES = {K.STRUCT_DECL, K.CLASS_DECL, K.UNION_DECL, K.ENUM_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL, K.CLASS_TEMPLATE, K.TYPE_ALIAS_TEMPLATE_DECL,
         K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
SCOPES = {K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL, K.TRANSLATION_UNIT} | TYPES
USES = {K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.TYPE_REF, K.TEMPLATE_REF}


def in_file(location):
    """Returns the line and column where the text of a location stands, also for an argument of a macro."""
    f, at = ctypes.c_void_p(), [ctypes.c_uint() for _ in range(3)]
    get = Config().lib.clang_getFileLocation
    get.argtypes = [SourceLocation, ctypes.POINTER(ctypes.c_void_p)] + [ctypes.POINTER(ctypes.c_uint)] * 3
    get(location, ctypes.byref(f), *map(ctypes.byref, at))
    return at[0].value, at[1].value


class Reader:
    def __init__(self, source, subdir):
        self.source = os.path.realpath(source)
        self.root = os.path.join(self.source, subdir)
        self.lines = {}  # path -> lines
        self.paths = {}  # name of a file as clang has it -> path below root, or None
        self.known = {}  # key of a declaration -> (path, line, name, kind, has a body)
        self.names = {}  # (path, line, column) -> key, for members of instantiated templates
        self.functions = {}  # (path, line, column) -> function
        self.seen = set()  # declarations at the top of a file or a namespace that have been read
        self.index = Index.create()

    def path(self, location):
        f = location.file
        if f is None:
            return None
        if f.name not in self.paths:
            full = os.path.realpath(f.name)
            self.paths[f.name] = os.path.relpath(full, self.root) if full.startswith(self.root.rstrip("/") + "/") else None
        return self.paths[f.name]

    def files(self, extensions):
        out = []
        for d, dirs, files in os.walk(self.root):
            dirs[:] = sorted(x for x in dirs if not x.startswith("."))
            out += [os.path.join(d, f) for f in sorted(files) if f.endswith(extensions)]
        return [f for f in out if not LEFT_OUT.search(os.path.relpath(f, self.root))]

    def arguments(self):
        dirs = {os.path.dirname(f) for f in (os.path.join(d, f) for d, _, fs in os.walk(self.source) for f in fs) if f.endswith(HEADERS)}
        first = [d for d in (self.source, self.source + "/include", self.source + "/src", self.root) if os.path.isdir(d)]
        return [x for d in first for x in ("-I", d)] + [x for d in sorted(dirs, key=lambda d: (d.count("/"), d)) for x in ("-idirafter", d)]

    def read(self):
        sources = self.files(SOURCES)
        plus = sum(not f.endswith(".c") for f in sources)
        headers_plus = plus * 2 > len(sources) or not sources
        include = self.arguments()
        reached = set()
        for f in sources + self.files(HEADERS):
            path = os.path.relpath(f, self.root)
            if path in reached:
                continue
            cpp = headers_plus if f.endswith(HEADERS) else not f.endswith(".c")
            args = ["-x", "c++", "-std=c++17"] if cpp else ["-x", "c", "-std=gnu11", "-D_GNU_SOURCE"]
            tu = self.index.parse(f, args + include + ["-ferror-limit=0"], options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
            missing = [d for d in tu.diagnostics if d.severity == 4 and "file not found" in d.spelling and "config" not in d.spelling]
            if missing:
                print(f"{path} is left out: {missing[0].spelling}", file=sys.stderr)  # the names behind it have no meaning
                continue
            self.unit(tu, reached)

    def unit(self, tu, reached):
        expansions, top = {}, []
        for c in tu.cursor.get_children():
            path = self.path(c.location)
            if path is None:
                continue
            reached.add(path)
            if c.kind == K.MACRO_DEFINITION:
                self.declare(c, path, "macro", True)
            elif c.kind == K.MACRO_INSTANTIATION:
                if self.names_it(path, c.location, c.spelling):
                    expansions.setdefault(path, []).append((c.location.line, c.location.column, c.referenced))
            else:
                top.append((c, path))
        for c, path in top:
            self.declaration(c, path, expansions)

    def text(self, path, line, column):
        if path not in self.lines:
            with open(os.path.join(self.root, path), "rb") as f:
                self.lines[path] = f.read().split(b"\n")
        lines = self.lines[path]
        return lines[line - 1][column - 1:].decode("utf-8", "replace") if line <= len(lines) else ""

    def names_it(self, path, location, name):
        """Reports whether the text at a location is a name, and not the start of a longer one."""
        text = self.text(path, *in_file(location))
        return text.startswith(name) and not (name[-1:].isidentifier() and re.match(r"\w", text[len(name):]))

    def declare(self, c, path, kind, body):
        key = c.get_usr() or (path, c.location.line, c.spelling)
        known = self.known.get(key)
        if known is None or body and not known[4]:
            self.known[key] = (path, c.location.line, c.spelling, kind, body)
        self.names[path, c.location.line, c.location.column] = key
        return key

    def declaration(self, c, path, expansions):
        at = (path, c.extent.start.line, c.extent.start.column, c.location.line, c.kind, c.spelling)
        if at in self.seen:
            return
        self.seen.add(at)
        if c.kind in FUNCTIONS:
            key = self.declare(c, path, "method" if c.semantic_parent and c.semantic_parent.kind in TYPES else "func", c.is_definition())
            if c.is_definition():
                self.function(c, path, key, expansions)
        elif c.kind in TYPES:
            self.declare(c, path, "type", c.is_definition())
        elif c.kind == K.ENUM_CONSTANT_DECL:
            self.declare(c, path, "const", True)
        elif c.kind == K.VAR_DECL:
            self.declare(c, path, "var", c.is_definition())
        if c.kind in SCOPES:
            for m in c.get_children():
                p = self.path(m.location)
                if p is not None and m.kind.is_declaration():
                    self.declaration(m, p, expansions)

    def function(self, c, path, key, expansions):
        start, end = c.extent.start, c.extent.end
        if (path, c.location.line, c.location.column) in self.functions or not self.names_it(path, c.location, c.spelling):
            return
        uses = {}
        for n in c.walk_preorder():
            if n.kind not in USES or self.path(n.location) != path:
                continue
            to = n.referenced
            if to is None or to.kind == K.NAMESPACE or not to.spelling or not self.names_it(path, n.location, to.spelling):
                continue
            general = Config().lib.clang_getSpecializedCursorTemplate(to)
            if general is not None and general.kind != K.NO_DECL_FOUND and not general.kind.is_invalid():
                to = general
            uses[to.get_usr(), self.path(to.location), to.location.line, to.location.column] = to.spelling
        for line, column, to in expansions.get(path, ()):
            if (start.line, start.column) <= (line, column) < (end.line, end.column) and to is not None:
                uses[to.get_usr(), self.path(to.location), to.location.line, to.location.column] = to.spelling
        self.functions[path, c.location.line, c.location.column] = dict(
            key=key, name=c.spelling, kind="method" if c.semantic_parent.kind in TYPES else "func", lines=end.line - start.line + 1, uses=uses)

    def resolve(self, use):
        usr, path, line, column = use
        if path is None:
            return None
        known = self.known.get(usr)
        if known is None or not known[4]:
            known = self.known.get(self.names.get((path, line, column)), known)
        return known and known[:4]

    def tasks(self, corpus):
        used_by, deps = {}, {}
        for (path, line, column), f in sorted(self.functions.items()):
            own = self.known[f["key"]][:4]
            found = {d for d in map(self.resolve, f["uses"]) if d and d != own and d[:2] != (path, line)}
            deps[path, line, column] = found
            for d in found:
                used_by.setdefault(d, set()).add((path, line, f["name"], f["kind"]))
        fit = [at for at, f in sorted(self.functions.items()) if f["lines"] >= MIN_LINES and len(deps[at]) >= MIN_DEPS and not LEFT_OUT.search(at[0])]
        random.Random(SEED).shuffle(fit)
        named = lambda xs: [dict(path=p, line=l, name=n, kind=k) for p, l, n, k in sorted(xs)]
        out = []
        for path, line, column in sorted(fit[:N_TASKS]):
            f = self.functions[path, line, column]
            own = self.known[f["key"]][:4]
            out.append(dict(path=path, line=line, column=column, name=f["name"], deps=named(deps[path, line, column]), dependents=named(used_by.get(own, ()))))
        return dict(corpus=corpus, tasks=out)


def main():
    corpus, source, subdir = (sys.argv[1:] + [""])[:3]
    r = Reader(source, subdir)
    r.read()
    tasks = r.tasks(corpus)
    print("{\n" + f' "corpus": {json.dumps(corpus)},\n "tasks": [\n  ' + ",\n  ".join(json.dumps(t, separators=(",", ":")) for t in tasks["tasks"]) + "\n ]\n}")


if __name__ == "__main__":
    main()
