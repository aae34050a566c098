import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

declare module 'fastify' {
  interface FastifyInstance {
    metrics: Metrics;
  }
}

export interface Metrics {
  /** Media type of {@link text}. */
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
  /** Adds a gauge whose value is read at each scrape. */
  watch(name: string, help: string, read: () => number): void;
}

/** Upper bounds in seconds, from a response served from memory to one that waits for the engine. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Prometheus metrics of this process, including response times. Addresses appear as route patterns, so that labels
 * contain no ids and the number of series is bounded.
 */
export const metrics = fastifyPlugin(
  async (app: FastifyInstance) => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from a request to the end of its answer.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets,
      registers: [registry],
    });
    app.addHook('onResponse', async (request, reply) => {
      const route = request.routeOptions.url ?? 'unknown';
      const labels = { method: request.method, route, status: reply.statusCode };
      durations.observe(labels, reply.elapsedTime / 1000);
    });
    app.decorate('metrics', {
      contentType: registry.contentType,
      text: () => registry.metrics(),
      watch(name: string, help: string, read: () => number) {
        new Gauge({
          name,
          help,
          registers: [registry],
          collect() {
            this.set(read());
          },
        });
      },
    });
  },
  { name: 'metrics' },
);
