import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /** The kinds of work that currently take too long in this process. */
    stalls: { readonly current: StalledWork[] };
  }
}

/** Work done outside the event loop. It can stall while the process still answers other requests. */
export const stalledWork = ['file_reads', 'logins'] as const;
export type StalledWork = (typeof stalledWork)[number];

export interface StallOptions {
  /** Does the work of a login. */
  checkPassword(): Promise<unknown>;
  /** Reads a small file. Default: a source file of this program. */
  readSmallFile?: () => Promise<unknown>;
  /** Milliseconds between two probes. Default 5000. */
  every?: number;
  /** Milliseconds after which work counts as stalled. Default 2000. */
  limit?: number;
}

interface Probe {
  /** Start of the running probe; null if none is running. */
  since: number | null;
  /** Duration of the last finished probe in milliseconds. */
  took: number;
}

/**
 * Regularly measures how long a login and a file read take. They run in thread pools of the process, where other work
 * can block them although all other requests are answered.
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
      // A rejection because of a full queue is a stall as well. It lasts until a probe succeeds.
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
