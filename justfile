# List the recipes
default:
    @just --list

# Start a server on your log, or on ./countersign.db if it exists
serve *args:
    cargo run --release -- serve {{args}}

# Check the format and the lints, and run all tests
test *args:
    tests/run {{args}}

# Run one test target: store, api, cli, process, golden, tidy
only target *args:
    cargo nextest run -p countersign-tests --test {{target}} {{args}}

# Write the golden log of a version before its release: tests/fixtures/golden/README.md
golden version:
    COUNTERSIGN_GOLDEN={{version}} cargo nextest run -p countersign-tests --test golden recipe

# Kill the upgrade of a long log many times; for each night
upgrades rounds="100":
    COUNTERSIGN_UPGRADE_ROUNDS={{rounds}} cargo nextest run -p countersign-tests --test golden --no-fail-fast -- killed_upgrade

# Play an hour of mixed traffic at full speed, and report memory use
soak calls="36000":
    COUNTERSIGN_SOAK={{calls}} cargo nextest run -p countersign-tests --test process --no-capture -- soak

# Run the benchmarks; `just bench cycles` runs one scenario
bench *args:
    cargo bench -p countersign-tests -- {{args}}

# Compare the server's processor time and allocations with the baseline; fails above 110 %, and `--save` writes a new baseline
bench-compare *args:
    cargo bench -p countersign-tests -- --compare {{args}}

# Run the tests and accept changed inline snapshots; review them in the diff
snapshots:
    cargo insta test --workspace --accept --test-runner nextest

# Check licences, advisories and duplicates (needs cargo-deny)
deny:
    cargo deny check

# Renew the pinned advisories from a clone of the RustSec database
advisories folder:
    tests/tidy/renew_advisories {{folder}}

# Build the program and its packages from source and try each (as root); `just packages image` tries one
packages *names:
    tests/packages/from_source {{names}}

# Make a release: set the version, check, commit, tag, build and sign the packages; `just release --dry-run 0.2.0` shows the steps
release *args:
    packaging/release {{args}}

# Build the documentation as a site, into target/book
book:
    docs/site/build

# Take the pictures of the documentation again; `just images inbox` takes those of the inbox
images *names:
    cargo build --locked -p countersign-tests --bins
    tests/browser/take_images "${CARGO_TARGET_DIR:-target}/debug/countersign-under-test" {{names}}
