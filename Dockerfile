# One image for the API, the workers and the simulator's worker; the command and WORKER_QUEUES tell them apart.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM packages AS compiled
RUN npm ci --include=dev --no-audit --no-fund
COPY tsconfig.json ./
COPY shared ./shared
COPY activities ./activities
COPY workflows ./workflows
COPY workers ./workers
COPY api ./api
COPY scripts ./scripts
COPY packages/client ./packages/client
COPY console ./console
COPY docs ./docs
COPY README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md THIRD_PARTY.md ./
RUN npm run build
# The pictures of the pages about tasks.
COPY config ./config
RUN npm run expected-figures

FROM node:24.21.0-bookworm-slim
# git and ssh serve the configuration repository (CONFIG_REPO_URL).
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node /data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY --from=compiled /app/config ./config
# The bundles of the workflows are known by the hash of the sources, and flows bundle their session from them.
COPY shared ./shared
COPY activities ./activities
COPY workflows ./workflows
COPY --from=compiled /app/dist ./dist
COPY --from=compiled /app/console/dist ./console/dist
COPY --from=compiled /app/docs/site/dist ./docs/site/dist
# How memory is kept is told in scripts/process-memory.ts.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=67108864 NODE_OPTIONS=--max-semi-space-size=4 DATA_DIR=/data API_HOST=0.0.0.0
USER node
VOLUME /data
EXPOSE 5715
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.API_PORT || 5715}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/api/main.js"]
