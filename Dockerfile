# An image with the static program and nothing else. It runs as user 65532 and keeps the log in /data.
#
#     docker build --tag countersign .
#     docker run --network host --volume countersign:/data countersign
#
# Without TLS the server listens on loopback addresses only, so it shares the network of the host, or of the pod that it serves.

FROM docker.io/library/rust:1-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends musl-tools && rm -rf /var/lib/apt/lists/*
RUN rustup target add x86_64-unknown-linux-musl
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package countersign-cli --features oidc --target x86_64-unknown-linux-musl
RUN install -D target/x86_64-unknown-linux-musl/release/countersign /image/countersign \
    && install -m 0644 /etc/ssl/certs/ca-certificates.crt /image/ \
    && install -d /image/data

FROM scratch
COPY --from=build /image/countersign /countersign
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
