#!/usr/bin/env bash
# module.sh PATH: gives the module another path, github.com/OWNER/ambit, in go.mod and in every
# import of a checkout. `go install` needs the path where the repository is.
set -euo pipefail
cd "$(dirname "$0")/../../.."
path=$1
old=$(go list -m)
go mod edit -module "$path"
git ls-files -z '*.go' | xargs -0 sed -i -E "s#^((import|\t)[ \t]*([A-Za-z0-9_.]+ )?\")$old/(server|indexer|vectors|editors)/#\\1$path/\\4/#"
git ls-files -z '*.go' | xargs -0 gofmt -w
go list -e -test -f '{{if .DepsErrors}}{{.ImportPath}}: {{(index .DepsErrors 0).Err}}{{end}}' ./... | grep . >&2 && exit 1
echo "the module is $path"
