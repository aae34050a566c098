import type { Areas } from '../shared/domain/areas.ts';
import type { FlowDecisionEntry, FlowEntry } from '../shared/domain/flows/model.ts';
import type { NewDecision } from '../shared/domain/maintenance/model.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';

/** Stores what a flow logged, recorded and decided since its previous command. A repeat stores nothing twice. */
export function createFlowEntries({
  executions,
  maintenance,
}: {
  executions: Pick<Areas['executions'], 'addEntries'>;
  maintenance: Pick<Areas['maintenance'], 'addDecisions'>;
}) {
  return async (run: HeldRun, entries: readonly FlowEntry[]): Promise<void> => {
    const at = new Date();
    const decisions = entries.flatMap((entry) => (entry.kind === 'decision' ? [newDecision(entry, at)] : []));
    const lines = entries.flatMap((entry) => {
      if (entry.kind === 'decision') return [];
      const { kind, index } = entry;
      const written =
        kind === 'log' ? { text: entry.message, value: null } : { text: entry.name, value: entry.value };
      return [{ kind, index, ...written, created_at: at }];
    });
    await Promise.all([executions.addEntries(run, lines), maintenance.addDecisions(run, decisions)]);
  };
}

function newDecision(
  { index, task, parameters, state, kind: _, ...rest }: FlowDecisionEntry,
  made_at: Date,
): NewDecision {
  return {
    sequence: index,
    made_at,
    task_name: task,
    parameter_names: parameters,
    state_before: state,
    ...rest,
  };
}
