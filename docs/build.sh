#!/usr/bin/env bash
# Builds the documentation as a book into target/book/site; a broken link fails.
# Usage: docs/build.sh [PROOFMARK], the program that writes the pages of the rules (default: built here).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
book=target/book
if [ $# -gt 0 ]; then proofmark=$1; else
  cargo build --quiet
  proofmark=${CARGO_TARGET_DIR:-target}/debug/proofmark
fi

mkdir -p $book
rm -rf $book/pages
cp -R docs $book/pages
rm -rf $book/pages/rules $book/pages/build.sh $book/pages/requirements.txt
"$proofmark" --isolated rules docs --each $book/pages/rules

# A private copy of the generator, renewed when its version changes.
if ! cmp --silent docs/requirements.txt $book/python/requirements.txt; then
  rm -rf $book/python
  python3 -m venv $book/python
  $book/python/bin/pip install --quiet --disable-pip-version-check -r docs/requirements.txt
  cp docs/requirements.txt $book/python/
fi
NO_MKDOCS_2_WARNING=1 $book/python/bin/mkdocs build --quiet --strict
echo "$book/site/index.html"
