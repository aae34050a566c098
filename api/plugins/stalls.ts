import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /** What of this process takes too long at the moment. */
    stalls: { readonly current: StalledWork[] };
  }
}

/** Work that is done off the event loop, so that it can stall while the process answers everything else. */
export const stalledWork = ['file_reads', 'logins'] as const;
export type StalledWork = (typeof stalledWork)[number];

export interface StallOptions {
  /** Does the work of a login. */
  checkPassword(): Promise<unknown>;
  /** Reads a small file. Default: one of this program. */
  readSmallFile?: () => Promise<unknown>;
  /** Milliseconds between two probes. Default 5000. */
  every?: number;
  /** Milliseconds after which work counts as stalled. Default 2000. */
  limit?: number;
}

interface Probe {
  /** When the probe began that has not ended; null for none. */
  since: number | null;
  /** Milliseconds that the latest ended probe took. */
  took: number;
}

/**
 * Measures regularly how long a login and a file read take. They run in thread pools of the process, where other work
 * can hold them up while all other requests are answered.
 */
export const stalls = fastifyPlugin(
  async (app: FastifyInstance, options: StallOptions) => {
    const { every = 5000, limit = 2000 } = options;
    const probes: Record<StalledWork, Probe> = {
      file_reads: { since: null, took: 0 },
      logins: { since: null, took: 0 },
    };
    const work: Record<StalledWork, () => Promise<unknown>> = {
      file_reads: options.readSmallFile ?? (() => readFile(new URL(import.meta.url))),
      logins: options.checkPassword,
    };
    const durationOf = ({ since, took }: Probe) => (since === null ? took : performance.now() - since);

    async function measure(name: StalledWork): Promise<void> {
      const probe = probes[name];
      if (probe.since !== null) return;
      const started = performance.now();
      probe.since = started;
      // A refusal because too many wait is a stall as well, and lasts until a probe gets through.
      const isRefused = await work[name]().then(
        () => false,
        () => true,
      );
      probe.took = isRefused ? limit : performance.now() - started;
      probe.since = null;
    }

    const timer = setInterval(() => {
      for (const name of stalledWork) void measure(name);
    }, every);
    timer.unref();
    app.addHook('onClose', async () => clearInterval(timer));
    app.decorate('stalls', {
      get current() {
        return stalledWork.filter((name) => durationOf(probes[name]) >= limit);
      },
    });
    for (const name of stalledWork) {
      app.metrics.watch(
        `calibron_probe_${name}_seconds`,
        `Time that a probe of ${name.replace('_', ' ')} took, or takes so far.`,
        () => durationOf(probes[name]) / 1000,
      );
    }
  },
  { name: 'stalls', dependencies: ['metrics'] },
);
