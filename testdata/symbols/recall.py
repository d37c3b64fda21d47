#!/usr/bin/env python3
"""Measures the answers at a cursor against the tasks beside this file, over all trees with one program.

  recall.py --ambit BINARY --trees DIR [--verbose] [NAME ...]

DIR/<name> is the tree of <name>.json; a tree that is not there is skipped. Prints a row of a Markdown table for each tree, with the share of
what a function uses and of what uses it that is shown within 8,000 and within 2,000 tokens, and the mean. Of more than ten users, ten suffice.
"""
import argparse, json, os, pathlib, subprocess, sys

BUDGETS = (8000, 2000)
ap = argparse.ArgumentParser()
ap.add_argument("--ambit", required=True)
ap.add_argument("--trees", required=True)
ap.add_argument("--verbose", action="store_true", help="list what is missing")
ap.add_argument("names", nargs="*")
a = ap.parse_args()


def shown(root, task, budget):
    """Returns the lines of the answer: (path, first, last)."""
    place = f"{task['path']}:{task['line']}:{task['column']}"
    done = subprocess.run([a.ambit, "context", "--json", "--root", root, "--budget", str(budget), place], capture_output=True, text=True, cwd=root)
    if done.returncode:
        sys.exit(f"{place}: {done.stderr[-400:]}")
    answer = json.loads(done.stdout)
    if answer["tokens"] > budget:
        sys.exit(f"{place}: {answer['tokens']} tokens")
    return [(s["path"], *r) for s in answer["sources"] for r in s.get("ranges") or [[s["start_line"], s["end_line"]]]]


def measure(root, tasks, budget):
    uses, users = [], []
    for t in tasks:
        ranges = shown(root, t, budget)
        has = lambda d: any(p == d["path"] and first <= d["line"] <= last for p, first, last in ranges)
        uses.append(sum(map(has, t["deps"])) / len(t["deps"]))
        if t["dependents"]:
            users.append(min(1, sum(map(has, t["dependents"])) / min(10, len(t["dependents"]))))
        missing = [d for d in t["deps"] if not has(d)] + ([d for d in t["dependents"] if not has(d)] if t["dependents"] and users[-1] < 1 else [])
        if a.verbose and missing:
            print(f"{budget} {t['path']}:{t['line']} {t['name']} lacks " + ", ".join(f"{d['name']} ({d['path']}:{d['line']})" for d in missing), file=sys.stderr)
    return sum(uses) / len(uses), sum(users) / len(users)


rows = []
print("| tree | uses, 8,000 tokens | uses, 2,000 | users, 8,000 | users, 2,000 |\n|---|---|---|---|---|")
for file in sorted(pathlib.Path(__file__).parent.glob("*/*.json")):
    root = os.path.join(os.path.abspath(a.trees), file.stem)
    if not os.path.isdir(root) or a.names and file.stem not in a.names:
        continue
    tasks = json.loads(file.read_text())["tasks"]
    at = {b: measure(root, tasks, b) for b in BUDGETS}
    rows.append([at[b][i] for i in (0, 1) for b in BUDGETS])
    print(f"| {file.stem} | " + " | ".join(f"{x:.3f}" for x in rows[-1]) + " |", flush=True)
if rows:
    print("| **mean** | " + " | ".join(f"**{sum(c) / len(rows):.3f}**" for c in zip(*rows)) + " |")
