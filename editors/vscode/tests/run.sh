#!/usr/bin/env bash
# run.sh: runs all tests of the extension. `make test-vscode` checks the types, packages the
# extension, puts Node 24 on the PATH and calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
vsix=$(ls ambit-*.vsix)

echo "== unit tests"
node tests/unit.mjs --test-reporter=dot
echo "== the page of the panel"
timeout 900 node tests/page/page.mjs
echo "== the looks of the panel"
timeout 1800 node tests/page/pictures.mjs
for vscode in stable oldest; do
	export AMBIT_VSCODE=$vscode
	echo "== the extension host of the $vscode VS Code"
	timeout 1200 node tests/host/run.mjs "$vsix"
	echo "== a user journey in the $vscode VS Code"
	timeout 3000 node tests/ui/journey.mjs "$vsix"
done
export AMBIT_VSCODE=stable
echo "== the extension without a server"
timeout 1200 node tests/host/universal.mjs ../../bin/ambit
echo "== the pictures of the extension page"
timeout 1200 node tests/ui/pictures.mjs "$vsix"
echo "== other windows"
timeout 3000 node tests/ui/windows.mjs "$vsix"
