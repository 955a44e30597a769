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

# An hour of mixed traffic, as fast as it goes, and what the memory did
soak calls="36000":
    COUNTERSIGN_SOAK={{calls}} cargo nextest run -p countersign-tests --test process --no-capture -- soak

# Measure; `just bench cycles` for one scenario
bench *args:
    cargo bench -p countersign-tests -- {{args}}

# Accept changed inline snapshots, to be read in the diff
snapshots:
    cargo insta test --workspace --accept --test-runner nextest

# Licences, advisories, duplicates (needs cargo-deny)
deny:
    cargo deny check
