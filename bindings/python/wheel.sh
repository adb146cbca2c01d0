#!/usr/bin/env bash
# The wheel as it is published: manylinux2014 (glibc 2.17 or newer), for every Python from 3.10 on. Checks its size, its symbols and its tags.
#
#   bindings/python/wheel.sh [FOLDER]      target/wheels by default
#
# PROFILE=release builds with this profile of Cargo; `dist` when absent, and only then is the size checked. `tools/dist wheel` calls
# this with the notices on what the module contains.
#
# Needs Python 3.10 or newer and its package registry. Zig links against the old glibc and comes from there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
target=${CARGO_TARGET_DIR:-$PWD/../../target}
out=${1:-$target/wheels}
venv=$target/python-wheel
most=$((15 * 1000 * 1000))
profile=${PROFILE:-dist}

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH
pip install --quiet --disable-pip-version-check maturin ziglang abi3audit auditwheel

mkdir -p "$out"
rm -f "$out"/proofmark_rs-*.whl
maturin build --locked --profile "$profile" --zig --compatibility manylinux2014 --compression-level 9 --out "$out"
wheel=$(echo "$out"/proofmark_rs-*.whl)

abi3audit --strict "$wheel"
auditwheel show "$wheel"
# Read to its end: a list that nobody reads any more would be an error of its own.
python -m zipfile --list "$wheel" | grep "dist-info/licenses/LICENSE-MIT" >/dev/null || { echo "error: the wheel has no licenses" >&2; exit 1; }
size=$(stat --format %s "$wheel")
echo "$wheel: $size bytes"
[ "$profile" != dist ] || [ "$size" -le "$most" ] || { echo "error: a wheel may have $most bytes" >&2; exit 1; }
