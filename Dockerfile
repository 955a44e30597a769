# An image with the static program and nothing else. It runs as user 65532 and keeps the log in /data.
#
#     docker build --tag countersign .
#     docker run --network host --volume countersign:/data countersign
#
# Without TLS the server listens on loopback addresses only, so it shares the network of the host, or of the pod that it serves.

FROM docker.io/library/rust:1-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends musl-tools python3 && rm -rf /var/lib/apt/lists/*
# The image is for the platform that builds it: x86-64 or ARM.
RUN rustup target add "$(uname -m)-unknown-linux-musl"
WORKDIR /source
COPY . .
# The list of licences also reads the manifests of crates that only tests need.
RUN cargo fetch --locked --target "$(uname -m)-unknown-linux-musl"
RUN cargo build --release --locked --package countersign-cli --target "$(uname -m)-unknown-linux-musl"
RUN install -D "target/$(uname -m)-unknown-linux-musl/release/countersign" /image/countersign \
    && install -D -m 0644 -t /image/licences LICENSE-APACHE LICENSE-MIT \
    && packaging/third-party --target "$(uname -m)-unknown-linux-musl" >/image/licences/THIRD-PARTY.txt \
    && install -m 0644 /etc/ssl/certs/ca-certificates.crt /image/ \
    && install -d /image/data

FROM scratch
LABEL org.opencontainers.image.title="Countersign" \
    org.opencontainers.image.description="An approval service between AI agents and the tools that they want to run" \
    org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /image/countersign /countersign
COPY --from=build /image/licences /licences
# For PostgreSQL over TLS.
COPY --from=build /image/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /image/data /data
USER 65532:65532
ENV HOME=/data TMPDIR=/data
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK CMD ["/countersign", "doctor", "--server", "http://127.0.0.1:7878"]
ENTRYPOINT ["/countersign"]
CMD ["serve", "--database", "/data/countersign.db"]
