"""Lists the declarations of Rust files from the syntax tree that rustc prints.

rustc prints one node a line, indented by its depth. Macros are not expanded: the lines of
a call that stands in the place of an item are not judged.
"""
import os
import re
import subprocess
import sys

GROUPS = {
    "Fn": "function", "Struct": "type", "Enum": "type", "Union": "type", "Trait": "type", "TraitAlias": "type", "TyAlias": "type", "Type": "type",
    "Const": "value", "Static": "value", "Mod": "module", "MacroDef": "macro",
}
HOLDERS = {"Impl", "Trait", "Mod", "ForeignMod"}
SPAN = re.compile(r"span: .*:(\d+):(\d+): (\d+):\d+ ")
NAME = re.compile(r"^(?:ident: )?((?:r#)?\w+)#\d+,$")


def read(lines, at, indent):
    """Returns the lines of the block that starts at index at, split by child."""
    end = at + 1
    while end < len(lines) and lines[end][0] > indent:
        end += 1
    return end


class Lister:
    def __init__(self, path, lines, source):
        self.path, self.lines, self.source = path, lines, source

    def put(self, group, row, column, name):
        """Prints a declaration. The span starts before the name, maybe lines before it."""
        text = self.source[row - 1][column - 1:] if row <= len(self.source) else ""
        while not re.search(r"(?<!\w)" + re.escape(name) + r"(?!\w)", text) and row < len(self.source):
            row += 1
            text = self.source[row - 1]
        print(self.path, group, row, name.removeprefix("r#"), sep="\t")

    def walk(self, start, end):
        """Lists the items among lines[start:end]."""
        i = start
        while i < end:
            indent, text = self.lines[i]
            stop = read(self.lines, i, indent)
            if text == "Item {":
                self.item(i, stop)
            elif text in ("FieldDef {", "Variant {"):
                self.member(i, stop)
            elif not text.startswith(("attrs", "Block {", "Generics {")):
                i += 1
                continue
            i = stop

    def item(self, start, end):
        indent = self.lines[start][0]
        span = kind = None
        for i in range(start + 1, end):
            depth, text = self.lines[i]
            if depth != indent + 4:
                continue
            if text.startswith("span: "):
                span = SPAN.match(text)
            elif text.startswith("kind: "):
                kind = (i, re.match(r"kind: (\w+)", text).group(1), read(self.lines, i, depth))
        if not span or not kind:
            return
        at, word, stop = kind
        row, column, last = map(int, span.groups())
        if word == "Mod" and any(text == "Unloaded," for _, text in self.lines[at:stop]):
            return  # mod x; names another file
        if word == "MacCall":
            print(self.path, "skip", row, last, sep="\t")
            return
        if word in GROUPS:
            for i in range(at + 1, stop):
                name = NAME.match(self.lines[i][1])
                if name and self.lines[i][0] <= self.lines[at][0] + 8:
                    self.put(GROUPS[word], row, column, name.group(1))
                    break
        if word in HOLDERS or word in ("Struct", "Enum", "Union"):
            self.walk(at + 1, stop)

    def member(self, start, end):
        indent = self.lines[start][0]
        span = name = None
        for i in range(start + 1, end):
            depth, text = self.lines[i]
            if depth == indent + 4 and text.startswith("span: "):
                span = SPAN.match(text)
            elif depth == indent + 4 and text.startswith("ident: "):
                name = NAME.match(text)
                if not name and text == "ident: Some(":
                    name = NAME.match(self.lines[i + 1][1])
        if span and name and not name.group(1).isdigit():
            self.put("value", int(span.group(1)), int(span.group(2)), name.group(1))


for line in sys.stdin:
    path = line.rstrip("\n")
    run = subprocess.run(
        ["rustc", "-Zunpretty=ast-tree", "--crate-type", "lib", "--edition", "2021", path],
        env={**os.environ, "RUSTC_BOOTSTRAP": "1"}, capture_output=True, text=True)
    if run.returncode:
        print(path, "rejected", 0, run.stderr.split("\n")[0], sep="\t")
        continue
    lines = [(len(l) - len(l.lstrip()), l.strip()) for l in run.stdout.split("\n") if l.strip()]
    with open(path, errors="replace") as file:
        Lister(path, lines, file.read().split("\n")).walk(0, len(lines))
