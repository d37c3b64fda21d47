package deps

import (
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// cDir is a directory with headers.
type cDir struct {
	base, dir string // as in source
	std       bool   // of the compiler or its standard library
}

// cSystem is the directories of the user and of the system.
type cSystem struct {
	roots    []string // below which a workspace may name directories
	user     []cDir   // of the variables that compilers read
	common   []cDir   // of C
	cpp      []cDir   // of C++, before those of C
	version  string   // of the compiler
	packages map[string]string
	getenv   func(string) string
}

// cSystemOf returns where the headers of the system are. No compiler is executed.
func cSystemOf(getenv func(string) string) *cSystem {
	s := &cSystem{getenv: getenv, packages: map[string]string{}}
	for _, name := range []string{"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "INCLUDE"} {
		for _, dir := range filepath.SplitList(getenv(name)) {
			if filepath.IsAbs(dir) && isFolder(dir) {
				s.roots = append(s.roots, dir)
				s.user = append(s.user, cDir{base: dir, dir: "."})
			}
		}
	}
	var own []cDir
	triple := "" // x86_64-linux-gnu
	for _, pattern := range []string{"/usr/lib/gcc/*-" + runtime.GOOS + "-*/*/include", "/usr/lib/gcc/*/*/include", "/usr/lib/llvm-*/lib/clang/*/include", "/Library/Developer/CommandLineTools/usr/lib/clang/*/include"} {
		if dir := newestOf(pattern); dir != "" {
			own, s.version = []cDir{{dir, ".", true}}, filepath.Base(filepath.Dir(dir))
			if strings.HasPrefix(dir, "/usr/lib/gcc/") {
				triple = filepath.Base(filepath.Dir(filepath.Dir(dir)))
			}
			s.roots = append(s.roots, dir)
			break
		}
	}
	if dir := newestOf("/usr/include/c++/*"); dir != "" {
		s.cpp = append(s.cpp, cDir{"/usr/include", "c++/" + filepath.Base(dir), true})
		if dir := triple + "/c++/" + filepath.Base(dir); isFolder(filepath.Join("/usr/include", dir)) {
			s.cpp = append(s.cpp, cDir{"/usr/include", dir, true})
		}
	}
	s.common = append(s.common, own...)
	for _, base := range []string{"/usr/local/include", "/usr/include", "/opt/homebrew/include", "/Library/Developer/CommandLineTools/SDKs/MacOSX.sdk/usr/include"} {
		if !isFolder(base) {
			continue
		}
		s.roots = append(s.roots, base)
		if triple != "" && isFolder(filepath.Join(base, triple)) {
			s.common = append(s.common, cDir{base: base, dir: triple})
		}
		s.common = append(s.common, cDir{base: base, dir: "."})
	}
	return s
}

// newestOf returns the directory of a pattern with the newest version.
func newestOf(pattern string) string {
	found, _ := filepath.Glob(pattern) // the patterns are valid
	version := func(dir string) string {
		return strings.TrimSuffix(strings.TrimSuffix(dir, "/include"), "/")
	}
	if len(found) == 0 {
		return ""
	}
	return slices.MaxFunc(found, func(a, b string) int {
		if newer(filepath.Base(version(a)), filepath.Base(version(b))) {
			return 1
		}
		return -1
	})
}

// cProject is what compile_commands.json says.
type cProject struct {
	at      string // the path of the file in the workspace; "" without one
	system  *cSystem
	of      map[string][]cDir // by the absolute path of a compiled file
	all     []cDir            // of all of them
	dirsIn  map[string][]cDir // of a compiled file in a directory
	trees   map[cTreeOf]*cTree
	refused []Refused
	state   []stamp
}

// dirs returns the directories in which the includes of a file are looked for. Those of a header
// are of the project as a whole.
func (p *cProject) dirs(from record.Path, by *cHeader, isCPP bool) []cDir {
	own := p.all
	if by == nil {
		if of, ok := p.of[string(from)]; ok {
			own = of
		} else if in, ok := p.dirsIn[path.Dir(string(from))]; ok {
			own = in
		}
	}
	out := slices.Concat(own, p.system.user)
	if isCPP {
		out = append(out, p.system.cpp...)
	}
	return append(out, p.system.common...)
}

const (
	// maxCommandBytes bounds compile_commands.json: that of LLVM has 25 MB.
	maxCommandBytes = 64 << 20
	// maxIncludeDirs bounds the directories of a project.
	maxIncludeDirs = 200
)

// project returns what the compile_commands.json says that is nearest above a file: in a directory
// or in its directory build. The caller holds the mutex.
func (c *clang) project(file record.Path) *cProject {
	if c.system == nil {
		c.system, c.projects = cSystemOf(c.getenv), map[string]*cProject{}
		c.headers, c.records, c.entered = map[string]*cHeader{}, map[record.Path]*cHeader{}, map[record.Path]bool{}
		c.folders, c.same = map[string]*cFolder{}, map[stamp]bool{}
	}
	at := ""
	for dir := path.Dir(string(file)); at == ""; dir = path.Dir(dir) {
		for _, name := range []string{"compile_commands.json", "build/compile_commands.json"} {
			if name = path.Join(dir, name); at == "" && !stampOf(filepath.Join(c.root, filepath.FromSlash(name))).modTime.IsZero() {
				at = name
			}
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	if p := c.projects[at]; p != nil && areCurrent(p.state) {
		return p
	}
	p := &cProject{at: at, system: c.system, of: map[string][]cDir{}, dirsIn: map[string][]cDir{}, trees: map[cTreeOf]*cTree{}}
	if at != "" {
		p.state = []stamp{stampOf(filepath.Join(c.root, filepath.FromSlash(at)))}
		c.readCommands(p)
	}
	c.projects[at] = p
	return p
}

// cCommand is an entry of compile_commands.json.
type cCommand struct {
	Directory, File, Command string
	Arguments                []string
}

// readCommands reads the directories of the commands, one command at a time.
func (c *clang) readCommands(p *cProject) {
	f, err := os.OpenInRoot(c.root, filepath.FromSlash(p.at))
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // it is only read
	d := json.NewDecoder(io.LimitReader(f, maxCommandBytes))
	if _, err := d.Token(); err != nil {
		return
	}
	known := map[string][]cDir{} // by a directory as commands write it
	for d.More() {
		var command cCommand
		if d.Decode(&command) != nil {
			return
		}
		dirs := c.commandDirs(p, &command, known)
		name := command.File
		if !filepath.IsAbs(name) {
			name = filepath.Join(command.Directory, name)
		}
		if rel, err := filepath.Rel(c.root, name); err == nil && filepath.IsLocal(rel) {
			p.of[filepath.ToSlash(rel)] = dirs
			p.dirsIn[path.Dir(filepath.ToSlash(rel))] = dirs
		}
		for _, dir := range dirs {
			if !slices.Contains(p.all, dir) && len(p.all) < maxIncludeDirs {
				p.all = append(p.all, dir)
			}
		}
	}
}

// commandDirs returns the directories that a command names.
func (c *clang) commandDirs(p *cProject, command *cCommand, known map[string][]cDir) (dirs []cDir) {
	arguments := command.Arguments
	if len(arguments) == 0 {
		arguments = splitCommand(command.Command)
	}
	for i, a := range arguments {
		if strings.HasPrefix(a, "@") {
			p.refuse(a, "a file with arguments is not read")
			continue
		}
		dir := ""
		for _, flag := range []string{"-iquote", "-isystem", "-idirafter", "-I", "/I"} {
			if rest, ok := strings.CutPrefix(a, flag); ok && i > 0 {
				if dir = rest; rest == "" && i+1 < len(arguments) {
					dir = arguments[i+1]
				}
				break
			}
		}
		if dir == "" || strings.HasPrefix(dir, "-") || len(dirs) >= maxIncludeDirs {
			continue
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(command.Directory, dir)
		}
		if dir = filepath.Clean(dir); known[dir] == nil {
			known[dir] = c.allowed(p, dir)
		}
		dirs = append(dirs, known[dir]...)
	}
	return dirs
}

// allowed returns a directory that a command names when it may be read: it is in the workspace, or
// below one of the system or of the user's variables. No other directory can be reached by a
// compile_commands.json.
func (c *clang) allowed(p *cProject, dir string) []cDir {
	for _, base := range append([]string{c.root}, p.system.roots...) {
		rel, err := filepath.Rel(base, dir)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := open(base, filepath.ToSlash(rel))
		switch {
		case err == nil && base == c.root && hasHidden(filepath.ToSlash(rel)):
			_ = root.Close() // nothing was read
			p.refuse(dir, "it is a hidden directory")
		case err == nil:
			_ = root.Close() // it was only looked at
			return []cDir{{base: base, dir: filepath.ToSlash(rel)}}
		case isFolder(dir):
			p.refuse(dir, "a link leads out of "+base)
		}
		return []cDir{}
	}
	p.refuse(dir, "it is in neither the workspace nor an include directory of the system")
	return []cDir{}
}

func (p *cProject) refuse(what, reason string) {
	if r := (Refused{p.at + ": " + what, reason}); len(p.refused) < maxIncludeDirs && !slices.Contains(p.refused, r) {
		p.refused = append(p.refused, r)
	}
}

// splitCommand splits a command as a shell does, without expansions.
func splitCommand(command string) (out []string) {
	var word strings.Builder
	quote, in := byte(0), false
	for i := 0; i < len(command); i++ {
		switch b := command[i]; {
		case quote == 0 && (b == ' ' || b == '\t' || b == '\n'):
			if in {
				out, in = append(out, word.String()), false
				word.Reset()
			}
			continue
		case quote == 0 && (b == '"' || b == '\''):
			quote = b
		case b == quote && quote != 0:
			quote = 0
		case b == '\\' && quote != '\'' && i+1 < len(command):
			i++
			word.WriteByte(command[i])
		default:
			word.WriteByte(b)
		}
		in = true
	}
	if in {
		out = append(out, word.String())
	}
	return out
}

var pcVersion = lazy.Regexp(`(?m)^Version:[ \t]*([0-9][A-Za-z0-9.+_-]*)[ \t]*$`)

// packageOf returns the name of the package that a header is of, with the version that pkg-config
// has, and whether it is of the standard library.
func (s *cSystem) packageOf(d cDir, include string) (pkg string, std bool) {
	if d.std {
		return strings.TrimSuffix("gcc@"+s.version, "@"), true
	}
	first, _, below := strings.Cut(include, "/")
	if !below {
		first = strings.TrimSuffix(first, path.Ext(first))
	}
	if slices.Contains(cStandard, first) {
		return "libc", true
	}
	if known, ok := s.packages[first]; ok {
		return known, false
	}
	pkg = first
	for _, dir := range []string{"/usr/local/lib/pkgconfig", "/usr/lib/pkgconfig", "/usr/lib/*/pkgconfig", "/usr/share/pkgconfig", "/opt/homebrew/lib/pkgconfig"} {
		for _, name := range []string{first, "lib" + first} {
			found, _ := filepath.Glob(filepath.Join(dir, name+".pc")) // a name with marks of patterns finds none
			if pkg == first && len(found) > 0 {
				if m := pcVersion().FindStringSubmatch(smallFile(found[0])); m != nil {
					pkg += "@" + m[1]
				}
			}
		}
	}
	s.packages[first] = pkg
	return pkg, false
}

// cStandard are the headers and directories of the C library and of POSIX.
var cStandard = strings.Fields("aio alloca arpa asm asm-generic assert bits byteswap complex cpio ctype dirent dlfcn endian err errno fcntl features fenv float fnmatch ftw getopt glob gnu grp iconv " +
	"ifaddrs inttypes iso646 langinfo libgen limits linux locale malloc math memory monetary mqueue net netdb netinet nl_types paths poll pthread pwd regex resolv sched search semaphore setjmp " +
	"signal spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings sys syslog tar termios tgmath threads time uchar ucontext ulimit unistd utime utmpx wait wchar wctype wordexp")
