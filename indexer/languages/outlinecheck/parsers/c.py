"""Lists the declarations of C and C++ files with libclang.

Clang reads one branch of each conditional and expands macros. What it does not see is not
listed, so the list says nothing of what else there may be.
"""
import os
import re
import sys

from clang.cindex import Config, CursorKind as K, Index, TranslationUnit, TypeKind

if os.environ.get("LIBCLANG"):
    Config.set_library_file(os.environ["LIBCLANG"])

GROUPS = {
    K.FUNCTION_DECL: "function", K.CXX_METHOD: "function", K.CONSTRUCTOR: "function", K.DESTRUCTOR: "function", K.FUNCTION_TEMPLATE: "function",
    K.CONVERSION_FUNCTION: "function",
    K.STRUCT_DECL: "type", K.UNION_DECL: "type", K.CLASS_DECL: "type", K.ENUM_DECL: "type", K.TYPEDEF_DECL: "type", K.TYPE_ALIAS_DECL: "type",
    K.CLASS_TEMPLATE: "type", K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION: "type", K.TYPE_ALIAS_TEMPLATE_DECL: "type",
    K.VAR_DECL: "value", K.FIELD_DECL: "value", K.ENUM_CONSTANT_DECL: "value", K.NAMESPACE: "module", K.MACRO_DEFINITION: "macro",
}
TYPES = {K.STRUCT_DECL, K.UNION_DECL, K.CLASS_DECL, K.ENUM_DECL, K.CLASS_TEMPLATE, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
HOLDERS = TYPES | {K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL}


def includes(path):
    """Returns the directories around a file that its includes may start at."""
    found, at = [], os.path.dirname(path)
    for _ in range(6):
        found += ["-I" + at, "-I" + os.path.join(at, "include")]
        at = os.path.dirname(at)
    return found


class Lister:
    def __init__(self, path, source):
        self.path, self.source = path, source

    def walk(self, cursor, around=""):
        """Lists the declarations below a cursor. Those inside of the type of a field are inner
        declarations, with a "+"."""
        children = list(cursor.get_children())
        fields = {self.typed(c) for c in children if c.kind == K.FIELD_DECL}
        for child in children:
            place = child.location
            if not place.file or place.file.name != self.path:
                continue
            group, name = GROUPS.get(child.kind), child.spelling.split("<")[0] if not child.spelling.startswith("operator") else child.spelling
            mark = around or ("+" if child.kind in TYPES and child.hash in fields else "")
            line = self.source[place.line - 1] if place.line <= len(self.source) else ""
            forward = child.kind in TYPES and not child.is_definition()
            if child.kind == K.FIELD_DECL and re.search(r"\w\(" + name + r"\b", line):
                mark = "+"  # BIT(name); only the macro tells what it declares
            call = re.match(r"([A-Z][A-Z0-9_]+)\s*\(\s*(\w*)", line)
            if call and name in call.groups():
                continue  # TEST(A, B) {}: a macro whose header is not here declares nothing
            # What a macro expands to stands at the call, where its name is not.
            if group and name and not forward and name.split(" ")[0].lstrip("~") in line:
                print(self.path, mark + group, place.line, name, sep="\t")
            if child.kind in HOLDERS:
                self.walk(child, mark)


    def typed(self, field):
        """Returns the declaration of the type of a field, through arrays and pointers."""
        of = field.type
        while of.kind in (TypeKind.POINTER, TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            of = of.get_pointee() if of.kind == TypeKind.POINTER else of.element_type
        place = of.get_declaration()
        # A type that is declared elsewhere stands before the field, not around it.
        inside = place.extent.start.offset >= field.extent.start.offset and place.extent.end.offset <= field.extent.end.offset
        return place.hash if inside else 0


index = Index.create()
for line in sys.stdin:
    path = line.rstrip("\n")
    cpp = not path.endswith(".c")
    flags = ["-x", "c++" if cpp else "c", "-std=c++20" if cpp else "-std=gnu17"] + includes(path)
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD | TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
    unit = index.parse(path, flags, options=options)
    with open(path, errors="replace") as file:
        Lister(path, file.read().split("\n")).walk(unit.cursor)
