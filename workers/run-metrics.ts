import type { MetricMeter } from '@temporalio/common';
import type { OpenRuns } from '../shared/domain/runs/index.ts';
import { countedWaits } from '../shared/domain/runs/waiting-rules.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import type { ProjectId } from '../shared/kernel/ids.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { type Looking, lookEvery } from './looking.ts';
import type { MeasurementCounts } from './measurement-metrics.ts';

/** Milliseconds between reads from the store. */
const INTERVAL = 5000;

export interface ShownRuns {
  meter: MetricMeter;
  read(): Promise<OpenRuns>;
  answers: Pick<MeasurementCounts, 'lastAnswer'>;
  /** Backend whose series exist from the start, so that an alert can distinguish 0 from no data. */
  backend: string;
  log: Pick<Logger, 'warn'>;
  now?: () => number;
}

/**
 * Exports metrics about the runs of all projects. Every worker reads the same data from the store, so that the metrics are
 * newer than the last reconciler round.
 */
export function showRuns(shown: ShownRuns): Looking {
  const { meter, read, log, now = Date.now } = shown;
  const gauge = (name: string, kind: 'int' | 'float', description: string) =>
    meter.createGauge(name, kind, undefined, description);
  const open = gauge('calibron_open_runs', 'int', 'Runs that hold a project.');
  const stuck = gauge('calibron_stuck_runs', 'int', 'Open runs that something keeps from going on.');
  const held = gauge(
    'calibron_lock_held_seconds',
    'float',
    'How long a project has been held by its run; 0 once it is free.',
  );
  const waiting = gauge('calibron_runs_waiting', 'int', 'Open runs that wait, by what for and by backend.');
  const silence = gauge(
    'calibron_backend_silence_seconds',
    'float',
    'Time since the last answer of a backend while runs measure on it; 0 while none does.',
  );
  const away = gauge(
    'calibron_store_away_seconds',
    'float',
    'How long the store has not answered this worker.',
  );

  /** Projects that were locked at the last read. They are remembered because an exported series cannot be removed. */
  let locked = new Set<ProjectId>();
  /** Backends that had runs, for the same reason, and since when runs measure on them without a break. */
  const backends = new Map<string, number | null>([[shown.backend, null]]);
  let answeredAt = now();

  function showHeld(runs: OpenRuns['runs']): void {
    const current = new Set(runs.map(({ project_id }) => project_id));
    for (const project_id of locked) if (!current.has(project_id)) held.set(0, { project_id });
    for (const { project_id, seconds } of runs) held.set(seconds, { project_id });
    locked = current;
  }

  function showBackends(runs: OpenRuns['runs']): void {
    for (const { backend } of runs) if (!backends.has(backend)) backends.set(backend, null);
    for (const [backend, before] of backends) {
      const ofBackend = runs.filter((run) => run.backend === backend);
      for (const wait of countedWaits) {
        waiting.set(ofBackend.filter(({ waits_for }) => waits_for === wait).length, { for: wait, backend });
      }
      const measures = ofBackend.some(({ waits_for }) => waits_for === null);
      const since = measures ? (before ?? now()) : null;
      backends.set(backend, since);
      const last = since === null ? now() : Math.max(since, shown.answers.lastAnswer(backend) ?? since);
      silence.set((now() - last) / 1000, { backend });
    }
  }

  async function look(): Promise<void> {
    try {
      const runs = await read();
      answeredAt = now();
      open.set(runs.open);
      stuck.set(runs.stuck);
      showHeld(runs.runs);
      showBackends(runs.runs);
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'could not read how runs stand');
    }
    away.set((now() - answeredAt) / 1000);
  }

  return lookEvery(INTERVAL, look);
}
