import { CalibronError } from '../../kernel/errors.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { ExecutionDocument, ExecutionStage, ExecutionStageDetail, FlowStepDocument } from './model.ts';
import type { StepStore } from './step-store.ts';

/** What clients ask about the stages of an execution. */
export function createStageReader(dependencies: {
  steps: StepStore;
  reader: { find(projectId: string, id: string): Promise<ExecutionDocument> };
}) {
  const { steps, reader } = dependencies;
  return {
    /** @throws CalibronError 404 for an unknown execution. */
    async list(projectId: string, id: string, page: { skip: number; limit: number }) {
      const { execution_id } = await reader.find(projectId, id);
      const { items, total } = await steps.stages(projectId, execution_id, page);
      return { stages: items.map(stageOf), total, ...page };
    },

    /** One stage with its metrics. @throws CalibronError 404 for an unknown execution or stage. */
    async detail(projectId: string, id: string, index: number): Promise<ExecutionStageDetail> {
      const { execution_id } = await reader.find(projectId, id);
      const step = await steps.get(projectId, execution_id, index);
      if (step?.kind !== 'stage') {
        throw new CalibronError('not_found', `Execution ${execution_id} has no stage ${index}.`);
      }
      return {
        ...stageOf(step),
        metrics: step.summary?.metrics ?? {},
        metrics_truncated: step.summary?.metrics_truncated ?? false,
      };
    },
  };
}

function stageOf(step: FlowStepDocument): ExecutionStage {
  const { summary, targets } = step;
  return {
    index: step.index,
    name: step.name,
    status: step.status === 'planned' ? 'running' : step.status,
    tasks: step.tasks.map(({ name }) => name),
    targets: targets.length,
    counts: summary?.counts ?? null,
    passed: summary?.passed ?? [],
    failed: summary?.failed ?? [],
    yields: summary?.yields ?? [],
    target_yield: summary && targets.length > 0 ? summary.passed.length / targets.length : null,
    start_at: isoTime(step.created_at),
    end_at: isoTimeOrNull(step.answered_at),
  };
}
