#!/usr/bin/env python3
"""What an answer of `ambit mcp` costs, and what the same answer costs by grep and read.

    tokens.py AMBIT QUESTIONS TREES [--budget N] [--limit N] [--only REPOSITORY,…] [--out FILE]

QUESTIONS is a JSON list of issues: id, mirror (a name), base_commit, query (the whole text of the
issue), gold_files and gold_lines (path to [first, last] ranges that the fix changed). TREES holds
one clone for each mirror, in which each commit is checked out; they are changed.

ambit: the issue is given to the tool context of `ambit mcp`, once. Its cost is its text.

grep and read: an agent that knows nothing else takes what looks like a name or a path in the
issue, greps for each name in code that is no test, and reads the files in the order of their hits
(a name counts by how few files have it, quoted paths first), 50 lines around each hit. Its cost is what grep printed, at
most 50 lines a name and 12 names, and what it read. It stops, by a miracle, as soon as it has seen
as many of the gold files, or of the gold lines, as the answer shows; after 200,000 tokens it gives up.

A token is four characters, for both. Questions of which the answer shows nothing are counted and
left out of the ratio, as equal recall is none.
"""
import argparse, collections, json, math, os, re, statistics, subprocess, sys

AROUND, NAMES, LINES, MOST = 50, 12, 50, 200_000
TESTS = re.compile(r"(^|/)(tests?|spec|examples?|docs?|fixtures|benchmarks?|vendor|dist)(/|$)|[._-](test|spec)\.|Test\.|(^|/)test_|\.min\.", re.I)
CODE = re.compile(r"\.([ch]|cc|cpp|hpp|cs|go|java|js|jsx|kt|mjs|php|py|rb|rs|scala|swift|ts|tsx|vue)$")
STOP = set("the this that with from when should would have which there error issue version".split())


def tokens(text):
    return (len(text) + 3) // 4


def git(tree, *args):
    return subprocess.run(["git", "-C", tree, *args], capture_output=True, text=True, errors="replace").stdout


def checkout(trees, mirror, commit):
    tree = os.path.join(trees, mirror)
    git(tree, "checkout", "-q", "-f", "--detach", commit)
    git(tree, "clean", "-fdxq")
    return tree


def names(text):
    """The names in an issue, the first first: in backticks, with a hump, an underscore or a call."""
    found = []
    for quoted in re.findall(r"`([^`\n]+)`", text):
        found += re.findall(r"[A-Za-z_]\w{2,}", quoted)
    found += re.findall(r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+)\b|\b[A-Za-z_]\w{2,}(?=\()", text)
    if len(set(found)) < 3:
        found += [w for w in re.findall(r"[A-Za-z]{5,}", text) if w.lower() not in STOP]
    return list(dict.fromkeys(found))


def grep_and_read(tree, text):
    """Yields (tokens so far, path, lines seen) for each file that is read."""
    files = [p for p in git(tree, "ls-files").split("\n") if CODE.search(p) and not TESTS.search(p)]
    known = set(files)
    hits, printed = collections.defaultdict(lambda: collections.defaultdict(list)), 0
    for name in names(text)[:NAMES]:
        out = git(tree, "grep", "-n", "-I", "-w", "-F", "-e", name).split("\n")[:-1]
        out = [line for line in out if line.split(":", 1)[0] in known]
        printed += tokens("\n".join(line[:300] for line in out[:LINES]))
        for line in out:
            path, number, _ = (line.split(":", 2) + ["", ""])[:3]
            if number.isdigit():
                hits[path][name].append(int(number))
    spread = collections.Counter(name for by in hits.values() for name in by)
    order = sorted(hits, key=lambda p: (-sum(math.log(1 + len(files) / spread[n]) for n in hits[p]), p))
    quoted = [p for p in files if p in text]
    spent = printed
    for path in dict.fromkeys(quoted + order):
        try:
            with open(os.path.join(tree, path), errors="replace") as f:
                lines = f.read().split("\n")
        except OSError:
            continue
        at = [n for by in hits[path].values() for n in by] if path in hits else range(1, len(lines) + 1)
        seen = {m for n in at for m in range(max(1, n - AROUND), min(len(lines), n + AROUND) + 1)}
        spent += tokens("".join(f"{n}\t{lines[n - 1]}\n" for n in sorted(seen)))
        yield spent, path, seen


def ask(ambit, tree, text, budget):
    """Returns the text of the tool context, and the lines that the same question shows by file."""
    server = subprocess.Popen([ambit, "mcp"], cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def send(message):
        server.stdin.write(json.dumps(dict(message, jsonrpc="2.0")) + "\n")
        server.stdin.flush()

    try:
        send({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tokens", "version": "1"}}})
        server.stdout.readline()
        send({"method": "notifications/initialized"})
        send({"id": 2, "method": "tools/call", "params": {"name": "context", "arguments": {"query": text, "budget": budget}}})
        answer = json.loads(server.stdout.readline())["result"]["content"][0]["text"]
    finally:
        server.stdin.close()
        server.wait()
    out = subprocess.run([ambit, "context", "--json", "--format", "plain", "--budget", str(budget), "--query", text], cwd=tree, capture_output=True, text=True, check=True).stdout
    same = json.loads(out)
    if same["text"].strip() not in answer:
        print("  the command and the tool answer differently", file=sys.stderr)
    shown = collections.defaultdict(set)
    for s in same["sources"]:
        for first, last in s.get("ranges") or [[s["start_line"], s["end_line"]]]:
            shown[s["path"]] |= set(range(first, last + 1))
    return answer, shown


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("ambit", "questions", "trees"):
        p.add_argument(name)
    p.add_argument("--budget", type=int, default=8000)
    p.add_argument("--limit", type=int, default=0)
    p.add_argument("--only", default="")
    p.add_argument("--out", default="")
    o = p.parse_args()
    with open(o.questions) as f:
        questions = json.load(f)
    if o.only:
        questions = [q for q in questions if q["mirror"] in o.only.split(",")]
    rows = []
    for q in questions[: o.limit or None]:
        tree = checkout(o.trees, q["mirror"], q["base_commit"])
        answer, shown = ask(o.ambit, tree, q["query"], o.budget)
        lines = {path: {n for a, b in ranges for n in range(a, b + 1)} for path, ranges in q["gold_lines"].items()}
        want_files = sum(f in shown for f in q["gold_files"])
        want_lines = sum(len(shown.get(f, set()) & v) for f, v in lines.items())
        row = {"id": q["id"], "ambit": tokens(answer), "files": want_files / len(q["gold_files"]),
               "lines": want_lines / max(1, sum(map(len, lines.values()))), "by_files": None, "by_lines": None}
        files = got = 0
        for spent, path, seen in grep_and_read(tree, q["query"]):
            if spent > MOST:
                break
            files += path in q["gold_files"]
            got += len(seen & lines.get(path, set()))
            if row["by_files"] is None and want_files and files >= want_files:
                row["by_files"] = spent
            if row["by_lines"] is None and want_lines and got >= want_lines:
                row["by_lines"] = spent
            if row["by_files"] and (row["by_lines"] or not want_lines):
                break
        rows.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
        if o.out:
            with open(o.out, "w") as f:
                json.dump(rows, f)
    print(f"{len(rows)} questions; recall of ambit: files {statistics.mean(r['files'] for r in rows):.3f}, lines {statistics.mean(r['lines'] for r in rows):.3f}; "
          f"tokens {statistics.mean(r['ambit'] for r in rows):.0f}")
    for what in ("files", "lines"):
        some = [r for r in rows if r[what] > 0]
        reached = [r for r in some if r["by_" + what]]
        if reached:
            ratios = [r["by_" + what] / r["ambit"] for r in reached]
            print(f"equal recall of {what}: {len(some)} questions; grep and read gets there in {len(reached)}, with {statistics.mean(r['by_' + what] for r in reached):.0f} tokens "
                  f"where ambit takes {statistics.mean(r['ambit'] for r in reached):.0f}: median ratio {statistics.median(ratios):.1f}, ratio of the means "
                  f"{sum(r['by_' + what] for r in reached) / sum(r['ambit'] for r in reached):.1f}; within {MOST:,} tokens it does not get there in {len(some) - len(reached)}")


main()
