"""Lists the declarations of Python files with the module ast of the language."""
import ast
import sys

BLOCKS = ("body", "orelse", "finalbody", "handlers")


def names(target):
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from names(element)
    elif isinstance(target, ast.Starred):
        yield from names(target.value)


def declare(path, node):
    for child in node:
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            group = "type" if isinstance(child, ast.ClassDef) else "function"
            print(path, group, child.lineno, child.name, sep="\t")
            if isinstance(child, ast.ClassDef):
                declare(path, child.body)
        elif isinstance(child, ast.Assign):
            for target in child.targets:
                for name in names(target):
                    print(path, "value", name.lineno, name.id, sep="\t")
        elif isinstance(child, ast.AnnAssign):
            for name in names(child.target):
                print(path, "value", name.lineno, name.id, sep="\t")
        else:
            for block in BLOCKS:
                declare(path, getattr(child, block, []))


for line in sys.stdin:
    path = line.rstrip("\n")
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (SyntaxError, ValueError, RecursionError) as error:
        print(path, "rejected", 0, error, sep="\t")
        continue
    declare(path, tree.body)
