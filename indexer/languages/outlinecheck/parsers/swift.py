"""Lists the declarations of Swift files by their tokens.

Swift's own parser comes with the compiler alone. This reader knows no expressions and no
types: it looks for the keywords of declarations where a declaration can stand, at the top
and in the braces of types.
"""
import re
import sys

TOKEN = re.compile(r"`[^`\n]*`|@[\w.]+|#\w+|\$?\w+|[-+*/%=<>!&|^~?]+|[^\s\w]")
TYPES = {"class", "struct", "enum", "protocol", "actor", "extension"}
MODIFIERS = {"func", "var", "let", "override", "subscript", "init", "final", "public", "private", "internal", "fileprivate", "open"}
NAMED = {"func": "function", "typealias": "type", "associatedtype": "type", "macro": "macro"}


def string_end(text, i):
    """Returns the end of the string whose quote is at i."""
    triple = text.startswith('"""', i)
    i += 3 if triple else 1
    while i < len(text):
        if text[i] == "\\":
            i = group_end(text, i + 1) if text.startswith("(", i + 1) else i + 2
        elif text.startswith('"""', i) if triple else text[i] in '"\n':
            return i + (3 if triple else 1)
        else:
            i += 1
    return i


def group_end(text, i):
    """Returns the end of the parentheses at i."""
    depth = 0
    while i < len(text):
        if text[i] == '"':
            i = string_end(text, i)
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
        if depth == 0:
            return i
    return i


def blank(text):
    """Replaces comments, strings and the lines of conditionals by blanks."""
    out, i = [], 0
    while i < len(text):
        end = i
        raw = re.compile(r'(#+)("""|")').match(text, i)
        if text.startswith("//", i):
            end = text.find("\n", i) % (len(text) + 1)
        elif text.startswith("/*", i):
            depth, end = 1, i + 2
            while end < len(text) and depth > 0:
                step = text[end:end + 2]
                depth += {"/*": 1, "*/": -1}.get(step, 0)
                end += 2 if step in ("/*", "*/") else 1
        elif raw:
            close = text.find(raw[2] + raw[1], raw.end())
            end = len(text) if close < 0 else close + len(raw[2] + raw[1])
        elif text[i] == '"':
            end = string_end(text, i)
        if end == i:
            out.append(text[i])
            i += 1
            continue
        out.append(re.sub(r"[^\n]", " ", text[i:end]))
        i = end
    return re.sub(r"(?m)^[ \t]*#(?:if|elseif|else|endif|warning|error)\b.*", "", "".join(out))


def declarations(text):
    """Yields the group, the line and the name of each declaration."""
    text = blank(text)
    tokens, line, at = [], 1, 0
    for m in TOKEN.finditer(text):
        line += text.count("\n", at, m.start())
        at = m.start()
        tokens.append((m[0].strip("`"), line))
    words = [t[0] for t in tokens] + ["", ""]
    around, pending, depth, values = [("type", 0)], "code", 0, -1
    for i, (word, line) in enumerate(tokens):
        before = words[i - 1] if i else ""
        if word in "([":
            depth += 1
        elif word in ")]":
            depth -= 1
        elif word == "{":
            around.append((pending if depth == 0 else "code", depth))
            pending, values, depth = "code", -1, 0
        elif word == "}" and len(around) > 1:
            depth = around.pop()[1]
        kind = around[-1][0]
        if kind == "code" or depth > 0 or before in (".", "import"):
            continue
        after, then = words[i + 1], words[i + 2]
        if word in TYPES and re.match(r"[A-Za-z_\[(]", after) and after not in MODIFIERS and not (word == "actor" and then not in ":<{"):
            pending, values = ("enum" if word == "enum" else "type"), -1
            if word != "extension":
                yield "type", tokens[i + 1][1], after
        elif word in NAMED:
            pending, values = "code", -1
            name = after[:-1] if after[-1:] == "<" and re.match(r"\w", then) and after != "<" else after
            yield NAMED[word], tokens[i + 1][1], name
        elif word in ("init", "deinit", "subscript") and after[:1] in ("(", "<", "?", "!", "{"):
            pending, values = "code", -1
            yield "function", line, word
        elif word in ("var", "let") and before not in ("if", "guard", "while", "case", ",", "for"):
            pending, values = "code", -1
            if re.match(r"\w", after):
                yield "value", tokens[i + 1][1], after
        elif word == "case" and kind == "enum":
            pending, values = "code", i
            yield "value", tokens[i + 1][1], after
        elif word == "," and values >= 0 and kind == "enum":
            yield "value", tokens[i + 1][1], after


for path in sys.stdin.read().split("\n"):
    if path:
        with open(path, encoding="utf-8", errors="replace") as file:
            for group, line, name in declarations(file.read()):
                print(path, group, line, name, sep="\t")
