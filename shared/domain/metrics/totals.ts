import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { isDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { TargetKind } from '../chips/model.ts';
import {
  type CompletedRow,
  isLeftOut,
  type LeftOutRow,
  type OutputRow,
  type TaskResultStore,
} from '../results/index.ts';
import type { Metric } from './model.ts';
import {
  betterBy,
  joined,
  NO_RESULTS,
  noTotals,
  type Sample,
  type Totals,
  toggled,
  withSample,
} from './rules.ts';

const COLLECTION = 'metric_totals';
/** Maximum number of results per query. Progress is stored after each page, so that another process continues from there. */
const PAGE = 5_000;
/**
 * Results that ended within this time are read on every call: no write takes longer, and no two clocks of this service
 * differ by more.
 */
const SETTLED_AFTER_MS = 86_400_000;

export const metricTotalsIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [{ name: 'by_chip', key: { project_id: 1, chip_id: 1 } }],
};

/** Aggregate of the results of a target that metrics include. */
interface KeptTotals extends Totals {
  /** The set of results that were excluded when the aggregate was made. If the set has changed, the results are read again. */
  left_out: string;
}
const nothingKept: KeptTotals = { ...noTotals, left_out: NO_RESULTS };

/**
 * Per-target aggregate of all completed results of a metric that ended before a given time. The time is the one at which
 * this service wrote the end, whatever a backend reports. Results never change afterwards, so they are read only once.
 */
interface TotalsDocument {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
  closed_before: Date;
  /** The rule by which `best` was found. */
  better_by: string;
  targets: Record<string, KeptTotals>;
}

/** The stored aggregate of a metric, brought up to a time. */
interface Settled {
  before: Date;
  targets: Map<string, KeptTotals>;
}

export interface MetricOfChip {
  project_id: ProjectId;
  chip_id: string;
  kind: TargetKind;
  name: string;
  metric: Metric;
}

type Results = Pick<TaskResultStore, 'completedOutputs' | 'completedOutputsOfTarget' | 'leftOut'>;
type NameAndMetric = Pick<MetricOfChip, 'name' | 'metric'>;

/** A result's value of a metric; null if it has none. */
export function sampleOf(row: OutputRow, name: string): Sample | null {
  const record = row.output_parameters?.[name];
  if (!record) return null;
  return {
    value: record.value,
    error: record.error ?? null,
    task_id: record.task_id || row.task_id,
    execution_id: row.execution_id,
    start_at: row.start_at,
  };
}

/** Adds results to the aggregates of their targets. */
export async function totalsOf(
  rows: AsyncIterable<OutputRow>,
  { name, metric }: NameAndMetric,
): Promise<Map<string, Totals>> {
  const targets = new Map<string, Totals>();
  for await (const row of rows) {
    const sample = sampleOf(row, name);
    if (sample) targets.set(row.qid, withSample(targets.get(row.qid) ?? noTotals, sample, metric));
  }
  return targets;
}

function withRow(before: KeptTotals, row: CompletedRow, { name, metric }: NameAndMetric): KeptTotals {
  if (isLeftOut(row)) return { ...before, left_out: toggled(before.left_out, row.task_id) };
  const sample = sampleOf(row, name);
  return sample ? { ...before, ...withSample(before, sample, metric) } : before;
}

async function* counted(...parts: readonly AsyncIterable<CompletedRow>[]): AsyncGenerator<CompletedRow> {
  for (const rows of parts) for await (const row of rows) if (!isLeftOut(row)) yield row;
}

/** For each metric, the sets of excluded results by target, limited to results covered by the stored aggregate. */
async function leftOutSets(
  rows: AsyncIterable<LeftOutRow>,
  metrics: readonly (Pick<MetricOfChip, 'kind' | 'name'> & { before: Date })[],
): Promise<Map<string, string>[]> {
  const sets = metrics.map(() => new Map<string, string>());
  for await (const { qid, task_id, task_type, output_parameter_names, closed_at } of rows) {
    for (const [index, { kind, name, before }] of metrics.entries()) {
      if (task_type !== kind || !output_parameter_names.includes(name)) continue;
      if (!closed_at || closed_at >= before) continue;
      sets[index]?.set(qid, toggled(sets[index].get(qid) ?? NO_RESULTS, task_id));
    }
  }
  return sets;
}

/** Aggregates of all results, by metric. */
export function createTotals(db: Db, results: Results, page = PAGE) {
  const kept = db.collection<TotalsDocument>(COLLECTION);

  /** Brings the stored aggregate of a metric up to `until`. */
  async function settled(of: MetricOfChip, until: Date): Promise<Settled> {
    const { project_id, chip_id, kind, name, metric } = of;
    const ofChip = { project_id, chip_id };
    const _id = keyOf(project_id, chip_id, kind, name);
    const better_by = betterBy(metric);
    const earlier = await kept.findOne({ _id });
    const isUsable = earlier?.better_by === better_by;
    const targets = new Map(Object.entries(isUsable ? earlier.targets : {}));
    let seen = earlier && { closed_before: earlier.closed_before, better_by: earlier.better_by };
    let isAlone = true;
    let before = isUsable ? earlier.closed_before : new Date(0);
    while (before < until) {
      const within = { from: before, before: until, limit: page };
      const rows = await results.completedOutputs(ofChip, kind, name, within).toArray();
      const last = rows.length === page ? rows.at(-1)?.closed_at : null;
      before = until;
      if (last) {
        // More results may share the last row's time.
        before = new Date(last.getTime() + 1);
        const ofLast = results.completedOutputs(ofChip, kind, name, { from: last, before });
        while (rows.at(-1)?.closed_at?.getTime() === last.getTime()) rows.pop();
        rows.push(...(await ofLast.toArray()));
      }
      for (const row of rows) targets.set(row.qid, withRow(targets.get(row.qid) ?? nothingKept, row, of));
      // If another process stores the same aggregate, this one continues without storing.
      if (rows.length === 0 || !isAlone) continue;
      const made = { _id, ...ofChip, closed_before: before, better_by, targets: Object.fromEntries(targets) };
      isAlone = await write(made, seen);
      seen = { closed_before: before, better_by };
    }
    return { before, targets };
  }

  /** @returns false if the stored aggregate is no longer the one in `seen` */
  async function write(
    { _id, ...fields }: TotalsDocument,
    seen: Pick<TotalsDocument, 'closed_before' | 'better_by'> | null,
  ): Promise<boolean> {
    try {
      if (seen === null) await kept.insertOne({ _id, ...fields });
      else return (await kept.updateOne({ _id, ...seen }, { $set: fields })).matchedCount === 1;
      return true;
    } catch (thrown) {
      if (isDuplicateKey(thrown)) return false;
      throw thrown;
    }
  }

  /**
   * Reads a target's results again if its set of excluded results has changed. Nothing is subtracted from the aggregate,
   * because rounding beside an outlier would lose the other values.
   */
  async function recount(
    of: MetricOfChip,
    { before, targets }: Settled,
    leftOut: ReadonlyMap<string, string>,
  ): Promise<void> {
    const { project_id, chip_id, kind, name, metric } = of;
    const changed: Record<`targets.${string}`, KeptTotals> = {};
    for (const [qid, { left_out }] of targets) {
      if (left_out === (leftOut.get(qid) ?? NO_RESULTS)) continue;
      let totals = nothingKept;
      const rows = results.completedOutputsOfTarget({ project_id, chip_id, qid }, kind, name, before);
      for await (const row of rows) totals = withRow(totals, row, of);
      targets.set(qid, totals);
      changed[`targets.${qid}`] = totals;
    }
    if (Object.keys(changed).length === 0) return;
    const _id = keyOf(project_id, chip_id, kind, name);
    await kept.updateOne({ _id, closed_before: before, better_by: betterBy(metric) }, { $set: changed });
  }

  return {
    /** Aggregates by target of all results that metrics include, one map per metric. */
    async ofAll(
      chip: { project_id: ProjectId; chip_id: string },
      asked: readonly Pick<MetricOfChip, 'kind' | 'name' | 'metric'>[],
      now: Date,
    ): Promise<Map<string, Totals>[]> {
      const until = new Date(now.getTime() - SETTLED_AFTER_MS);
      const metrics: (MetricOfChip & Settled)[] = [];
      // Sequentially, because a metric may have hundreds of thousands of values.
      for (const each of asked) {
        const of = { ...chip, ...each };
        metrics.push({ ...of, ...(await settled(of, until)) });
      }
      const leftOut = await leftOutSets(results.leftOut(chip), metrics);
      const found: Map<string, Totals>[] = [];
      for (const [index, of] of metrics.entries()) {
        const { kind, name, metric, before } = of;
        await recount(of, of, leftOut[index] ?? new Map());
        const totals = new Map<string, Totals>(of.targets);
        const rows = counted(
          results.completedOutputs(chip, kind, name, null),
          results.completedOutputs(chip, kind, name, { from: before }),
        );
        for (const [qid, newer] of await totalsOf(rows, of)) {
          totals.set(qid, joined(totals.get(qid) ?? noTotals, newer, metric));
        }
        found.push(totals);
      }
      return found;
    },
  };
}
