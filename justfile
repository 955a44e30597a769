# List the recipes
default:
    @just --list

# Serve on countersign.db in this folder
serve *args:
    cargo run --release -- serve {{args}}

# Everything that has to pass: format, lints, tests
test *args:
    tests/run {{args}}

# One test target: store, api, cli, process, tidy
only target *args:
    cargo nextest run -p countersign-tests --test {{target}} {{args}}

# Measure; `just bench cycles` for one scenario
bench *args:
    cargo bench -p countersign-tests -- {{args}}

# Accept changed inline snapshots, to be read in the diff
snapshots:
    cargo insta test --workspace --accept --test-runner nextest

# Licences, advisories, duplicates (needs cargo-deny)
deny:
    cargo deny check
