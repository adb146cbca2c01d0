#!/usr/bin/env bash
# Installs what some tests of the render worker need: fonts of many scripts, and the programs that check PDF files.
set -euo pipefail
packages=(fontconfig fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji qpdf poppler-utils)
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
$sudo apt-get update -q
$sudo apt-get install -y --no-install-recommends "${packages[@]}"
