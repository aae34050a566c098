import type { Metrics, Schemas } from '../api.ts';
import { isCoupling } from '../targets.ts';
import { standardErrorsBetween, type Value } from './standard-errors.ts';

/** One parameter of one target before and after, in shown units. */
export interface Change {
  parameter: string;
  title: string;
  target: string;
  before: Value;
  after: Value;
  errorBefore: number | null;
  errorAfter: number | null;
  unit: string;
  /** The difference in standard errors of the difference; null if it cannot be computed. */
  standardErrors: number | null;
}

/** The changes between two executions: what differs first by standard errors, then what was found only once. */
export function changesOfExecutions(comparison: Schemas['ProvenanceComparison'], metrics: Metrics): Change[] {
  const { changed_parameters, added_parameters, removed_parameters } = comparison;
  return bySize(
    [...changed_parameters, ...added_parameters, ...removed_parameters].map((each) =>
      changeOf(metrics, {
        parameter: each.parameter_name,
        target: each.qid.replaceAll('Q', ''),
        before: { value: each.value_before, error: each.error_before },
        after: { value: each.value_after, error: each.error_after },
        unit: each.unit,
      }),
    ),
  );
}

/** The changes between the newest values of two days; values that are the same are left out. */
export function changesOfDays(
  before: Schemas['ChipMetrics'],
  after: Schemas['ChipMetrics'],
  metrics: Metrics,
): Change[] {
  const kinds = ['qubit_metrics', 'coupling_metrics'] as const;
  const changes = kinds.flatMap((kind) =>
    Object.keys(metrics[kind]).flatMap((parameter) => {
      const [was, is] = [before[kind][parameter] ?? {}, after[kind][parameter] ?? {}];
      return [...new Set([...Object.keys(was), ...Object.keys(is)])].map((target) =>
        changeOf(metrics, {
          parameter,
          target,
          before: { value: was[target]?.value ?? null, error: was[target]?.stddev ?? null },
          after: { value: is[target]?.value ?? null, error: is[target]?.stddev ?? null },
          unit: '',
        }),
      );
    }),
  );
  return bySize(changes.filter((each) => each.before !== each.after));
}

interface Found {
  parameter: string;
  target: string;
  before: { value: Value; error: number | null };
  after: { value: Value; error: number | null };
  unit: string;
}

function changeOf(metrics: Metrics, { parameter, target, before, after, unit }: Found): Change {
  const known = isCoupling(target) ? metrics.coupling_metrics : metrics.qubit_metrics;
  const metric = known[parameter];
  const scale = metric?.scale ?? 1;
  const scaled = (value: Value) => (typeof value === 'number' ? value * scale : value);
  const size = (error: number | null) => (error === null ? null : error * Math.abs(scale));
  return {
    parameter,
    title: metric?.title ?? parameter,
    target,
    before: scaled(before.value),
    after: scaled(after.value),
    errorBefore: size(before.error),
    errorAfter: size(after.error),
    unit: metric?.unit ?? unit,
    standardErrors: standardErrorsBetween(
      { value: scaled(before.value), error: size(before.error) },
      { value: scaled(after.value), error: size(after.error) },
    ),
  };
}

/** The largest changes first; what has no size keeps its order and comes last. */
function bySize(changes: readonly Change[]): Change[] {
  const size = ({ standardErrors }: Change) => (standardErrors === null ? -1 : Math.abs(standardErrors));
  return [...changes].sort((one, other) => size(other) - size(one));
}
