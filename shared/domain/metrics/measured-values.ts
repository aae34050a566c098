import { CalibronError } from '../../kernel/errors.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import { readInstant } from '../../kernel/wire.ts';
import type { Chips } from '../chips/index.ts';
import type { TargetKind } from '../chips/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import { exclusionOf, parametersOf } from '../results/wire.ts';
import type { ChipMetrics, HistoryItem, MetricsQuery, MetricsSettings, ValuesByMetric } from './model.ts';
import { type Gathered, gather, plainTargetId } from './rules.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Dependencies {
  chips: Pick<Chips, 'mustGet' | 'allQubitIds' | 'readTarget'>;
  results: Pick<TaskResultStore, 'countedOutputs' | 'latestCounted' | 'outputHistory'>;
  settings(): Promise<MetricsSettings>;
}

interface OfChip {
  project_id: string;
  chip_id: string;
}

/** Which values of each target count; times are inclusive, null leaves open. */
interface Window {
  selection_mode: MetricsQuery['selection_mode'];
  from: Date | null;
  to: Date | null;
}

/** Which part of a history is asked for. */
export interface HistoryQuery {
  metric: string;
  limit: number;
  /** Newer items that are left out. */
  skip: number;
  within_days: number;
}

/** What results found, as metrics count them. */
export function createMeasuredValues({ chips, results, settings }: Dependencies) {
  /** Results with a metric, newest first: as few as the selection needs. */
  async function* rowsOf(kind: TargetKind, of: OfChip, name: string, query: Window) {
    const { selection_mode, from, to } = query;
    yield* selection_mode === 'latest' && to === null
      ? await results.latestCounted(of, kind, name, from)
      : results.countedOutputs(of, kind, name, query);
  }

  async function valuesOf(
    kind: TargetKind,
    of: OfChip,
    metrics: MetricsSettings['qubit_metrics'],
    query: Window,
  ): Promise<ValuesByMetric> {
    const valuesByMetric: ValuesByMetric = {};
    // One after the other: a metric may have hundreds of thousands of values.
    for (const [name, metric] of Object.entries(metrics)) {
      const byTarget = new Map<string, Gathered>();
      for await (const row of rowsOf(kind, of, name, query)) {
        const record = row.output_parameters?.[name];
        if (!record) continue;
        const sample = {
          value: record.value,
          error: record.error ?? null,
          task_id: record.task_id || row.task_id,
          execution_id: row.execution_id,
        };
        byTarget.set(row.qid, gather(byTarget.get(row.qid), sample, query.selection_mode, metric));
      }
      valuesByMetric[name] = Object.fromEntries(
        [...byTarget]
          .flatMap(([qid, { chosen }]) => (chosen ? [[qid, chosen] as const] : []))
          .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
      );
    }
    return valuesByMetric;
  }

  return {
    /**
     * The metrics of a chip from the results of a time: of each target the newest, the best or the mean.
     * @throws not_found; bad_request for a time that cannot be read or ends before it begins
     */
    async ofChip(
      projectId: string,
      username: string,
      chipId: string,
      query: MetricsQuery,
    ): Promise<ChipMetrics> {
      await chips.mustGet(projectId, chipId);
      const { within_hours = null, selection_mode } = query;
      const start = timeOf('start_at', query.start_at);
      const end = timeOf('end_at', query.end_at);
      if (start && end && start > end) {
        throw new CalibronError('bad_request', 'start_at must not be after end_at.');
      }
      const from = start ?? (within_hours ? new Date(Date.now() - within_hours * HOUR_MS) : null);
      const { qubit_metrics, coupling_metrics } = await settings();
      const of = { project_id: projectId, chip_id: chipId };
      const window = { selection_mode, from, to: end };
      const [qids, ofQubits, ofCouplings] = await Promise.all([
        chips.allQubitIds(projectId, chipId),
        valuesOf('qubit', of, qubit_metrics, window),
        valuesOf('coupling', of, coupling_metrics, window),
      ]);
      return {
        chip_id: chipId,
        username,
        qubit_count: qids.length,
        within_hours,
        start_at: isoTimeOrNull(start),
        end_at: isoTimeOrNull(end),
        qubit_metrics: ofQubits,
        coupling_metrics: ofCouplings,
      };
    },

    /**
     * What a metric of a target was, newest first: every result that has a value, excluded ones too.
     * @throws not_found for an unknown chip, target or metric
     */
    async history(
      kind: TargetKind,
      projectId: string,
      of: { chip_id: string; target: string },
      { metric, limit, skip, within_days }: HistoryQuery,
    ): Promise<HistoryItem[]> {
      const known = (await settings())[`${kind}_metrics`];
      if (!Object.hasOwn(known, metric)) throw new CalibronError('not_found', 'There is no such metric.');
      const qid = plainTargetId(of.target);
      await chips.readTarget(kind, projectId, of.chip_id, qid);
      const rows = await results.outputHistory(
        projectId,
        of.chip_id,
        { parameter: metric, qid },
        {
          since: new Date(Date.now() - within_days * DAY_MS),
          limit,
          skip,
        },
      );
      return rows.flatMap((row) => {
        const record = row.output_parameters[metric];
        if (!record || record.value === null) return [];
        const { task_id, ...exclusion } = exclusionOf(row);
        return [
          {
            value: record.value,
            execution_id: row.execution_id,
            task_id,
            timestamp: isoTime(row.start_at ?? row.end_at ?? row.created_at),
            calibrated_at: record.calibrated_at ?? null,
            name: row.name,
            input_parameters: parametersOf(row.input_parameters),
            output_parameters: parametersOf(row.output_parameters),
            ...exclusion,
          },
        ];
      });
    },
  };
}

function timeOf(name: string, text: string | undefined): Date | null {
  if (text === undefined || text === '') return null;
  const read = readInstant(text);
  if (read instanceof Date) return read;
  throw new CalibronError('bad_request', `${name} must be a time in ISO 8601, such as 2026-01-31T09:00:00Z.`);
}
