import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Lists the declarations of Java files with the parser of javac. */
final class Outline {
  private static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  private final String path;
  private final CompilationUnitTree unit;
  private final SourcePositions positions;
  private final CharSequence text;

  private Outline(String path, CompilationUnitTree unit, SourcePositions positions) throws IOException {
    this.path = path;
    this.unit = unit;
    this.positions = positions;
    this.text = unit.getSourceFile().getCharContent(true);
  }

  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path : in.lines().toList()) {
      file(path);
    }
    OUT.flush();
  }

  private static void file(String path) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, Locale.ROOT, StandardCharsets.UTF_8)) {
      JavacTask task = (JavacTask) compiler.getTask(null, files, problems, List.of("-proc:none"), null, files.getJavaFileObjects(Path.of(path)));
      for (CompilationUnitTree unit : task.parse()) {
        for (Diagnostic<?> p : problems.getDiagnostics()) {
          if (p.getKind() == Diagnostic.Kind.ERROR) {
            OUT.println(path + "\trejected\t0\t" + p.getMessage(Locale.ROOT).lines().findFirst().orElse(""));
            return;
          }
        }
        Outline o = new Outline(path, unit, Trees.instance(task).getSourcePositions());
        for (Tree t : unit.getTypeDecls()) {
          if (t instanceof ClassTree c) {
            o.type(c);
          }
        }
      }
    }
  }

  /** Prints a declaration with the line of its name, which stands behind {@code from}. */
  private void put(String group, Tree from, String name) {
    long at = positions.getStartPosition(unit, from);
    if (from instanceof ClassTree c && positions.getEndPosition(unit, c.getModifiers()) >= 0) {
      at = positions.getEndPosition(unit, c.getModifiers());
    } else if (from instanceof MethodTree m) {
      long type = m.getReturnType() == null ? -1 : positions.getEndPosition(unit, m.getReturnType());
      at = Math.max(Math.max(at, positions.getEndPosition(unit, m.getModifiers())), type);
    } else if (from instanceof VariableTree v) {
      long type = v.getType() == null ? -1 : positions.getEndPosition(unit, v.getType());
      at = Math.max(Math.max(at, positions.getEndPosition(unit, v.getModifiers())), type);
    }
    OUT.println(path + "\t" + group + "\t" + unit.getLineMap().getLineNumber(word(name, (int) at)) + "\t" + name);
  }

  private int word(String name, int from) {
    String s = text.toString();
    for (int i = s.indexOf(name, from); i >= 0; i = s.indexOf(name, i + 1)) {
      boolean before = i == 0 || !Character.isJavaIdentifierPart(s.charAt(i - 1));
      int end = i + name.length();
      if (before && (end == s.length() || !Character.isJavaIdentifierPart(s.charAt(end)))) {
        return i;
      }
    }
    return from;
  }

  private void type(ClassTree c) {
    String name = c.getSimpleName().toString();
    put("type", c, name);
    for (Tree m : c.getMembers()) {
      if (m instanceof ClassTree inner) {
        type(inner);
      } else if (m instanceof VariableTree v) {
        put("value", v, v.getName().toString());
      } else if (m instanceof MethodTree f && positions.getEndPosition(unit, f) > 0 && (!generated(f))) {
        put("function", f, f.getName().contentEquals("<init>") ? name : f.getName().toString());
      }
    }
  }

  /** The parser adds a constructor to a record without one. */
  private boolean generated(MethodTree f) {
    return f.getName().contentEquals("<init>") && f.getBody() == null;
  }
}
