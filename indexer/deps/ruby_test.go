package deps_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/deps"
	"ambit/vectors/record"
)

// rubyHome has a Ruby below home/rb and gems. "GEMS" stands for the directory of the gems.
const rubyHome = `
-- home/rb/bin/ruby --
-- home/rb/lib/ruby/3.3.0/set.rb --
class Set; def add(o); end; end
-- home/rb/lib/ruby/3.3.0/json.rb --
require "json/common"
module JSON; end
-- home/rb/lib/ruby/3.3.0/json/common.rb --
module JSON
  def generate(obj); end
end
-- GEMS/activerecord-7.1.0/lib/active_record.rb --
module ActiveRecord; end
-- GEMS/activerecord-7.1.0/lib/active_record/base.rb --
module ActiveRecord
  class Base
    extend ActiveModel::Naming
    include Associations
    include Missing
    MODULES = [
      Scoping::Named,
    ]
  end
end
-- GEMS/activerecord-7.1.0/lib/active_record/associations.rb --
module ActiveRecord
  module Associations
    module ClassMethods
      def has_many(name); end
    end
  end
end
-- GEMS/activerecord-7.1.0/lib/active_record/scoping/named.rb --
module ActiveRecord
  module Scoping
    module Named
      ##
      # :method: scope
      #
      # Adds a scope.

      [:scope].each { |n| define_method(n) { } }
    end
  end
end
-- GEMS/activerecord-7.1.0/lib/active_record/associations/preloader.rb --
module ActiveRecord
  module Associations
    class Preloader
      def preload; end
    end
  end
end
-- GEMS/activerecord-7.1.0/lib/active_record/migration.rb --
module ActiveRecord
  class Migration
    def has_many(name); end
  end
end
-- GEMS/activerecord-7.1.0/lib/active_record/errors.rb --
module ActiveRecord
  class RecordNotFound < StandardError; end
end
-- GEMS/activerecord-7.1.0/lib/.hidden/active_record.rb --
module ActiveRecord; end
-- GEMS/activerecord-7.0.0/lib/active_record.rb --
module ActiveRecord; end
-- GEMS/activemodel-7.1.0/lib/active_model/naming.rb --
module ActiveModel
  module Naming
    def model_name; end
  end
end
-- GEMS/httparty-0.21.0-x86_64-linux/lib/httparty.rb --
module HTTParty; end
-- home/rb/lib/ruby/gems/3.3.0/bundler/gems/tool-0123456789ab/lib/tool.rb --
module Tool; end
-- work/Gemfile.lock --
GIT
  remote: https://example.com/tool.git
  revision: 0123456789abcdef0123456789abcdef01234567
  specs:
    tool (1.0)

GEM
  remote: https://rubygems.org/
  specs:
    activemodel (7.1.0)
    activerecord (7.1.0)
      activemodel (= 7.1.0)
    gone (1.0)
    httparty (0.21.0-x86_64-linux)

DEPENDENCIES
  activerecord (~> 7.1)
  gone
  tool!
`

// rubyMachine makes a machine whose ruby is on PATH.
func rubyMachine(t *testing.T, text string) *machine {
	t.Helper()
	m := newMachine(t, strings.ReplaceAll(text, "GEMS", "home/rb/lib/ruby/gems/3.3.0/gems"))
	m.env["PATH"] = m.path("home/rb/bin")
	return m
}

func TestAGemfileLockSaysWhereAConstantLies(t *testing.T) {
	ar := "activerecord@7.1.0/lib/active_record"
	const inGem = "vendor/bundle/gems/activerecord/lib/active_record/base.rb"
	tests := []struct {
		name     string
		files    string
		env      map[string]string
		from     string // "" for the file of the workspace
		constant string
		names    []string
		want     []string
	}{
		{"a constant", "", nil, "", "ActiveRecord", []string{"where"}, []string{ar + ".rb"}},
		{"one below it", "", nil, "", "ActiveRecord", []string{"Base", "has_many"}, []string{ar + ".rb", ar + "/base.rb"}},
		{"two below it", "", nil, "", "ActiveRecord", []string{"Associations", "Preloader"}, []string{ar + ".rb", ar + "/associations.rb", ar + "/associations/preloader.rb"}},
		{"an acronym", "", nil, "", "HTTParty", []string{"get"}, []string{"httparty@0.21.0-x86_64-linux/lib/httparty.rb"}},
		{"a gem of a repository", "", nil, "", "Tool", nil, []string{"tool@1.0/lib/tool.rb"}},
		{"the standard library", "", nil, "", "Set", nil, []string{"ruby@3.3/set.rb"}},
		{"a method of a mixed in module", "", nil, inGem, "ActiveRecord.Base", []string{"has_many"}, []string{ar + "/associations.rb"}},
		{"a method of another gem", "", nil, inGem, "ActiveRecord.Base", []string{"model_name"}, []string{"activemodel@7.1.0/lib/active_model/naming.rb"}},
		{"a method that only a comment declares", "", nil, inGem, "ActiveRecord.Base", []string{"scope"}, []string{ar + "/scoping/named.rb"}},
		{"a constant of a file with another name", "", nil, inGem, "ActiveRecord", []string{"RecordNotFound"}, []string{ar + "/errors.rb"}},
		{"a method of the standard library", "", nil, "vendor/bundle/gems/ruby/json.rb", "JSON", []string{"generate"}, []string{"ruby@3.3/json/common.rb"}},
		{"a gem that is not in the lock file", "", nil, "", "Rack", nil, nil},
		{"no constant", "", nil, "", "set", nil, nil},
		{"a lock file without gems", "-- work/Gemfile.lock --\n", nil, "", "ActiveRecord", nil, nil},
		{"gems of the workspace", "-- work/vendor/bundle/ruby/3.3.0/gems/activerecord-7.1.0/lib/active_record.rb --\nmodule ActiveRecord; end\n", nil, "", "ActiveRecord", nil, []string{ar + ".rb"}},
		{"GEM_HOME", "-- gems/gems/gone-1.0/lib/gone.rb --\nmodule Gone; end\n", map[string]string{"GEM_HOME": "HOME/../gems"}, "", "Gone", nil, []string{"gone@1.0/lib/gone.rb"}},
		{"GEM_PATH", "-- gems/gems/gone-1.0/lib/gone.rb --\nmodule Gone; end\n", map[string]string{"GEM_PATH": "HOME/../gems"}, "", "Gone", nil, []string{"gone@1.0/lib/gone.rb"}},
		{"a gem of a path outside", "-- work/Gemfile.lock --\nPATH\n  remote: ../near\n  specs:\n    near (0.1)\n-- near/near.gemspec --\nGem::Specification.new { |s| s.name = \"near\" }\n-- near/lib/near.rb --\nmodule Near; end\n", nil, "", "Near", nil, []string{"near@0.1/lib/near.rb"}},
		{"a gem of a path in the workspace", "-- work/Gemfile.lock --\nPATH\n  remote: engines/near\n  specs:\n    near (0.1)\n-- work/engines/near/near.gemspec --\nGem::Specification.new { |s| s.name = \"near\" }\n-- work/engines/near/lib/near.rb --\nmodule Near; end\n", nil, "", "Near", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := rubyMachine(t, rubyHome+tt.files)
			for name, value := range tt.env {
				m.env[name] = strings.ReplaceAll(value, "HOME", m.path("home"))
			}
			from := record.Path("app/a.rb")
			if tt.from != "" {
				from = record.Path(tt.from)
			}
			var got []string
			for _, x := range m.finder().Find(t.Context(), "app/a.rb", from, tt.constant, tt.names).Files {
				got = append(got, string(x.Path))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Find(%s, %v) (-want +got):\n%s", tt.constant, tt.names, diff)
			}
		})
	}
}

func TestWithoutALockFileTheNewestGemsCount(t *testing.T) {
	all, _, _ := strings.Cut(rubyHome, "-- work/Gemfile.lock --")
	m := rubyMachine(t, all+"-- GEMS/activerecord-7.10.0/lib/active_record.rb --\nmodule ActiveRecord; end\n")
	if got := found(t, m.finder(), "a.rb", "ActiveRecord"); !slices.Equal(got, []string{"activerecord@7.10.0/lib/active_record.rb"}) {
		t.Errorf("Find returns %v, want the file of the newest version", got)
	}
}

func TestManyMethodsOfAClassAreFoundAtOnce(t *testing.T) {
	text, all := "-- work/Gemfile.lock --\nGEM\n  specs:\n    many (1.0)\n-- GEMS/many-1.0/lib/many.rb --\nclass Many\n", []string{}
	files := ""
	for i := range 20 {
		name := string(rune('a' + i))
		text += "  include M" + name + "\n"
		files += "-- GEMS/many-1.0/lib/many/m" + name + ".rb --\nclass Many\n  module M" + name + "\n    private def run_" + name + "!; end\n  end\nend\n"
		all = append(all, "run_"+name+"!")
	}
	m := rubyMachine(t, text+"end\n"+files+"-- home/rb/bin/ruby --\n-- home/rb/lib/ruby/3.3.0/set.rb --\n")
	got := m.finder().Find(t.Context(), "a.rb", "vendor/bundle/gems/many/lib/many.rb", "Many", all).Files
	if len(got) != len(all) {
		t.Errorf("Find returns %d files, want %d", len(got), len(all))
	}
}

func TestAMethodThatOnlyACommentDeclaresIsASymbol(t *testing.T) {
	m := rubyMachine(t, rubyHome)
	files := m.finder().Find(t.Context(), "a.rb", "vendor/bundle/gems/activerecord/lib/active_record/base.rb", "ActiveRecord.Base", []string{"scope"}).Files
	if len(files) != 1 {
		t.Fatalf("Find returns %d files, want 1", len(files))
	}
	for _, s := range files[0].Record.Graph.Symbols {
		if s.Name != "scope" {
			continue
		}
		text := string(files[0].Text[s.Span.Start:s.Span.End])
		if s.Qualified != "ActiveRecord.Scoping.Named.scope" || s.NameLine != 5 || !strings.HasPrefix(strings.TrimSpace(text), "##\n") || !strings.HasSuffix(text, "# Adds a scope.") {
			t.Errorf("got %s at line %d:\n%s", s.Qualified, s.NameLine, text)
		}
		return
	}
	t.Error("there is no symbol scope")
}

func TestAWorkspaceReachesNoOtherDirectoryByRuby(t *testing.T) {
	const key = "module Key; def self.open; end; end\n"
	lock := func(section, remote, name, version string) string {
		return "-- work/Gemfile.lock --\n" + section + "\n  remote: " + remote + "\n  revision: ../../../../../../../../../home\n  specs:\n    " + name + " (" + version + ")\n"
	}
	spec := func(name string) string { return "Gem::Specification.new { |s| s.name = \"" + name + "\" }\n" }
	tests := []struct {
		name   string
		files  string
		links  [][2]string // from the second to the first, below the machine
		reason string      // of the refusal; "" for none
	}{
		{"a name with a path", lock("GEM", "x", "../../../../../../notes", "1.0"), nil, ""},
		{"a version with a path", lock("GEM", "x", "key", "1.0/../../../../../../../notes"), nil, ""},
		{"a revision with a path", lock("GIT", "https://example.com/notes", "key", "1.0"), nil, ""},
		{"a hidden directory of the home", lock("PATH", "HOME/.ssh", "key", "1.0") + "-- home/.ssh/key.gemspec --\n" + spec("key") + "-- home/.ssh/lib/key.rb --\n" + key, nil, ".ssh is a hidden directory"},
		{"the same by a relative path", lock("PATH", "../home/.ssh", "key", "1.0") + "-- home/.ssh/key.gemspec --\n" + spec("key") + "-- home/.ssh/lib/key.rb --\n" + key, nil, ".ssh is a hidden directory"},
		{"a hidden directory by a link in the workspace", lock("PATH", "near", "key", "1.0") + "-- home/.ssh/key.gemspec --\n" + spec("key") + "-- home/.ssh/lib/key.rb --\n" + key, [][2]string{{"home/.ssh", "work/near"}}, ".ssh is a hidden directory"},
		{"a directory without a specification", lock("PATH", "../home/notes", "key", "1.0"), nil, "it has no key.gemspec"},
		{"the specification of another gem", lock("PATH", "../home/notes", "key", "1.0") + "-- home/notes/key.gemspec --\n" + spec("other"), nil, `its key.gemspec declares the gem "other"`},
		{"a specification that is a link", lock("PATH", "../home/notes", "key", "1.0") + "-- evil/key.gemspec --\n" + spec("key"), [][2]string{{"evil/key.gemspec", "home/notes/key.gemspec"}}, "it has no key.gemspec"},
		{"a directory that is not there", lock("PATH", "../gone", "key", "1.0"), nil, "there is no such directory"},
		{"a gem that is a link", lock("GEM", "x", "key", "1.0"), [][2]string{{"home/notes", "home/rb/lib/ruby/gems/3.3.0/gems/key-1.0"}}, ""},
		{"a directory of the bundle that is a link", lock("GEM", "x", "key", "1.0"), [][2]string{{"home/notes", "work/vendor/bundle/ruby/3.3.0/gems/key-1.0"}}, ""},
		{"a file that is a link", lock("GEM", "x", "key", "1.0") + "-- GEMS/key-1.0/lib/keep --\n", [][2]string{{"home/notes/lib/key.rb", "home/rb/lib/ruby/gems/3.3.0/gems/key-1.0/lib/key.rb"}}, ""},
		{"a lock file that is a link", "-- evil/Gemfile.lock --\nPATH\n  remote: HOME/near\n  specs:\n    key (1.0)\n-- home/near/key.gemspec --\n" + spec("key") + "-- home/near/lib/key.rb --\n" + key, [][2]string{{"evil/Gemfile.lock", "work/Gemfile.lock"}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, _, _ := strings.Cut(rubyHome, "-- work/Gemfile.lock --")
			m := rubyMachine(t, all+"-- home/notes/lib/key.rb --\n"+key+tt.files)
			for _, l := range tt.links {
				m.link(t, m.path(l[0]), l[1])
			}
			f := m.finder()
			for _, from := range []record.Path{"a.rb", "vendor/bundle/gems/key/lib/key.rb"} {
				for _, constant := range []string{"Key", "..Notes.Key", "Key/../../Notes"} {
					if got := f.Find(t.Context(), "a.rb", from, constant, []string{"open", "Key", "../notes"}).Files; len(got) > 0 {
						t.Errorf("from %s %s reaches %s", from, constant, got[0].Name)
					}
				}
			}
			checkRefused(t, f, "a.rb", tt.reason)
		})
	}
}

func TestTheReportSaysWhichGemsAreMissing(t *testing.T) {
	m := rubyMachine(t, rubyHome)
	gems := m.path("home/rb/lib/ruby/gems/3.3.0")
	want := []deps.Report{{
		Ecosystem: "Ruby", Std: &deps.Package{Name: "ruby", Version: "3.3", Dir: m.path("home/rb/lib/ruby/3.3.0")}, Remedy: "bundle install",
		Found: []deps.Package{{Name: "activerecord", Version: "7.1.0", Dir: gems + "/gems/activerecord-7.1.0"},
			{Name: "tool", Version: "1.0", Dir: gems + "/bundler/gems/tool-0123456789ab"}},
		Missing: []deps.Package{{Name: "gone", Version: "1.0"}},
	}}
	if diff := cmp.Diff(want, m.finder().Report([]record.Path{"app/a.rb", "b.rb"})); diff != "" {
		t.Errorf("Report (-want +got):\n%s", diff)
	}
}

func TestTheGemsOfDebianAreFound(t *testing.T) {
	const debian = `
-- home/rb/bin/ruby --
-- home/rb/lib/ruby/3.1.0/set.rb --
class Set; end
-- home/rb/lib/ruby/vendor_ruby/mail.rb --
module Mail; end
-- home/rb/lib/ruby/vendor_ruby/mail/part.rb --
class Mail::Part; end
-- home/rb/lib/ruby/vendor_ruby/tilt.rb --
module Tilt; end
-- home/rb/lib/ruby/vendor_ruby/loose.rb --
module Loose; end
-- home/rb/share/rubygems-integration/all/specifications/mail-2.7.1.gemspec --
-- home/rb/share/rubygems-integration/all/specifications/tilt-2.0.11.gemspec --
-- home/rb/share/rubygems-integration/all/gems/rack-2.2.22/lib/rack.rb --
module Rack; end
`
	rack := deps.Package{Name: "rack", Version: "2.2.22"}
	mail, tilt := deps.Package{Name: "mail", Version: "2.7.1"}, deps.Package{Name: "tilt", Version: "2.0.11"}
	tests := []struct {
		name, files string
		found       []deps.Package // without their directories
		missing     []deps.Package
	}{
		{"without a Gemfile", "", []deps.Package{mail, rack, tilt}, nil},
		{"with a Gemfile", "-- work/Gemfile --\ngem \"rack\"\n  gem 'mail', '~> 2'\n# gem 'tilt'\ngem('gone')\n", []deps.Package{mail, rack}, []deps.Package{{Name: "gone"}}},
		{"with a lock file", "-- work/Gemfile.lock --\nGEM\n  specs:\n    mail (2.7.1)\n    tilt (3.0)\n\nDEPENDENCIES\n  mail\n  tilt\n", []deps.Package{mail}, []deps.Package{{Name: "tilt", Version: "3.0"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := rubyMachine(t, debian+tt.files)
			f := m.finder()
			got := f.Report([]record.Path{"a.rb"})[0]
			for i := range got.Found {
				got.Found[i].Dir = ""
			}
			if diff := cmp.Diff([][]deps.Package{tt.found, tt.missing}, [][]deps.Package{got.Found, got.Missing}); diff != "" {
				t.Errorf("found and missing (-want +got):\n%s", diff)
			}
			if got, want := searched(t, m, []record.Path{"a.rb"}, "mail part"), "mail@2.7.1/mail/part.rb Mail.Part 1.00"; len(got) == 0 || got[0] != want {
				t.Errorf("a search of the dependencies found %q, want %q", got, want)
			}
			if got := searched(t, m, []record.Path{"a.rb"}, "loose"); len(got) > 0 {
				t.Errorf("a search found %q, which is of no gem", got)
			}
			files := f.Find(t.Context(), "a.rb", "a.rb", "Mail", []string{"Part"}).Files
			if !slices.ContainsFunc(files, func(f *deps.File) bool { return f.Path == "mail@2.7.1/mail/part.rb" }) {
				t.Errorf("Mail leads to %v", files)
			}
			if files := f.Find(t.Context(), "a.rb", "a.rb", "Loose", []string{""}).Files; len(files) > 0 {
				t.Errorf("Loose, which is of no gem, leads to %s", files[0].Path)
			}
		})
	}
}
