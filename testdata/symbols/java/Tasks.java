import com.sun.source.tree.*;
import com.sun.source.util.*;

import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;

import javax.lang.model.element.*;
import javax.lang.model.util.Elements;
import javax.tools.*;

/**
 * Makes tasks of the cursor yardstick from a Java tree, by the compiler. README.md says how to run it.
 *
 * <pre>java Tasks.java TREE SOURCE_ROOT... > NAME.json</pre>
 *
 * The source roots are directories of the tree. A task is a method with a body that uses at least three declarations of the
 * tree: types, methods, constructors, enum constants and static fields. Names that the compiler cannot attribute, because a
 * library is missing, are left out.
 */
public class Tasks {
  static final int LEAST_DEPS = 3, COUNT = 40, SEED = 11;

  record Decl(String path, int line, int column, String name, String kind) implements Comparable<Decl> {
    public int compareTo(Decl o) {
      return Comparator.comparing(Decl::path).thenComparing(Decl::line).thenComparing(Decl::name).compare(this, o);
    }

    String json() {
      return String.format("{\"path\": \"%s\", \"line\": %d, \"name\": \"%s\", \"kind\": \"%s\"}", path, line, name, kind);
    }
  }

  final Path tree;
  final Map<Element, Decl> decls = new HashMap<>();
  final Map<Decl, Set<Decl>> deps = new TreeMap<>(), dependents = new TreeMap<>();
  Trees trees;
  Elements elements;

  Tasks(Path tree) {
    this.tree = tree;
  }

  public static void main(String[] args) throws IOException {
    Tasks t = new Tasks(Path.of(args[0]).toAbsolutePath().normalize());
    List<Path> files = new ArrayList<>();
    for (String root : Arrays.copyOfRange(args, 1, args.length)) {
      try (Stream<Path> all = Files.walk(t.tree.resolve(root))) {
        all.filter(p -> p.toString().endsWith(".java") && !p.endsWith("module-info.java")).sorted().forEach(files::add);
      }
    }
    t.read(files);
    t.print();
  }

  void read(List<Path> files) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    var messages = new DiagnosticCollector<JavaFileObject>();
    StandardJavaFileManager fm = compiler.getStandardFileManager(messages, null, null);
    var options = List.of("-proc:none", "--should-stop=ifError=FLOW", "-Xmaxerrs", "100000", "-nowarn");
    JavacTask task = (JavacTask) compiler.getTask(null, fm, messages, options, null, fm.getJavaFileObjectsFromPaths(files));
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    trees = Trees.instance(task);
    elements = task.getElements();
    for (CompilationUnitTree unit : units) {
      new Uses().scan(unit, null);
    }
    System.err.printf("Tasks.java: %d files, %d messages of the compiler, %d methods with uses%n", files.size(),
        messages.getDiagnostics().size(), deps.size());
  }

  /** Records what each method uses. The uses in a local or anonymous class count for the method around it. */
  class Uses extends TreePathScanner<Void, Void> {
    Decl around;

    @Override
    public Void visitMethod(MethodTree m, Void v) {
      Decl outer = around;
      if (around == null && m.getBody() != null) {
        around = decl(trees.getElement(getCurrentPath()));
      }
      super.visitMethod(m, v);
      around = outer;
      return null;
    }

    @Override
    public Void visitIdentifier(IdentifierTree t, Void v) {
      use();
      return super.visitIdentifier(t, v);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree t, Void v) {
      use();
      return super.visitMemberSelect(t, v);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree t, Void v) {
      use();
      return super.visitMemberReference(t, v);
    }

    @Override
    public Void visitNewClass(NewClassTree t, Void v) {
      if (t.getClassBody() == null) {
        use();
      }
      return super.visitNewClass(t, v);
    }

    void use() {
      if (around == null) {
        return;
      }
      Decl d = decl(trees.getElement(getCurrentPath()));
      if (d != null && !d.equals(around)) {
        deps.computeIfAbsent(around, k -> new TreeSet<>()).add(d);
        dependents.computeIfAbsent(d, k -> new TreeSet<>()).add(around);
      }
    }
  }

  /** Returns the declaration of an element, null for one that is local, implicit or not in the tree. */
  Decl decl(Element e) {
    if (e == null) {
      return null;
    }
    if (!decls.containsKey(e)) {
      decls.put(e, find(e));
    }
    return decls.get(e);
  }

  Decl find(Element e) {
    String kind;
    switch (e.getKind()) {
      case CLASS, INTERFACE, ENUM, RECORD, ANNOTATION_TYPE -> kind = "type";
      case METHOD, CONSTRUCTOR -> kind = "method";
      case ENUM_CONSTANT -> kind = "const";
      case FIELD -> {
        if (!e.getModifiers().contains(Modifier.STATIC)) {
          return null;
        }
        kind = "var";
      }
      default -> {
        return null;
      }
    }
    if (elements.getOrigin(e) != Elements.Origin.EXPLICIT || isLocal(e)) {
      return null;
    }
    TreePath at = trees.getPath(e);
    if (at == null) {
      return null;
    }
    String name = e.getKind() == ElementKind.CONSTRUCTOR ? e.getEnclosingElement().getSimpleName().toString() : e.getSimpleName().toString();
    CompilationUnitTree unit = at.getCompilationUnit();
    String text;
    try {
      text = unit.getSourceFile().getCharContent(true).toString();
    } catch (IOException x) {
      throw new IllegalStateException(x);
    }
    Matcher m = Pattern.compile("\\b" + Pattern.quote(name) + "\\b").matcher(text);
    if (name.isEmpty() || !m.find((int) nameFrom(unit, at.getLeaf()))) {
      return null;
    }
    LineMap lines = unit.getLineMap();
    int line = (int) lines.getLineNumber(m.start());
    int column = 1 + text.substring((int) lines.getStartPosition(line), m.start()).getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
    String path = tree.relativize(Path.of(unit.getSourceFile().toUri())).toString();
    return new Decl(path, line, column, name, kind);
  }

  static boolean isLocal(Element e) {
    for (; e != null; e = e.getEnclosingElement()) {
      if (e instanceof TypeElement t && (t.getNestingKind() == NestingKind.LOCAL || t.getNestingKind() == NestingKind.ANONYMOUS)) {
        return true;
      }
    }
    return false;
  }

  /** Returns an offset behind which the name of a declaration comes first. */
  long nameFrom(CompilationUnitTree unit, Tree t) {
    SourcePositions at = trees.getSourcePositions();
    long from = at.getStartPosition(unit, t);
    ModifiersTree modifiers = null;
    Tree type = null;
    List<? extends Tree> parameters = List.of();
    if (t instanceof MethodTree m) {
      modifiers = m.getModifiers();
      type = m.getReturnType();
      parameters = m.getTypeParameters();
    } else if (t instanceof ClassTree c) {
      modifiers = c.getModifiers();
    } else if (t instanceof VariableTree v) {
      modifiers = v.getModifiers();
      type = v.getType() != null && at.getEndPosition(unit, v.getType()) > from ? v.getType() : null;
    }
    for (Tree before : Stream.concat(Stream.of(modifiers, type), parameters.stream()).filter(Objects::nonNull).toList()) {
      from = Math.max(from, at.getEndPosition(unit, before));
    }
    return from;
  }

  void print() {
    List<Decl> chosen = new ArrayList<>(deps.keySet().stream().filter(d -> deps.get(d).size() >= LEAST_DEPS).toList());
    Collections.shuffle(chosen, new Random(SEED));
    String tasks = chosen.stream().limit(COUNT)
        .map(d -> String.format("  {\"path\": \"%s\", \"line\": %d, \"column\": %d, \"name\": \"%s\",\n   \"deps\": %s,\n   \"dependents\": %s}", d.path,
            d.line, d.column, d.name, list(deps.get(d)), list(dependents.getOrDefault(d, Set.of()))))
        .collect(Collectors.joining(",\n"));
    System.out.printf("{\"corpus\": \"%s\", \"tasks\": [\n%s\n]}\n", tree.getFileName(), tasks);
  }

  static String list(Set<Decl> decls) {
    return decls.stream().map(Decl::json).collect(Collectors.joining(", ", "[", "]"));
  }
}
