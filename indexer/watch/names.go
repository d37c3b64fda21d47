package watch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// isVCS reports whether name belongs to a version control system. No rule takes
// these in: they hold objects and credentials, not source. Case does not matter,
// because some file systems ignore it.
func isVCS(name string) bool {
	switch len(name) {
	case 3, 4, 6:
	default:
		return false
	}
	return vcsNames[strings.ToLower(name)]
}

var vcsNames = set(".git .hg .svn .bzr .jj cvs _darcs .pijul .sl")

// defaultExcluded are the directories that no project writes by hand. They are excluded
// even if no ignore file names them. Each name belongs to one tool alone. Names that projects also
// use for source (build, dist, out, target, bin, vendor, env, deps, coverage, tmp) are
// left to ignore files. A virtual environment of any name has a pyvenv.cfg (PEP 405),
// and a cache, such as cargo's target, a CACHEDIR.TAG (https://bford.info/cachedir/).
var defaultExcluded = set(
	// Installed packages. npm, Bower, JSPM, Yarn and PDM reserve these names.
	"node_modules bower_components jspm_packages __pypackages__ .pnpm-store elm-stuff",
	// Python: compiled modules, environments, and caches of its tools. venv is not
	// here, as its pyvenv.cfg excludes it; .venv is, so that removing pyvenv.cfg does not
	// add 10,000 files.
	"__pycache__ .venv .tox .nox .eggs .mypy_cache .pytest_cache .ruff_cache .pytype .hypothesis .ipynb_checkpoints",
	// Build systems' state, hidden or with a name of their own.
	".gradle .terraform .terragrunt-cache .serverless .stack-work dist-newstyle .dart_tool CMakeFiles .ccls-cache .zig-cache zig-cache .lake .elixir_ls .metals .bloop .vs",
	// Web bundlers' output and caches, and test coverage.
	".next .nuxt .svelte-kit .parcel-cache .turbo .angular .docusaurus .expo .sass-cache .jekyll-cache .nyc_output",
	// Environments and caches of shells and virtual machines, and XDG's name for caches.
	".direnv .vagrant .cache",
)

// cacheTag starts a CACHEDIR.TAG.
const cacheTag = "Signature: 8a477f597d28d172789f06886806bc55"

// hasCacheTag reports whether a file named CACHEDIR.TAG has the content of one.
func hasCacheTag(file string) bool {
	fi, err := os.Lstat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > 1<<16 {
		return false
	}
	text, err := os.ReadFile(file)
	return err == nil && bytes.HasPrefix(text, []byte(cacheTag))
}

// privateDirs hold keys and access tokens in files of any name.
var privateDirs = set(".ssh .gnupg .aws .azure .gcloud .kube .oci .password-store")

// secretNames are files that hold secrets, in lower case.
var secretNames = set(
	"credentials credentials.json credentials.yml credentials.yaml credentials.toml credentials.ini credentials.xml credentials.csv credentials.db",
	".git-credentials .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .htpasswd .dockercfg .dockerconfigjson .s3cfg .boto .vault-token .envrc",
	"id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk kubeconfig client_secret.json client_secrets.json service-account.json service_account.json",
	"application_default_credentials.json accesstokens.json azureprofile.json rootkey.csv",
)

// secretExts end keys, certificates, keystores and password databases.
var secretExts = set(
	".env .pem .key .p12 .pfx .p8 .ppk .jks .keystore .bks .kdb .kdbx .der .crt .cer .csr .p7b .p7c .p7s .gpg .pgp .agekey .ovpn",
	".keytab .tfstate .mobileprovision .provisionprofile .wallet",
)

// lockNames are the files in which package managers pin versions, in lower case.
var lockNames = set(
	"package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock go.sum go.work.sum cargo.lock",
	"gemfile.lock gems.locked composer.lock poetry.lock pipfile.lock uv.lock pdm.lock pixi.lock conda-lock.yml mix.lock rebar.lock",
	"pubspec.lock podfile.lock package.resolved cartfile.resolved packages.lock.json paket.lock project.assets.json gradle.lockfile",
	"buildscript-gradle.lockfile flake.lock stack.yaml.lock cabal.project.freeze .terraform.lock.hcl chart.lock conan.lock module.bazel.lock",
)

// binaryExts end no text file, so the caller need not read the file.
var binaryExts = set(
	".png .jpg .jpeg .gif .bmp .ico .icns .webp .avif .heic .tif .tiff .psd .xcf .mp3 .mp4 .m4a .m4v .mov .avi .mkv .webm .ogg .oga .ogv .wav .flac",
	".zip .gz .tgz .bz2 .tbz .xz .txz .zst .lz4 .br .7z .rar .tar .jar .war .ear .aar .apk .ipa .whl .gem .nupkg .deb .rpm .dmg .iso .msi .cab",
	".exe .dll .so .dylib .a .o .class .dex .pyc .pyo .pyd .wasm .node .beam .elc .rlib .rmeta .syso",
	".pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp .epub .ttf .otf .woff .woff2 .eot .sqlite .sqlite3 .parquet .npy .npz .onnx .safetensors",
)

// leftOutNames and leftOutExts say of names and extensions why files are left out: a scan asks
// both for each file.
var (
	leftOutNames = reasons(map[string]map[string]bool{Secret: secretNames, LockFile: lockNames})
	leftOutExts  = reasons(map[string]map[string]bool{Secret: secretExts, Binary: binaryExts})
)

// NamedOut returns why a file at path is never indexed, judged by its name alone; "" when
// the name allows indexing. The file need not exist: for an unsaved document NamedOut
// returns the reason that [Scan] would give.
func (f *Filter) NamedOut(path string) string {
	segments := strings.Split(path, "/")
	private := slices.ContainsFunc(segments[:len(segments)-1], func(s string) bool { return privateDirs[s] })
	return leftOutByName(segments[len(segments)-1], private)
}

// leftOutByName returns why a file of this name is not indexed, or "". private
// says that its directory holds secrets.
func leftOutByName(name string, private bool) string {
	if private {
		return Secret
	}
	byName, byExt, ext := "", "", ""
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && mayEnd(name[dot:]) {
		ext = strings.ToLower(name[dot:])
		byExt = leftOutExts[ext]
	}
	if mayBeNamed(name) || ext == backupExt {
		name = strings.ToLower(name)
		if byName = leftOutNames[name]; isEnv(name) || strings.HasSuffix(name, ".tfstate.backup") {
			byName = Secret
		}
	}
	if byExt == Secret {
		return Secret
	}
	return cmp.Or(byName, byExt)
}

// backupExt ends copies of the state of Terraform, among others.
const backupExt = ".backup"

// endLens are the lengths of leftOutExts and of backupExt by their letters, see endKey: bit n stands
// for n bytes.
var endLens = func() (lens [1 << 10]uint32) {
	for ext := range leftOutExts {
		lens[endKey(ext)] |= 1 << len(ext)
	}
	lens[endKey(backupExt)] |= 1 << len(backupExt)
	return lens
}()

// endKey mixes the first two letters of an extension, in either case.
func endKey(ext string) int {
	switch len(ext) {
	case 1:
		return 0
	case 2:
		return int(ext[1] & 31)
	}
	return int(ext[1]&31) | int(ext[2]&31)<<5
}

// mayEnd reports whether an extension may be in leftOutExts or backupExt. It spares a scan the
// hash of nearly all of them.
func mayEnd(ext string) bool {
	return endLens[endKey(ext)]>>len(ext)&1 == 1 || !isASCII(ext) // a letter beyond it may be shorter in lower case
}

// isASCII looks at eight bytes at a time.
func isASCII(s string) bool {
	const high = 0x8080808080808080
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	for ; len(b) >= 8; b = b[8:] {
		if binary.NativeEndian.Uint64(b)&high != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// namedLens are the lengths of leftOutNames by their first byte: bit n stands for n bytes.
var namedLens = func() (lens [utf8.RuneSelf]uint64) {
	for name := range leftOutNames {
		lens[name[0]] |= 1 << len(name)
	}
	return lens
}()

// mayBeNamed reports whether a name may be in leftOutNames or that of a dotenv file. It spares
// a scan the hash of nearly all names.
func mayBeNamed(name string) bool {
	if name == "" || name[0] == '.' || !isASCII(name) { // a letter beyond it may be shorter in lower case
		return true
	}
	c := name[0]
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return namedLens[c]>>len(name)&1 == 1
}

// isDraft reports whether an editor keeps a file of that name for itself: a backup, an
// unsaved version or a step of a save. Such a file exists for a moment or repeats the
// text of another, and a swap file is written every few seconds.
//
// Source: vim's 'backupext' and 'directory', Emacs' backup and auto-save files,
// JetBrains' safe write.
func isDraft(name string) bool {
	switch name[len(name)-1] { // a scan asks for each file
	case '~':
		return true
	case '_':
		return strings.HasSuffix(name, "___jb_tmp___") || strings.HasSuffix(name, "___jb_old___")
	}
	switch name[0] {
	case '#':
		return len(name) > 2 && strings.HasSuffix(name, "#")
	case '.':
		return strings.HasPrefix(name, ".#") || strings.HasSuffix(name, ".swp") || strings.HasSuffix(name, ".swo") || strings.HasSuffix(name, ".swx")
	}
	return false
}

// isEnv reports whether name is a dotenv file with values in it, not one of the examples
// that are committed beside it.
func isEnv(name string) bool {
	rest, ok := strings.CutPrefix(name, ".env")
	if !ok || rest != "" && !strings.ContainsRune(".-_", rune(rest[0])) {
		return false
	}
	for _, kind := range []string{"example", "sample", "template", "dist", "defaults"} {
		if strings.HasSuffix(rest, kind) {
			return false
		}
	}
	return true
}

// set makes a set of words separated by blanks.
func set(lines ...string) map[string]bool {
	m := map[string]bool{}
	for _, l := range lines {
		for _, w := range strings.Fields(l) {
			m[w] = true
		}
	}
	return m
}

// reasons turns disjoint sets, by their reason, into the reason of each word.
func reasons(sets map[string]map[string]bool) map[string]string {
	m := map[string]string{}
	for why, words := range sets {
		for w := range words {
			m[w] = why
		}
	}
	return m
}
