#!/usr/bin/env bash
# Everything that must hold for the Python package: it builds, its tests pass, its types are those of the module.
#
#   bindings/python/check.sh          the package, its data frames and corpora
#   bindings/python/check.sh --full   also Ray, Spark, and the programs that there are steps for
#
# Needs Python 3.10 or newer and its package registry. The environment is kept in the target directory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
venv=${CARGO_TARGET_DIR:-$PWD/../../target}/python
packages=(maturin mypy pytest pyarrow polars pandas duckdb pydantic langchain-core)
tests=(-m "not cluster")
if [ "${1:-}" = --full ]; then
    packages+=('ray[data]' pyspark datatrove)
    tests=()
fi

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"
export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH
pip install --quiet --disable-pip-version-check "${packages[@]}"
maturin develop --quiet
pytest --quiet "${tests[@]}"
mypy
# Not here, where mypy would find the package twice.
cd "$venv" && python -m mypy.stubtest proofmark_rs._native
