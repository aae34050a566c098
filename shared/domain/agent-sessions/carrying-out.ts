import type { TaskId } from '../../kernel/ids.ts';
import { calendarDay } from '../../kernel/time.ts';
import type { CalibrationStateStore } from '../chips/index.ts';
import { endedTaskOf, type ProvenanceStore } from '../provenance/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { AgentCandidate, CommitDocument } from './commit-model.ts';
import type { AgentStore } from './store.ts';

interface Dependencies {
  store: AgentStore;
  state: CalibrationStateStore;
  provenance: Pick<ProvenanceStore, 'add'>;
  results: Pick<TaskResultStore, 'get'>;
  timezone: string;
}

/** Writes commits to calibration state, history and provenance. Safe to run twice, and from several processes. */
export function createCarryOut({ store, state, provenance, results, timezone }: Dependencies) {
  /** Adds the committed values of one task to provenance: they are calibration state now, and therefore versions. */
  async function addToProvenance(commit: CommitDocument, taskId: TaskId, at: Date): Promise<void> {
    const result = await results.get(commit.project_id, taskId);
    if (!result) return;
    const outputs = Object.fromEntries(
      commit.candidates
        .filter(({ task_id }) => task_id === taskId)
        .flatMap(({ parameter_name: name }) => {
          const record = commit.records[name];
          return record ? [[name, record]] : [];
        }),
    );
    const ended = endedTaskOf(result, {
      status: 'completed',
      message: '',
      outputs,
      quality_metrics: {},
      figure_path: [],
      json_figure_path: [],
      raw_data_path: [],
      start_at: result.start_at,
      end_at: at,
    });
    const agent = { user_id: commit.committed_by_user_id, username: commit.committed_by };
    await provenance.add({ ...ended, agent });
  }

  return async (commit: CommitDocument): Promise<CommitDocument> => {
    if (commit.status !== 'committing') return commit;
    const { project_id, chip_id, target_kind: kind, qid, before, records, created_at } = commit;
    const written = await state.exchange({ project_id, chip_id, kind, qid }, before, records, {
      recorded_date: calendarDay(created_at, timezone),
      cooldown_id: await state.currentCooldown(project_id, chip_id),
    });
    if (!written) {
      const names = Object.keys(records).join(', ');
      const reason = `${names} of ${qid} changed while it was committed. Read the state and measure again.`;
      const end = { status: 'failed', reason, after: null, committed_at: null } as const;
      return (await store.commits.end(commit, end)) ?? commit;
    }
    const tasks = [...new Set(commit.candidates.map(({ task_id }: AgentCandidate) => task_id))];
    await Promise.all([
      written.snapshot(),
      ...tasks.map((taskId) => addToProvenance(commit, taskId, created_at)),
    ]);
    const end = { status: 'committed', reason: '', after: records, committed_at: new Date() } as const;
    return (await store.commits.end(commit, end)) ?? commit;
  };
}
