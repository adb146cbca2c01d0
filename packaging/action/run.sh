#!/usr/bin/env bash
# What `action.yml` runs: installs the program, checks documents once, and writes annotations, SARIF, the summary and the outputs.
# The exit code of `proofmark check` becomes an output; a later step ends with it. Inputs are environment variables, INPUT_….
set -euo pipefail

releases=${PROOFMARK_RELEASES:-https://github.com/proofmark/proofmark/releases/download}
work=${RUNNER_TEMP:?this script runs in a GitHub action}/proofmark
mkdir -p "$work"

# Functions whose output is a value report on the output of the script.
exec 3>&1
fail() {
  echo "::error title=proofmark::$1" >&3
  exit 2
}

# The name of the archive for this machine, without its ending.
platform() {
  case "${RUNNER_OS:-}-${RUNNER_ARCH:-}" in
    Linux-X64) echo x86_64-unknown-linux-gnu ;;
    Linux-ARM64) echo aarch64-unknown-linux-gnu ;;
    macOS-X64) echo x86_64-apple-darwin ;;
    macOS-ARM64) echo aarch64-apple-darwin ;;
    Windows-X64) echo x86_64-pc-windows-msvc ;;
    *) return 1 ;;
  esac
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# Downloads the release, compares its hash, and verifies who built it where `gh` can do that.
install() {
  local triple base archive expected
  triple=$(platform) || fail "there is no program for ${RUNNER_OS:-this system} on ${RUNNER_ARCH:-this processor}"
  base=proofmark-$INPUT_VERSION-$triple
  archive=$base.tar.gz
  [ "${RUNNER_OS:-}" != Windows ] || archive=$base.zip
  for file in "$archive" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 --output "$work/$file" "$releases/v$INPUT_VERSION/$file" ||
      fail "cannot download $file of version $INPUT_VERSION"
  done
  expected=$(awk -v file="$archive" '$2 == file { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] && [ "$(sha256 "$work/$archive")" = "$expected" ] || fail "$archive does not have the hash in SHA256SUMS"
  if [ "${PROOFMARK_RELEASES:-}" = "" ] && command -v gh >/dev/null; then
    gh attestation verify "$work/$archive" --repo proofmark/proofmark >&2 || fail "$archive was not built by the release workflow"
  fi
  case $archive in
    *.zip) unzip -q -o "$work/$archive" -d "$work" ;;
    *) tar -xzf "$work/$archive" -C "$work" ;;
  esac
  echo "$work/$base/proofmark"
}

# The documents among the changed files, one per line, into the file `$1`. With pull requests the checkout is the merge, so that its
# difference from the base is the change.
changed_documents() {
  local since=${CHANGED_SINCE:-}
  case $since in '' | 0000000000000000000000000000000000000000) return 1 ;; esac
  git cat-file -e "$since^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$since" || return 1
  local files=() file
  while IFS= read -r -d '' file; do files+=("$file"); done < <(
    git diff --name-only --relative -z --diff-filter=d "$since" HEAD -- "${paths[@]}"
  )
  [ ${#files[@]} -eq 0 ] || "$program" check --show-files --force-exclude -- "${files[@]}" | awk -F '\t' '$2 != "-" { print $1 }'
}

program=${INPUT_PROGRAM:-}
[ -n "$program" ] || program=$(install)
read -r -d '' -a paths <<<"${INPUT_PATHS:-.}" || true
read -r -d '' -a arguments <<<"${INPUT_ARGUMENTS:-}" || true

documents=("${paths[@]}")
if [ "${INPUT_CHANGED_ONLY:-false}" = true ]; then
  if changed_documents >"$work/changed"; then
    documents=()
    while IFS= read -r file; do documents+=("$file"); done <"$work/changed"
  else
    echo "::notice title=proofmark::the earlier commit is not known, so all documents are checked"
  fi
fi

code=0 findings=0 files=0 sarif=
if [ ${#documents[@]} -gt 0 ]; then
  rm -f "$work"/proofmark.{sarif,md,json}
  "$program" check --format github --output "sarif=$work/proofmark.sarif" --output "markdown=$work/proofmark.md" \
    --output "json=$work/proofmark.json" --fail-level "${INPUT_FAIL_LEVEL:-error}" --force-exclude \
    ${arguments[@]+"${arguments[@]}"} -- "${documents[@]}" || code=$?
  [ ! -f "$work/proofmark.sarif" ] || sarif=$work/proofmark.sarif
  if [ "${INPUT_SUMMARY:-true}" = true ] && [ -s "$work/proofmark.md" ]; then
    cat "$work/proofmark.md" >>"${GITHUB_STEP_SUMMARY:?}"
  fi
  files=$("$program" check --show-files --force-exclude -- "${documents[@]}" | awk -F '\t' '$2 != "-"' | wc -l | tr -d ' ')
  if [ -f "$work/proofmark.json" ]; then findings=$(grep -c '"fingerprint":' "$work/proofmark.json" || true); fi
fi
{
  echo "exit-code=$code"
  echo "sarif=$sarif"
  echo "findings=$findings"
  echo "files=$files"
} >>"${GITHUB_OUTPUT:?}"
