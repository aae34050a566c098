/** Steps that finish a measurement: the outputs of a task as they are stored. Called by outcome.ts. */
import { gateResults } from '../../shared/domain/results/gate-rules.ts';
import type { GateResult, StoredParameters, TaskOutcome } from '../../shared/domain/results/model.ts';
import type { Found, ReturnedTask } from './analysing.ts';

/** Outputs as they are stored and shown, with what calibration state held before. */
export function storedOutputs(
  { row, definition, target }: ReturnedTask,
  outputs: Found['outputs'],
  at: Date,
): StoredParameters {
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, { value, error }]) => {
      const declared = definition.outputs[name];
      if (!declared || value === null) return [];
      const previous = target?.data[name]?.value;
      return [
        [
          name,
          {
            parameter_name: name,
            qid_role: declared.role ?? '',
            required: false,
            value,
            value_type: declared.valueType,
            error: error ?? null,
            unit: declared.unit,
            description: declared.description,
            calibrated_at: at.toISOString(),
            execution_id: row.execution_id,
            task_id: row.task_id,
            previous_database_value:
              typeof previous === 'number' || typeof previous === 'string' ? previous : null,
            database_updated: true,
          },
        ] as const,
      ];
    }),
  );
}

/** Each rule's verdict on each output, stored because the catalog may change. */
export function judgedOutputs(
  outputs: StoredParameters,
  { definition, r2 }: Found,
): Record<string, GateResult[]> {
  return Object.fromEntries(
    Object.entries(outputs).map(([parameter_name, { value, unit }]) => [
      parameter_name,
      gateResults({ parameter_name, value, unit }, definition, r2),
    ]),
  );
}

/** The outcome of a task whose outputs are kept in its result only. */
export function withoutState(outcome: TaskOutcome): TaskOutcome {
  const outputs = Object.entries(outcome.outputs).map(
    ([name, output]) =>
      [name, { ...output, previous_database_value: null, database_updated: false }] as const,
  );
  return { ...outcome, outputs: Object.fromEntries(outputs) };
}
