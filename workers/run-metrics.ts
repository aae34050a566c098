import type { MetricMeter } from '@temporalio/common';
import type { OpenRuns } from '../shared/domain/runs/index.ts';
import type { Logger } from '../shared/kernel/log.ts';

/** Milliseconds between reads from the store. */
const INTERVAL = 5000;

/**
 * Exports metrics about the runs of all projects. Every worker reads the same data from the store, so that the metrics are
 * newer than the last reconciler round.
 */
export function showRuns(
  meter: MetricMeter,
  read: () => Promise<OpenRuns>,
  log: Logger,
): { end(): Promise<void> } {
  const open = meter.createGauge('calibron_open_runs', 'int', undefined, 'Runs that hold a project.');
  const stuck = meter.createGauge(
    'calibron_stuck_runs',
    'int',
    undefined,
    'Open runs that something keeps from going on.',
  );
  const held = meter.createGauge(
    'calibron_lock_held_seconds',
    'float',
    undefined,
    'How long a project has been held by its run; 0 once it is free.',
  );
  /** Projects that were locked at the last read. They are remembered because an exported series cannot be removed. */
  let shown = new Set<string>();
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    try {
      const runs = await read();
      open.set(runs.open);
      stuck.set(runs.stuck);
      const now = new Set(runs.held.map(({ project_id }) => project_id));
      for (const project_id of shown) if (!now.has(project_id)) held.set(0, { project_id });
      for (const { project_id, seconds } of runs.held) held.set(seconds, { project_id });
      shown = now;
    } catch (thrown) {
      log.warn({ error: String(thrown) }, 'could not read how runs stand');
    }
  }

  const next = () => {
    looking = looking.then(look);
  };
  next();
  const timer = setInterval(next, INTERVAL);
  return {
    async end() {
      clearInterval(timer);
      await looking;
    },
  };
}
