# The image of `./dev image`: built and run with Debian packages only, as a user without rights, and
# with nothing that must be written. Probes: HTTP GET /livez and /readyz on port 10291.
#
# Everything comes from the day of the base: its list of sources names the archive of that day in a
# comment, which is taken in place of the current one. So the same base and the same sources make the
# same image, with the commit's time as that of its files (./dev image sees to that). A newer base is
# a newer date in BASE, here or by --build-arg, where a digest may follow: NAME@sha256:... What is in
# it: /usr/share/gangplan-packages, of which config/image/sbom makes a bill of materials.
ARG BASE=debian:trixie-20251117-slim

FROM ${BASE} AS pinned
RUN sed -i -E '/^# http/{s/^# /URIs: /;n;/^URIs: /d}' /etc/apt/sources.list.d/*.sources 2>/dev/null || true; \
    echo 'Acquire::Check-Valid-Until "false";' >/etc/apt/apt.conf.d/10-archive; \
    printf '%s\n' '#!/bin/sh -e' \
      'apt-get update' \
      'apt-get install -y --no-install-recommends "$@"' \
      'rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/ldconfig/aux-cache' \
      >/usr/bin/install-packages; \
    chmod 755 /usr/bin/install-packages

FROM pinned AS build
RUN install-packages g++ cmake ninja-build pkg-config ca-certificates libabsl-dev libfmt-dev \
    rapidjson-dev libcpp-httplib-dev libssl-dev zlib1g-dev libbrotli-dev libyaml-cpp-dev \
    prometheus-cpp-dev libgoogle-perftools-dev libnghttp2-dev
COPY . /source
ARG REVISION=
RUN cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
      -DGANGPLAN_REVISION="$REVISION" \
    && cmake --build /build --target gangplan \
    && strip /build/gangplan \
    && mkdir -p /packages \
    && ldd /build/gangplan | awk '$3 ~ /^\// {print $3}' | while read -r library; do \
         dpkg-query -S "$(basename "$library")" | cut -d: -f1; done | sort -u > /packages/runtime

FROM pinned
COPY --from=build /packages/runtime /tmp/packages
RUN install-packages ca-certificates $(cat /tmp/packages) \
    && rm -rf /tmp/packages /usr/bin/install-packages \
    && dpkg-query -W -f '${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}\n' \
       >/usr/share/gangplan-packages
COPY --from=build /build/gangplan /usr/bin/gangplan
USER 65532:65532
EXPOSE 10291
ENTRYPOINT ["/usr/bin/gangplan"]
CMD ["help"]
