import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { z } from 'zod';

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>;

/** Read-only operations on the engine's database. */
const READS = /^(Get|List|Read|Assert|Count)/;

const sample = /^(service|persistence)_requests\{(.*)\} ([\d.e+]+)$/;

/**
 * Counts from Temporal's Prometheus metrics: requests of clients and workers to its frontend by operation, as
 * `rpc <operation>`, and as `commits` the writes to its database, each of which is a separate commit.
 * @param metrics in the Prometheus text format
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

/** Milliseconds after which Temporal has published its counts. It publishes them every second. */
const PUBLISHED_AFTER = 1500;

/**
 * The counts of a Temporal server so far, read after it has published them.
 * @param port of its metrics, null if we did not start the server
 */
export async function engineCounts(port: number | null): Promise<Counts> {
  if (port === null) return {};
  await sleep(PUBLISHED_AFTER);
  return countsOf(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
}

const serverStatus = z.object({
  /** Reported by the embedded store. */
  commits: z.number().optional(),
  /** Reported by MongoDB. */
  wiredTiger: z.object({ log: z.object({ 'log sync operations': z.number() }) }).optional(),
});

/** How often a store has committed to its file so far, as `commits`; empty if it does not count commits. */
export async function storeCounts(db: Db): Promise<Counts> {
  const { commits, wiredTiger } = serverStatus.parse(await db.admin().command({ serverStatus: 1 }));
  const counted = commits ?? wiredTiger?.log['log sync operations'];
  return counted === undefined ? {} : { commits: counted };
}
