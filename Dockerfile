# Proofmark as a service, with pandoc and the render worker.
#
#   docker build -t proofmark .
#   docker run --rm -p 127.0.0.1:8000:8000 -e PROOFMARK_TOKEN \
#     --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#     -v "$PWD:/work" proofmark
#
# The token has at least 16 characters; clients send it as `Authorization: Bearer`. `/health` answers without it.
# Other commands take the place of `serve`: docker run --rm -v "$PWD:/work" proofmark check .

FROM rust:1.95-slim-trixie AS build
WORKDIR /src
COPY . .
# Messages of panics name no folder of the machine that builds.
ENV RUSTFLAGS="--remap-path-prefix=/usr/local/cargo=/cargo --remap-path-prefix=/src=/proofmark"
# The service starts the worker from its own folder.
RUN cargo build --release --locked --package proofmark --package proofmark-render \
 && install -D --mode=755 --target-directory=/out target/release/proofmark target/release/proofmark-render

FROM debian:trixie-slim
# Debian 13 has pandoc 3.1, the oldest version that conversions work with.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends pandoc \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/ /usr/local/bin/
# Nothing in the image belongs to this user; it writes below /work and, during a conversion, in /tmp.
USER 10001:10001
WORKDIR /work
EXPOSE 8000
ENTRYPOINT ["/usr/local/bin/proofmark"]
CMD ["serve", "--http", "0.0.0.0:8000", "--token-variable", "PROOFMARK_TOKEN", "--toolsets", "core,learn,repair,quills,mermaid,quarto"]
