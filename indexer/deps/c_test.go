package deps_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/deps"
	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// cHome has a directory of headers that a variable of the compiler names.
const cHome = `
-- home/include/pack/pack.h --
#include "detail/part.h"
#include <elsewhere.h>
#define PACK_MAX 9
/* Make a pack. */
struct pack *pack_new(int size);
-- home/include/pack/detail/part.h --
#pragma once
typedef struct part {
  int size;
} part_t;
-- home/include/elsewhere.h --
enum side { LEFT, RIGHT };
-- home/include/loop.h --
#include "loop.h"
#include "pack/pack.h"
`

func cMachine(t *testing.T, text string) *machine {
	m := newMachine(t, text)
	m.env["CPATH"] = m.path("home/include")
	return m
}

// commands returns a compile_commands.json with one command for src/a.c.
func commands(flags string) string {
	return "-- work/compile_commands.json --\n[{\"directory\": \"WORK/build\", \"file\": \"../src/a.c\", \"command\": \"cc " + flags + " -c ../src/a.c\"}]\n-- work/build/keep --\n"
}

func TestAnIncludeLeadsToTheHeadersThatDeclareANames(t *testing.T) {
	const near = "-- work/out/gen/near.h --\nint near(void);\n"
	generated := []string{"near/near.h"}
	tests := []struct {
		name, files, include string
		names, want          []string
	}{
		{"a header", "", "pack/pack.h", []string{"pack_new"}, []string{"pack/pack/pack.h"}},
		{"a macro", "", "<pack/pack.h>", []string{"PACK_MAX"}, []string{"pack/pack/pack.h"}},
		{"through another header", "", "pack/pack.h", []string{"part_t"}, []string{"pack/pack/detail/part.h", "pack/pack/pack.h"}},
		{"through two headers", "", "loop.h", []string{"RIGHT"}, []string{"elsewhere/elsewhere.h", "loop/loop.h", "pack/pack/pack.h"}},
		{"a name that no header has", "", "pack/pack.h", []string{"gone", ""}, nil},
		{"a name that a header only uses", "-- home/include/use.h --\nstatic inline int f(void) {\n  part_of(1);\n}\n", "use.h", []string{"part_of"}, nil},
		{"a header that is not there", "", "gone.h", []string{"pack_new"}, nil},
		{"a directory of compile_commands.json in the workspace", near + commands("-I../out/gen"), "near.h", []string{"near"}, generated},
		{"with a blank between", near + commands("-isystem ../out/gen"), "near.h", []string{"near"}, generated},
		{"with quotes", strings.ReplaceAll(near, "gen/", "g n/") + commands(`-iquote '../out/g n'`), "near.h", []string{"near"}, generated},
		{"with arguments", near + "-- work/build/compile_commands.json --\n[{\"directory\": \"WORK\", \"file\": \"src/a.c\", \"arguments\": [\"cc\", \"-I\", \"out/gen\"]}]\n", "near.h", []string{"near"}, generated},
		{"of another file", near + strings.ReplaceAll(commands("-I../out/gen"), "a.c", "b.c"), "near.h", []string{"near"}, generated},
		{"the next header of a name", "-- work/first/elsewhere.h --\n#include_next <elsewhere.h>\n" + commands("-I../first"), "elsewhere.h", []string{"RIGHT"}, []string{"elsewhere/elsewhere.h", "elsewhere/elsewhere.h"}},
		{"a header of the workspace with the name of one outside", "", "../src/a.c", []string{"RIGHT"}, nil},
		{"a function and the struct of its name", "-- home/include/twin.h --\n#include <twin_struct.h>\nint twin(struct twin *t);\n-- home/include/twin_struct.h --\nstruct twin {\n  int size;\n};\n", "twin.h", []string{"twin"}, []string{"twin/twin.h", "twin/twin_struct.h"}},
		{"a type by another name", "-- home/include/other.h --\n#include <whole.h>\ntypedef struct whole other;\n-- home/include/whole.h --\nstruct whole {\n  int size;\n};\n", "other.h", []string{"other"}, []string{"other/other.h", "other/whole.h"}},
		{"a file that is none", near + "-- work/compile_commands.json --\n[{\"directory\": 1}, \n", "near.h", []string{"near"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := found(t, cMachine(t, cHome+tt.files).finder(), "src/a.c", tt.include, tt.names...)
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Find(%s, %v) (-want +got):\n%s", tt.include, tt.names, diff)
			}
		})
	}
}

func TestAHeaderIncludesTheOneOfItsNameOutside(t *testing.T) {
	m := cMachine(t, cHome+"-- work/pack/elsewhere.h --\n#include <elsewhere.h>\n")
	got := m.finder().Find(t.Context(), "pack/elsewhere.h", "pack/elsewhere.h", "elsewhere.h", []string{"RIGHT"}).Files
	if len(got) != 1 || got[0].Path != "elsewhere/elsewhere.h" {
		t.Errorf("the include leads to %v, want elsewhere/elsewhere.h", got)
	}
}

func TestAFileOfCHasNoHeadersOfCPP(t *testing.T) {
	m := cMachine(t, "-- work/keep --\n")
	f := m.finder()
	for _, tt := range []struct {
		file record.Path
		want bool
	}{{"a.c", false}, {"a.cc", true}} {
		files := f.Find(t.Context(), tt.file, tt.file, "vector", []string{"vector"}).Files
		if len(files) == 0 && tt.want {
			t.Skip("this machine has no headers of C++")
		}
		if !tt.want && len(files) > 0 {
			t.Errorf("%s finds %s", tt.file, files[0].Path)
		}
	}
}

func TestANewHeaderBeforeAKnownOneIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, "-- first/keep --\n-- second/pack.h --\n#include <part.h>\n-- second/part.h --\nint part(void);\n")
		m.env["CPATH"] = m.path("first") + string(filepath.ListSeparator) + m.path("second")
		f := m.finder()
		check := func(include, want string) {
			t.Helper()
			time.Sleep(time.Second) // of the clock of the bubble: states are read again
			files := f.Find(t.Context(), "a.c", "a.c", include, []string{"part"}).Files
			if !slices.ContainsFunc(files, func(f *deps.File) bool { return f.Name == m.path(want) }) {
				t.Errorf("%s leads to no %s", include, want)
			}
		}
		check("part.h", "second/part.h")
		check("pack.h", "second/part.h")
		m.write(t, "first/part.h", "int part(int);\n")
		check("part.h", "first/part.h")
		m.write(t, "first/pack.h", "#include <deep/part.h>\n")
		m.write(t, "first/deep/part.h", "int part(long);\n")
		check("pack.h", "first/deep/part.h")
	})
}

func TestTheLeadsOfAnIncludeFollowTheHeaders(t *testing.T) {
	m := cMachine(t, cHome)
	got := m.finder().Find(t.Context(), "a.c", "a.c", "pack/pack.h", []string{"part_t"})
	view := record.Path("include" + m.path("home/include/pack"))
	want := map[graph.Lead]record.Path{{From: "a.c", Module: "pack/pack.h"}: view + "/pack.h", {From: view + "/pack.h", Module: "detail/part.h"}: view + "/detail/part.h"}
	if diff := cmp.Diff(want, got.Leads); diff != "" {
		t.Errorf("leads (-want +got):\n%s", diff)
	}
}

func TestAWorkspaceReachesNoOtherDirectoryByC(t *testing.T) {
	const key = "-- home/.ssh/key.h --\nint key(void);\n-- home/notes/key.h --\nint key(void);\n-- work/.private/key.h --\nint key(void);\n"
	tests := []struct {
		name, files string
		links       [][2]string // from the second to the first, below the machine
		reason      string      // of the refusal; "" for none
	}{
		{"an absolute directory", commands("-IHOME/.ssh"), nil, "it is in neither the workspace nor an include directory of the system"},
		{"a relative one", commands("-I ../../home/notes"), nil, "it is in neither the workspace nor an include directory of the system"},
		{"one below the system with dots", commands("-I HOME/include/../notes"), nil, "it is in neither the workspace nor an include directory of the system"},
		{"a link of the workspace", commands("-I../near"), [][2]string{{"home/notes", "work/near"}}, "a link leads out of WORK"},
		{"a hidden directory of the workspace", commands("-I../.private"), nil, "it is a hidden directory"},
		{"a file with arguments", commands("@HOME/notes/key.h"), nil, "a file with arguments is not read"},
		{"a header that is a link", commands("-I../out") + "-- work/out/keep --\n", [][2]string{{"home/notes/key.h", "work/out/key.h"}}, ""},
		{"a compile_commands.json that is a link", "-- evil/compile_commands.json --\n[{\"directory\": \"WORK\", \"file\": \"a.c\", \"command\": \"cc -Iout\"}]\n-- evil/out/key.h --\nint key(void);\n", [][2]string{{"evil/compile_commands.json", "work/compile_commands.json"}, {"evil/out", "work/out"}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := cMachine(t, cHome+key+tt.files)
			for _, l := range tt.links {
				m.link(t, m.path(l[0]), l[1])
			}
			f := m.finder()
			for _, include := range []string{"key.h", "../notes/key.h", "../../home/notes/key.h", "../.ssh/key.h", m.path("home/notes/key.h"), "pack/../../notes/key.h", ".private/key.h"} {
				if got := found(t, f, "src/a.c", include, "key"); len(got) > 0 {
					t.Errorf("%s reaches %v", include, got)
				}
			}
			checkRefused(t, f, "src/a.c", strings.ReplaceAll(tt.reason, "WORK", m.path("work")))
		})
	}
}

func TestTheReportOnCSaysWhatIsMissing(t *testing.T) {
	m := cMachine(t, cHome+"-- work/src/a.c --\n")
	got := m.finder().Report([]record.Path{"src/a.c", "b.h"})
	if len(got) != 1 || got[0].Ecosystem != "C and C++" || !slices.Contains(got[0].Missing, deps.Package{Name: "compile_commands.json"}) || !strings.HasPrefix(got[0].Remedy, "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON") {
		t.Errorf("the report is %+v", got)
	}
	m.write(t, "work/compile_commands.json", `[{"directory": "`+m.path("work")+`", "file": "src/a.c", "command": "cc -I`+m.path("home/include/pack")+`"}]`)
	dir := m.path("home/include/pack")
	if diff := cmp.Diff([]deps.Package{{Name: dir, Dir: dir}}, m.finder().Report([]record.Path{"src/a.c"})[0].Found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestMacrosHideNoDeclaration(t *testing.T) {
	m := newMachine(t, `
-- work/a.cpp --
#include <list>
-- work/a.c --
#include <list.h>
-- home/include/list --
#include <bits/list.h>
namespace std _GLIBCXX_VISIBILITY(default)
{
namespace pmr {
  template<typename T> using list = std::list<T>;
}
}
-- home/include/bits/list.h --
#if _GLIBCXX_HOSTED
namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_BEGIN_NAMESPACE_CXX11

  /// A list.
  template<typename T>
    class list
    {
    public:
      _GLIBCXX20_CONSTEXPR
      list() _GLIBCXX_NOEXCEPT_IF(is_fast<T>(1)) { }

      _GLIBCXX_NODISCARD _GLIBCXX20_CONSTEXPR
      bool empty() const _GLIBCXX_NOEXCEPT
      {
	__glibcxx_function_requires(_Concept<T,
		typename T::value>)
	return true;
      }
    };
_GLIBCXX_END_NAMESPACE_CXX11
_GLIBCXX_END_NAMESPACE_VERSION
}
#endif
-- home/include/list.h --
__BEGIN_DECLS
/* Add to a list. */
extern int list_add (char *__restrict list, int n)
     __THROW __nonnull ((1)) __wur;
__END_DECLS
`)
	m.env["CPATH"] = m.path("home/include")
	for _, tt := range []struct{ file, include, name, want string }{
		{"a.cpp", "list", "list", "std.list"},
		{"a.cpp", "list", "empty", "std.list.empty"},
		{"a.c", "list.h", "list_add", "list_add"},
	} {
		var got []string
		for _, f := range m.finder().Find(t.Context(), record.Path(tt.file), record.Path(tt.file), tt.include, []string{tt.name}).Files {
			for _, s := range f.Record.Graph.Symbols {
				got = append(got, s.Qualified)
			}
		}
		if !slices.Contains(got, tt.want) {
			t.Errorf("Find(%s, %s) has %q, want %s", tt.include, tt.name, got, tt.want)
		}
	}
}
