import type { Areas } from '../shared/domain/areas.ts';
import type { Settings } from '../shared/domain/settings.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { startRounds } from './rounds.ts';

/** The work that the processes of an installation do in turns, each round by one of them. */
export function startPeriodicWork(dependencies: {
  areas: Areas;
  settings: Pick<Settings, 'RECONCILE_INTERVAL' | 'BACKEND_LOOK_INTERVAL'>;
  identity: string;
  log: Logger;
}) {
  const { areas, settings, identity, log } = dependencies;
  const { runs } = areas;

  const lookAtRuns = () =>
    runs.reconciler.reconcileAll({
      failed: ({ execution_id }, thrown) =>
        log.warn({ execution_id, error: String(thrown) }, 'could not reconcile'),
      stuck: ({ project_id, execution_id }, trouble) =>
        log.warn(
          { project_id, execution_id, waiting_for: trouble.for, since: trouble.since },
          'run is stuck',
        ),
    });

  /** Continues what an earlier process left unfinished, and removes what nothing needs any more. */
  async function reconcile(): Promise<void> {
    await areas.projects.deletion.resume();
    await areas.aiReviews.reconcile();
    await lookAtRuns();
    await areas.chat.resume();
    await areas.images.collect();
    await areas.retention.collect();
  }

  const reconciling = startRounds({
    interval: settings.RECONCILE_INTERVAL * 1000,
    takeRound: (interval) => runs.rounds.take(identity, interval),
    round: reconcile,
    purpose: 'reconcile',
    log,
  });
  const looking = startRounds({
    interval: settings.BACKEND_LOOK_INTERVAL * 1000,
    takeRound: (interval) => runs.rounds.take(identity, interval, new Date(), 'backend workers'),
    round: () => areas.backendWorkers.look(),
    purpose: 'look after the workers of backends',
    log,
  });

  return {
    reconcile,
    /** Compares the open runs with the engine, and records what keeps them from continuing. */
    lookAtRuns,
    end(): void {
      reconciling.end();
      looking.end();
    },
  };
}
