package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// shared are the files that every archive and package has.
type shared struct {
	licence, notices, readme []byte
	lgpl                     []byte // the licence of the GNU C Library
	manual                   []byte
	completions              []entry // by their usual names
}

// pack writes the files of the release for the binaries that are there.
func (r *release) pack() error {
	if err := r.clean(); err != nil {
		return err
	}
	built := slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool {
		_, err := os.Stat(r.binary(p))
		return err != nil
	})
	if len(built) == 0 {
		return fmt.Errorf("there is no binary in %s; run build first", filepath.Join(r.out, "build"))
	}
	s, err := r.shared(built)
	if err != nil {
		return err
	}
	for _, p := range built {
		binary, err := os.ReadFile(r.binary(p))
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: packing\n", p)
		for _, write := range []func(platform, []byte, *shared) error{r.archive, r.bom, r.npmBinary, r.debian, r.vsix} {
			if err := write(p, binary, s); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
		}
	}
	if err := r.npmLauncher(s); err != nil {
		return err
	}
	if err := r.npmTypes("editors/vscode/api", s); err != nil {
		return err
	}
	if err := r.universal(); err != nil {
		return err
	}
	if err := r.notes(); err != nil {
		return err
	}
	sums, err := r.sums()
	if err != nil {
		return err
	}
	if err := r.formula(sums); err != nil {
		return err
	}
	return r.flake(sums)
}

// clean removes everything of the output directory but the binaries.
func (r *release) clean() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == "build" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(r.out, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// shared reads the common files and lets the binary of this machine print its manual and
// completions.
func (r *release) shared(built []platform) (*shared, error) {
	native := slices.IndexFunc(built, func(p platform) bool { return p.os == runtime.GOOS && p.arch == runtime.GOARCH })
	if native < 0 {
		return nil, fmt.Errorf("there is no binary for this machine, which must print the manual; build %s-%s first", runtime.GOOS, runtime.GOARCH)
	}
	says := func(args ...string) ([]byte, error) { return exec.Command(r.binary(built[native]), args...).Output() }
	var s shared
	var errs [7]error
	s.licence, errs[0] = os.ReadFile("LICENSE")
	s.notices, errs[1] = os.ReadFile("docs/third-party.md")
	s.readme, errs[2] = os.ReadFile("server/cmd/release/npm/README.md")
	s.manual, errs[3] = says("help", "man")
	for shell, file := range map[string]string{"bash": "ambit.bash", "zsh": "_ambit", "fish": "ambit.fish", "powershell": "_ambit.ps1"} {
		text, err := says("completion", shell)
		errs[4] = errors.Join(errs[4], err)
		s.completions = append(s.completions, entry{file, 0o644, text})
	}
	if slices.ContainsFunc(built, func(p platform) bool { return p.os == "linux" }) {
		s.lgpl, errs[6] = os.ReadFile("/usr/share/common-licenses/LGPL-2.1") // of Debian's base-files
	}
	said, err := says("version")
	if errs[5] = err; err == nil && !strings.HasPrefix(string(said), name+" "+r.version+" ") {
		errs[5] = fmt.Errorf("the binary says %q, not version %s; build it again", said, r.version)
	}
	return &s, errors.Join(errs[:]...)
}

// noticesOf returns the licences of what is linked into the binary of a platform.
func (s *shared) noticesOf(p platform) []byte {
	if p.os != "linux" {
		return s.notices
	}
	return fmt.Appendf(bytes.Clone(s.notices), "\n## The GNU C Library\n\nThe binary for Linux has parts of the GNU C Library in it, as Debian distributes it. "+
		"To link ambit with another version of the library, run `make release` on the source code of ambit, which %s has.\n\n```text\n%s\n```\n", address, bytes.TrimSpace(s.lgpl))
}

// archive writes the archive of a platform: a zip for Windows, else a tar.gz.
func (r *release) archive(p platform, binary []byte, s *shared) error {
	dir := fmt.Sprintf("%s-%s-%s", name, r.version, p)
	entries := []entry{
		{dir + "/" + p.exe(), 0o755, binary},
		{dir + "/LICENSE", 0o644, s.licence},
		{dir + "/THIRD-PARTY.md", 0o644, s.noticesOf(p)},
		{dir + "/man/man1/ambit.1", 0o644, s.manual},
	}
	for _, c := range s.completions {
		entries = append(entries, entry{dir + "/completions/" + c.name, c.mode, c.data})
	}
	pack, ending := tarGz, ".tar.gz"
	if p.os == "windows" {
		pack, ending = zipped, ".zip"
	}
	data, err := pack(entries, r.date)
	if err != nil {
		return err
	}
	return r.write(dir+ending, data)
}

// sums writes SHA256SUMS, as sha256sum -c reads it, and returns the sums by file.
func (r *release) sums() (map[string]string, error) {
	sums := map[string]string{}
	var text strings.Builder
	err := filepath.WalkDir(r.out, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "build" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(r.out, path)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		sums[file] = fmt.Sprintf("%x", sha256.Sum256(data))
		fmt.Fprintf(&text, "%s  %s\n", sums[file], file)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sums, r.write("SHA256SUMS", []byte(text.String()))
}
