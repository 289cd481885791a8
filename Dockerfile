# Sluice as a container: one process, not root, nothing written outside /data and /tmp. See docs/deploying.md.
#
#   docker build -t sluice .
#   docker run --read-only --tmpfs /tmp -v sluice-data:/data -p 127.0.0.1:8080:8080 sluice

# The pages of the dashboard; nothing else of this stage is kept.
FROM node:22-bookworm-slim AS dashboard
WORKDIR /srv/sluice
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY packages/server/bin packages/server/bin
COPY packages/dashboard/package.json packages/dashboard/
RUN npm ci --no-audit --no-fund
COPY packages/contract/src packages/contract/src
COPY packages/dashboard packages/dashboard
COPY scripts/dashboard.mjs scripts/
RUN npm run build

# What the service imports, and the Bun that package.json pins, checked against the lock file.
FROM node:22-bookworm-slim AS production
WORKDIR /srv/sluice
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY packages/server/bin packages/server/bin
COPY packages/dashboard/package.json packages/dashboard/
RUN npm ci --omit=dev --workspace packages/contract --workspace packages/server --include-workspace-root --no-audit --no-fund
RUN mkdir bin && mv node_modules/bun/bin/bun.exe bin/bun && rm -r node_modules/bun node_modules/@oven node_modules/.bin

FROM debian:bookworm-slim
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="Sluice" \
      org.opencontainers.image.description="A self-hosted event service: takes events in, processes them, delivers them." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
WORKDIR /srv/sluice
COPY --from=production /srv/sluice/bin bin
COPY deploy/sluice bin/
COPY --from=production /srv/sluice/node_modules node_modules
COPY package.json LICENSE ./
COPY packages/contract/package.json packages/contract/
COPY packages/contract/src packages/contract/src
COPY packages/server/package.json packages/server/
COPY packages/server/src packages/server/src
COPY docs docs
COPY --from=dashboard /srv/sluice/packages/dashboard/dist packages/dashboard/dist
# A new volume takes over its owner.
RUN install -d -o 10001 -g 10001 -m 700 /data

# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
ENV PATH=/srv/sluice/bin:$PATH \
    NODE_ENV=production \
    SLUICE_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=2s \
  CMD ["bun", "--eval", "const answer = await fetch(`http://127.0.0.1:${process.env.SLUICE_PORT || 8080}/healthz`); process.exit(answer.ok ? 0 : 1)"]
ENTRYPOINT ["sluice"]
CMD ["serve"]
