#!/usr/bin/env bash
# Compares `countersign serve` with Restate, an engine for durable workflows. Prints a Markdown table.
#
#     cargo build --release --bin countersign
#     tests/bench/engine/run.sh target/release/countersign [CYCLES PER CLIENT]
#
# Needs Node 20 and npm, and Linux on x86-64 or ARM. Installs the engine from the npm registry into a temporary folder,
# which it removes at the end. Nothing contacts another host after that, and all servers listen on 127.0.0.1 only.
set -euo pipefail
program=$(realpath "${1:?the path of the countersign program}")
here=$(dirname "$(realpath "$0")")
folder=$(mktemp -d "${COUNTERSIGN_BENCH_DIR:-${TMPDIR:-/tmp}}/countersign-engine.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cp "$here"/*.mjs "$folder"
cd "$folder"
npm install --silent --no-audit --no-fund --no-save --ignore-scripts --cache "$folder/npm" \
    @restatedev/restate-server@1.7.12 @restatedev/restate-sdk@1.17.2
node compare.mjs "$program" "${2:-100}"
