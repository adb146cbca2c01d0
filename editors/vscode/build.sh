#!/usr/bin/env bash
# Builds proofmark.vsix; with an argument, the extension contains this program.
set -euo pipefail
program=${1:+$(realpath "$1")}
cd "$(dirname "$0")"
rm -rf bin && mkdir -p bin
if [ -n "$program" ]; then
  case "$program" in
    *.exe) name=proofmark.exe ;;
    *) name=proofmark ;;
  esac
  install -m 755 "$program" "bin/$name"
fi
cat ../../LICENSE-MIT > LICENSE.txt
npm ci --no-audit --no-fund
npm run package
