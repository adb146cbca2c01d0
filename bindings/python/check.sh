#!/usr/bin/env bash
# Everything that must hold for the Python package: it builds, its tests pass, its types are complete and those of the module, and the
# module uses only what all versions of Python from 3.10 on have.
#
#   bindings/python/check.sh          the package, its data frames and corpora
#   bindings/python/check.sh --full   also clusters of Ray and Spark, and datatrove
#
# PROFILE=release builds the module with this profile of Cargo; `dev` when absent.
#
# Needs Python 3.10 or newer and its package registry; with --full also Java 17 or newer, for Spark. The environment is kept in the
# target directory. `wheel.sh` builds and checks the wheel that is published.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
venv=${CARGO_TARGET_DIR:-$PWD/../../target}/python
packages=(maturin abi3audit mypy 'pyright[nodejs]' pytest pyarrow fsspec polars pandas duckdb pydantic langchain-core langgraph)
tests=(-m "not cluster")
if [ "${1:-}" = --full ]; then
    command -v java >/dev/null || { echo "error: Spark needs Java 17 or newer" >&2; exit 1; }
    # Sail 0.7 refuses the clients of newer versions of Spark.
    packages+=('ray[data]' 'pyspark[connect]<4.3' pysail datatrove regex)
    tests=()
fi

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH
pip install --quiet --disable-pip-version-check "${packages[@]}"
maturin develop --quiet --profile "${PROFILE:-dev}"
pytest --quiet "${tests[@]}"
mypy
pyright
abi3audit --strict --assume-minimum-abi3 3.10 python/proofmark_rs/_native.abi3.so
# Not here, where both would find the package twice.
cd "$venv"
(pyright --ignoreexternal --verifytypes proofmark_rs --outputjson || true) | python -c '
import json, sys
symbols = json.load(sys.stdin)["typeCompleteness"]["symbols"]
# Steps are subclasses of what other programs have, which need not be there.
unknown = [one["name"] for one in symbols if one["isExported"] and not one["isTypeKnown"] and ".steps." not in one["name"]]
sys.exit("\n".join(["types that are not known:", *unknown]) if unknown or not symbols else 0)'
python -m mypy.stubtest proofmark_rs._native
