import type { SearchAttributePair } from '@temporalio/common';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import type { RunIdentity } from './run-model.ts';

/** Search attributes by which operators find a run and its stages. The only personal one is the initiator's username. */
export function runAttributes(run: RunIdentity): SearchAttributePair[] {
  return searchAttributes({
    ProjectId: run.project_id,
    ExecutionId: run.execution_id,
    ChipId: run.chip_id,
    FlowName: run.name,
    Backend: run.backend,
    Initiator: run.username,
    Trigger: run.trigger,
  });
}
