import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { z } from 'zod';

/** Numbers by what was counted. */
export type Counts = Readonly<Record<string, number>>;

/** Operations on the engine's database that change nothing. */
const READS = /^(Get|List|Read|Assert|Count)/;

const sample = /^(service|persistence)_requests\{(.*)\} ([\d.e+]+)$/;

/**
 * Counts in what Temporal tells Prometheus: requests of clients and workers to its front end by operation, as
 * `rpc <operation>`, and under `commits` the writes to its database, each of which it commits by itself.
 * @param metrics in Prometheus' text format
 */
export function countsOf(metrics: string): Counts {
  const counts: Record<string, number> = {};
  for (const line of metrics.split('\n')) {
    const found = sample.exec(line);
    if (!found) continue;
    const [, of = '', labels = '', value] = found;
    const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const operation = label('operation');
    const isRpc = of === 'service' && label('service_name') === 'frontend';
    if (of === 'persistence' ? READS.test(operation) : !isRpc) continue;
    const name = isRpc ? `rpc ${operation}` : 'commits';
    counts[name] = (counts[name] ?? 0) + Number(value);
  }
  return counts;
}

/** Milliseconds after which Temporal has published what it counted: it does so every second. */
const PUBLISHED_AFTER = 1500;

/** What a Temporal server has counted so far, as soon as it says so. @param port of its metrics, null where another's server is used */
export async function engineCounts(port: number | null): Promise<Counts> {
  if (port === null) return {};
  await sleep(PUBLISHED_AFTER);
  return countsOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
}

const serverStatus = z.object({
  /** The embedded store's. */
  commits: z.number().optional(),
  /** MongoDB's own. */
  wiredTiger: z.object({ log: z.object({ 'log sync operations': z.number() }) }).optional(),
});

/** How often a store has committed to its file so far, as `commits`; nothing where it keeps none. */
export async function storeCounts(db: Db): Promise<Counts> {
  const { commits, wiredTiger } = serverStatus.parse(await db.admin().command({ serverStatus: 1 }));
  const counted = commits ?? wiredTiger?.log['log sync operations'];
  return counted === undefined ? {} : { commits: counted };
}
