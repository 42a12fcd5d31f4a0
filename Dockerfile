# The image of `./dev image`: built and run with Debian packages only, as a user without rights.
# Probes: HTTP GET /livez and /readyz on port 10291.
FROM debian:trixie-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    g++ cmake ninja-build pkg-config ca-certificates libabsl-dev libfmt-dev rapidjson-dev \
    libcpp-httplib-dev libssl-dev zlib1g-dev libbrotli-dev libyaml-cpp-dev prometheus-cpp-dev \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    && cmake --build /build --target gangplan \
    && strip /build/gangplan \
    && mkdir -p /packages \
    && ldd /build/gangplan | awk '$3 ~ /^\// {print $3}' | while read -r library; do \
         dpkg-query -S "$(basename "$library")" | cut -d: -f1; done | sort -u > /packages/runtime

FROM debian:trixie-slim
COPY --from=build /packages/runtime /tmp/packages
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates $(cat /tmp/packages) \
    && rm -rf /var/lib/apt/lists/* /tmp/packages
COPY --from=build /build/gangplan /usr/bin/gangplan
USER 65532
EXPOSE 10291
ENTRYPOINT ["/usr/bin/gangplan"]
CMD ["help"]
