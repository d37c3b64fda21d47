#!/usr/bin/env python3
"""Makes tasks of the cursor yardstick from a Rust tree, by rust-analyzer. README.md beside this file says how to run it.

  tasks.py project TREE [--registry DIR] > TREE/rust-project.json   the crates of the tree, and those that they need from DIR
  tasks.py tasks TREE INDEX [--count 40] [--seed 11]                 tasks from the SCIP index of the tree

A task is a function with a body outside of tests that uses at least three declarations of the tree. Its deps are the functions,
methods, types, enum variants, constants, statics and macros of the tree that it names, its dependents the functions that name it.
"""
import argparse, json, os, random, re, subprocess, sys
from collections import defaultdict

LEAST_DEPS = 3


# --- project ---

def packages(manifest):
    """Returns the packages of a manifest and of its workspace, read without a network."""
    out = subprocess.run(["cargo", "metadata", "--offline", "--no-deps", "--format-version", "1", "--manifest-path", manifest],
                         capture_output=True, text=True)
    if out.returncode:
        print(f"tasks.py: {manifest}: {out.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return []
    return json.loads(out.stdout)["packages"]


def registry_packages(directory):
    """Returns the newest version of each package in a directory of unpacked crates, by name."""
    found = {}
    for name in sorted(os.listdir(directory)):
        manifest = os.path.join(directory, name, "Cargo.toml")
        if os.path.exists(manifest):
            for p in packages(manifest):
                if p["manifest_path"] == manifest:
                    found[p["name"]] = p
    return found


def project(tree, registry):
    target = subprocess.run(["rustc", "--print", "cfg"], capture_output=True, text=True, check=True).stdout.split("\n")
    known = registry_packages(registry) if registry else {}
    own = {p["name"]: p for p in packages(os.path.join(tree, "Cargo.toml"))}
    crates, library = [], {}  # library: package name → index of its library crate

    def add(package, member):
        for t in sorted(package["targets"], key=lambda t: "bin" in t["kind"]):
            is_lib = not {"bin", "example", "test", "bench", "custom-build"} & set(t["kind"])
            if not is_lib and not (member and "bin" in t["kind"]):
                continue
            if is_lib:
                library[package["name"]] = len(crates)
            crates.append(dict(
                display_name=t["name"].replace("-", "_"), root_module=t["src_path"], edition=t["edition"], is_workspace_member=member,
                is_proc_macro="proc-macro" in t["kind"], package=package, library=is_lib,
                cfg=[c for c in target if c] + [f'feature="{f}"' for f in package["features"]]))

    for p in own.values():
        add(p, True)
    for p in known.values():
        if p["name"] not in own:
            add(p, False)
    for c in crates:
        p, deps = c.pop("package"), {}
        for d in p["dependencies"]:
            if d["kind"] != "build" and d["name"] in library:
                deps[(d["rename"] or d["name"]).replace("-", "_")] = library[d["name"]]
        if not c.pop("library") and p["name"] in library:
            deps[p["name"].replace("-", "_")] = library[p["name"]]
        c["deps"] = [dict(name=n, crate=i) for n, i in sorted(deps.items()) if crates[i] is not c]
    json.dump(dict(sysroot_src=os.environ.get("SYSROOT_SRC"), crates=crates), sys.stdout, indent=1)


# --- tasks ---

def fields(buf):
    """Yields (number, value) of the fields of a protobuf message: int, or bytes."""
    i, n = 0, len(buf)

    def varint():
        nonlocal i
        v = shift = 0
        while True:
            b = buf[i]
            i += 1
            v |= (b & 127) << shift
            if b < 128:
                return v
            shift += 7

    while i < n:
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 2:
            size = varint()
            yield key >> 3, buf[i:i + size]
            i += size
        else:
            size = {1: 8, 5: 4}[kind]
            yield key >> 3, buf[i:i + size]
            i += size


def ints(buf):
    out = []
    v = shift = 0
    for b in buf:
        v |= (b & 127) << shift
        shift += 7
        if b < 128:
            out.append(v)
            v = shift = 0
    return out


def range_of(buf):
    r = ints(buf)
    return (r[0], r[1], r[0], r[2]) if len(r) == 3 else tuple(r)


# The kinds of SCIP (scip.proto, SymbolInformation.Kind) that count, and how tasks name them.
KINDS = {17: "func", 26: "method", 80: "method", 66: "method", 68: "method", 70: "method", 49: "type", 11: "type", 53: "type", 54: "type", 55: "type", 59: "type",
         12: "const", 8: "const", 81: "var", 25: "func", 3: "type"}
BODY_KINDS = {17, 26, 80, 66, 68, 70}


TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'|[][(){};]''', re.S)


def body_end(text, at):
    """Returns the end of the body of the function whose name stands at a place, None for a function without one."""
    rest = "\n".join([text[at[2]][at[3]:]] + text[at[2] + 1:at[2] + 3000])
    depth = 0
    for m in TOKEN.finditer(rest):
        t = m.group()
        if t in "([{":
            depth += 1
        elif t in ")]}":
            depth -= 1
            if depth == 0 and t == "}" or depth < 0:
                before = rest[:m.end()]
                return (at[2] + before.count("\n"), len(before) - before.rfind("\n") - 1) if depth == 0 else None
        elif t == ";" and depth == 0:
            return None
    return None


def is_test(path, symbol):
    return any(part in ("tests", "test", "benches", "examples", "fuzz") for part in path.split("/")) or path.endswith("tests.rs") \
        or "/tests/" in symbol or " tests/" in symbol or "/test/" in symbol


def tasks(tree, index, count, seed):
    with open(index, "rb") as f:
        documents = [v for n, v in fields(f.read()) if n == 2]
    kind, defs, uses = {}, defaultdict(list), []
    lines = {}

    def text(path):
        if path not in lines:
            with open(os.path.join(tree, path), encoding="utf-8") as f:
                lines[path] = f.read().split("\n")
        return lines[path]

    for doc in documents:
        fs = list(fields(doc))
        path = next(v for n, v in fs if n == 1).decode()
        if path.startswith("..") or path.startswith("/"):
            continue
        for n, v in fs:
            if n == 3:
                info = dict((a, b) for a, b in fields(v) if a in (1, 5))
                kind[info[1].decode()] = info.get(5, 0)
        for n, v in fs:
            if n != 2:
                continue
            o = dict(fields(v))
            symbol = o.get(2, b"").decode()
            if not symbol or symbol.startswith("local"):
                continue
            if o.get(3, 0) & 1:
                defs[symbol].append((path, range_of(o[1])))
            else:
                uses.append((path, range_of(o[1]), symbol))
    one = {s: d[0] for s, d in defs.items() if len(set(d)) == 1 and kind.get(s) in KINDS}
    functions = defaultdict(list)  # path → (start, end, symbol) of the functions with a body
    bodies = {}
    for s, (path, at) in one.items():
        end = body_end(text(path), at) if kind[s] in BODY_KINDS else None
        if end:
            functions[path].append((at[:2], end, s))
            bodies[s] = end
    deps, dependents = defaultdict(set), defaultdict(set)
    for path, at, symbol in uses:
        if symbol not in one:
            continue
        inside = [f for f in functions[path] if f[0] <= at[:2] and at[2:] <= f[1]]
        if not inside:
            continue
        around = max(inside)[2]  # the innermost
        if around != symbol:
            deps[around].add(symbol)
            if not is_test(path, around):
                dependents[symbol].add(around)
    def name(s):
        path, at = one[s]
        return text(path)[at[0]].encode("utf-16-le")[2 * at[1]:2 * at[3]].decode("utf-16-le") if at[0] == at[2] else ""

    def entry(s):
        path, at = one[s]
        return dict(path=path, line=at[0] + 1, name=name(s), kind=KINDS[kind[s]])

    chosen = [s for s in sorted(one) if s in bodies and not is_test(one[s][0], s) and len(deps[s]) >= LEAST_DEPS]
    random.Random(seed).shuffle(chosen)
    out = []
    for s in chosen[:count]:
        path, at = one[s]
        by_place = lambda e: (e["path"], e["line"], e["name"])
        column = len(text(path)[at[0]].encode("utf-16-le")[:2 * at[1]].decode("utf-16-le").encode()) + 1
        out.append(dict(path=path, line=at[0] + 1, column=column, name=name(s), deps=sorted(map(entry, deps[s]), key=by_place),
                        dependents=sorted(map(entry, dependents[s]), key=by_place)))
    print(f"tasks.py: {len(one)} declarations, {len(chosen)} functions to choose from", file=sys.stderr)
    json.dump(dict(corpus=os.path.basename(os.path.abspath(tree)), tasks=out), sys.stdout, indent=1)
    print()


ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
sub = ap.add_subparsers(dest="command", required=True)
p = sub.add_parser("project")
p.add_argument("tree")
p.add_argument("--registry")
p = sub.add_parser("tasks")
p.add_argument("tree")
p.add_argument("index")
p.add_argument("--count", type=int, default=40)
p.add_argument("--seed", type=int, default=11)
a = ap.parse_args()
if a.command == "project":
    project(os.path.abspath(a.tree), a.registry)
else:
    tasks(a.tree, a.index, a.count, a.seed)
