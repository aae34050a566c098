import { CalibronError } from '../../kernel/errors.ts';
import { isoTimeOrNull } from '../../kernel/time.ts';
import type { Chips } from '../chips/index.ts';
import { type TargetKind, targetKinds } from '../chips/model.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { Heatmap, MetricsSettings, MetricsSummary } from './model.ts';
import { meanOf } from './rules.ts';

/** Maximum number of concurrent look-ups of replacements for excluded values. */
const AT_ONCE = 16;

interface Dependencies {
  chips: Pick<Chips, 'targetValues' | 'mustGet'>;
  results: Pick<TaskResultStore, 'excludedTasks' | 'newestCounted'>;
  provenance: Pick<ProvenanceStore, 'newestExcept'>;
  settings(): Promise<MetricsSettings>;
}

interface CurrentValue {
  value: unknown;
  unit: string;
  error: number | null;
  at: string | null;
}

/** Current calibration state as metrics show it. */
export function createCurrentValues({ chips, results, provenance, settings }: Dependencies) {
  /**
   * Values of metrics by target. If a value's result is excluded, the newest value that is not excluded replaces it,
   * whether measured or entered by hand. Calibration state itself is not changed.
   */
  async function counted(kind: TargetKind, projectId: string, chipId: string, metrics: readonly string[]) {
    const [targets, excluded] = await Promise.all([
      chips.targetValues(kind, projectId, chipId, metrics),
      results.excludedTasks(projectId, chipId),
    ]);
    const values = new Map(targets.map(({ qid }) => [qid, new Map<string, CurrentValue | null>()]));
    const replaced: { qid: string; metric: string }[] = [];
    for (const { qid, data } of targets) {
      for (const metric of metrics) {
        const stored = data[metric];
        if (stored && excluded.has(stored.task_id ?? '')) replaced.push({ qid, metric });
        else values.get(qid)?.set(metric, stored ? currentValue(stored, stored.calibrated_at ?? null) : null);
      }
    }
    for (let first = 0; first < replaced.length; first += AT_ONCE) {
      await Promise.all(
        replaced.slice(first, first + AT_ONCE).map(async ({ qid, metric }) => {
          const ofTarget = { chip_id: chipId, parameter_name: metric, qid };
          const [measured, version] = await Promise.all([
            results.newestCounted(projectId, chipId, metric, qid),
            provenance.newestExcept(projectId, ofTarget, excluded),
          ]);
          // A version may be a value entered by hand, which has no result.
          const isVersionNewer = version && !(measured?.start_at && measured.start_at > version.valid_from);
          const found = isVersionNewer
            ? currentValue(version, isoTimeOrNull(version.valid_from))
            : measured && currentValue(measured.value, isoTimeOrNull(measured.start_at));
          values.get(qid)?.set(metric, found);
        }),
      );
    }
    return values;
  }

  return {
    /** Means over the qubits of a chip, by metric. @throws not_found */
    async summary(projectId: string, chipId: string): Promise<MetricsSummary> {
      await chips.mustGet(projectId, chipId);
      const metrics = Object.keys((await settings()).qubit_metrics);
      const values = [...(await counted('qubit', projectId, chipId, metrics)).values()];
      const averages = metrics.map((metric) => [metric, meanOf(values.map((of) => of.get(metric)?.value))]);
      return {
        chip_id: chipId,
        qubit_count: values.length,
        averages: values.length === 0 ? {} : Object.fromEntries(averages),
      };
    },

    /** One metric of every qubit, or coupling, of a chip. @throws not_found for an unknown chip or metric */
    async heatmap(projectId: string, chipId: string, metric: string): Promise<Heatmap> {
      await chips.mustGet(projectId, chipId);
      const { qubit_metrics, coupling_metrics } = await settings();
      const known = { qubit: qubit_metrics, coupling: coupling_metrics };
      const kind = targetKinds.find((each) => Object.hasOwn(known[each], metric));
      if (!kind) {
        const names = targetKinds.flatMap((each) => Object.keys(known[each]));
        throw new CalibronError('not_found', `There is no such metric. There are: ${names.join(', ')}.`);
      }
      const values = await counted(kind, projectId, chipId, [metric]);
      const found = [...values].map(([qid, of]) => [qid, of.get(metric) ?? null] as const);
      return {
        chip_id: chipId,
        metric,
        values: Object.fromEntries(found.map(([qid, each]) => [qid, meanOf([each?.value])])),
        unit: found.find(([, each]) => each?.unit)?.[1]?.unit ?? null,
        errors: Object.fromEntries(found.map(([qid, each]) => [qid, each?.error ?? null])),
        calibrated_at: Object.fromEntries(found.map(([qid, each]) => [qid, each?.at ?? null])),
      };
    },
  };
}

function currentValue(
  { value, unit = '', error }: { value: unknown; unit?: string; error?: number | null },
  at: string | null,
): CurrentValue {
  // Versions have 0 where no error is known.
  return { value, unit, error: error || null, at };
}
