import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import { readInstant } from '../../kernel/wire.ts';
import type { Chips } from '../chips/index.ts';
import type { TargetKind } from '../chips/model.ts';
import { plainTargetId } from '../chips/rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import { exclusionOf, parametersOf } from '../results/wire.ts';
import type { ChipMetrics, HistoryItem, MetricsQuery, MetricsSettings, MetricValue } from './model.ts';
import { averageOf, bestOf, latestOf, type Totals } from './rules.ts';
import { type createTotals, type MetricOfChip, sampleOf, totalsOf } from './totals.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Dependencies {
  chips: Pick<Chips, 'mustGet' | 'allQubitIds' | 'readTarget'>;
  results: Pick<TaskResultStore, 'countedOutputs' | 'latestCounted' | 'outputHistory'>;
  totals: ReturnType<typeof createTotals>;
  settings(): Promise<MetricsSettings>;
}

interface OfChip {
  project_id: ProjectId;
  chip_id: string;
}

/** Time range of the results to include; bounds are inclusive, null is unbounded. */
interface Window {
  selection_mode: MetricsQuery['selection_mode'];
  from: Date | null;
  to: Date | null;
}

/** The requested page of a history. */
export interface HistoryQuery {
  metric: string;
  limit: number;
  /** Number of newest items to skip. */
  skip: number;
  within_days: number;
}

/** Metric values from results. */
export function createMeasuredValues({ chips, results, totals, settings }: Dependencies) {
  /** The newest result with a metric for each target, if its value is a number. */
  async function latest(of: MetricOfChip, { from, to }: Window): Promise<Map<string, MetricValue>> {
    const { project_id, chip_id, kind, name } = of;
    const ofChip = { project_id, chip_id };
    const rows =
      to === null
        ? await results.latestCounted(ofChip, kind, name, from)
        : results.countedOutputs(ofChip, kind, name, { from, to });
    const values = new Map<string, MetricValue | null>();
    for await (const row of rows) {
      const sample = sampleOf(row, name);
      if (sample) values.set(row.qid, latestOf(sample));
    }
    return numbersOf(values);
  }

  async function valuesOf(
    chip: OfChip,
    asked: readonly Omit<MetricOfChip, keyof OfChip>[],
    window: Window,
  ): Promise<Map<string, MetricValue>[]> {
    const { selection_mode, from, to } = window;
    const found: Map<string, MetricValue>[] = [];
    if (selection_mode === 'latest') {
      for (const each of asked) found.push(await latest({ ...chip, ...each }, window));
      return found;
    }
    const chosen = (all: ReadonlyMap<string, Totals>) =>
      numbersOf(
        [...all].map(([qid, of]) => [qid, selection_mode === 'best' ? bestOf(of) : averageOf(of)] as const),
      );
    if (from === null && to === null) return (await totals.ofAll(chip, asked, new Date())).map(chosen);
    for (const each of asked) {
      const rows = results.countedOutputs(chip, each.kind, each.name, { from, to });
      found.push(chosen(await totalsOf(rows, each)));
    }
    return found;
  }

  /** The values of all metrics of a chip, including metrics without values. */
  async function valuesByMetric(
    chip: OfChip,
    { qubit_metrics, coupling_metrics }: MetricsSettings,
    window: Window,
  ): Promise<Pick<ChipMetrics, 'qubit_metrics' | 'coupling_metrics'>> {
    const asked = [
      ...Object.entries(qubit_metrics).map(([name, metric]) => ({ kind: 'qubit' as const, name, metric })),
      ...Object.entries(coupling_metrics).map(([name, metric]) => ({
        kind: 'coupling' as const,
        name,
        metric,
      })),
    ];
    const found = await valuesOf(chip, asked, window);
    const of = (kind: TargetKind) =>
      Object.fromEntries(
        asked.flatMap((each, index) =>
          each.kind === kind ? [[each.name, inOrder(found[index] ?? new Map())] as const] : [],
        ),
      );
    return { qubit_metrics: of('qubit'), coupling_metrics: of('coupling') };
  }

  return {
    /**
     * The metrics of a chip from the results in a time range: the newest, the best or the mean of each target.
     * @throws not_found; bad_request for a time that cannot be parsed, or a range that ends before it begins
     */
    async ofChip(
      projectId: ProjectId,
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
      const chip = { project_id: projectId, chip_id: chipId };
      const window = { selection_mode, from, to: end };
      const [qids, values] = await Promise.all([
        chips.allQubitIds(projectId, chipId),
        valuesByMetric(chip, await settings(), window),
      ]);
      return {
        chip_id: chipId,
        username,
        qubit_count: qids.length,
        within_hours,
        start_at: isoTimeOrNull(start),
        end_at: isoTimeOrNull(end),
        ...values,
      };
    },

    /**
     * History of a target's metric, newest first: every result with a value, including excluded ones.
     * @throws not_found for an unknown chip, target or metric
     */
    async history(
      kind: TargetKind,
      projectId: ProjectId,
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

/** Removes targets without a value. */
function numbersOf(values: Iterable<readonly [string, MetricValue | null]>): Map<string, MetricValue> {
  return new Map([...values].flatMap(([qid, value]) => (value ? [[qid, value] as const] : [])));
}

/** Values sorted by the numbers of their targets. */
function inOrder(values: ReadonlyMap<string, MetricValue>): Record<string, MetricValue> {
  return Object.fromEntries([...values].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })));
}

function timeOf(name: string, text: string | undefined): Date | null {
  if (text === undefined || text === '') return null;
  const read = readInstant(text);
  if (read instanceof Date) return read;
  throw new CalibronError('bad_request', `${name} must be a time in ISO 8601, such as 2026-01-31T09:00:00Z.`);
}
