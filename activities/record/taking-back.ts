/** After a measurement was taken back from the queue of its backend: its rows wait to be prepared again. */
import type { CalibrationActivities } from '../contracts/runs.ts';
import type { createApplier } from './applying.ts';
import type { RecordDependencies } from './dependencies.ts';

/** Notes on rows that their measurement was taken back. Safe to repeat. */
export function createTakingBack(
  { areas: { results } }: Pick<RecordDependencies, 'areas'>,
  { endBefore }: Pick<ReturnType<typeof createApplier>, 'endBefore'>,
): Pick<CalibrationActivities, 'noteTakenBack'> {
  return {
    async noteTakenBack({ run, stage, targets, index }) {
      const { project_id, execution_id, backend } = run;
      const rows = await results.ofTargets(project_id, execution_id, stage, targets);
      const open = rows.filter((row) => row.index === index && row.status === 'running');
      const ids = open.map(({ task_id }) => task_id);
      // The process that prepared the measurement may have died before it ended the tasks before it.
      const stored = await Promise.all(ids.map((id) => results.get(project_id, id)));
      await Promise.all(stored.map((row) => row && endBefore(run, row)));
      const reason = `Its measurement was taken back from the queue of backend ${backend}, and is made when the run continues.`;
      await results.takeBack(project_id, ids, reason);
    },
  };
}
