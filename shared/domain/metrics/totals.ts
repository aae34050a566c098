import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { isDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { TargetKind } from '../chips/model.ts';
import type { LeftOutRow, OutputRow, TaskResultStore } from '../results/index.ts';
import type { Metric } from './model.ts';
import { betterBy, joined, noTotals, type Sample, type Totals, withoutValues, withSample } from './rules.ts';

const COLLECTION = 'metric_totals';
/** Results of one question: what is read is kept after each, so that who comes next goes on from there. */
const PAGE = 5_000;
/** Results that are younger are read each time: nothing that began before then can still turn up. */
const SETTLED_AFTER_MS = 86_400_000;

export const metricTotalsIndexes: CollectionIndexes = { collection: COLLECTION, indexes: [] };

/**
 * What all completed results of a metric come to that began before a moment, target by target: results never change
 * once they ended, so nobody reads them twice. Those that metrics leave out are in it, since that may change.
 */
interface TotalsDocument {
  _id: string;
  project_id: string;
  chip_id: string;
  began_before: Date;
  /** By which rule `best` was found. */
  better_by: string;
  targets: Record<string, Totals>;
}

/** One metric of one chip. */
export interface MetricOfChip {
  project_id: string;
  chip_id: string;
  kind: TargetKind;
  name: string;
  metric: Metric;
}

type Results = Pick<TaskResultStore, 'countedOutputs' | 'completedOutputs' | 'oldestOpen' | 'leftOutOutputs'>;

/** A result's value of a metric; null where it has none. */
export function sampleOf(row: OutputRow, name: string): Sample | null {
  const record = row.output_parameters?.[name];
  if (!record) return null;
  return {
    value: record.value,
    error: record.error ?? null,
    task_id: record.task_id || row.task_id,
    execution_id: row.execution_id,
  };
}

/** Adds results, oldest first. */
export async function addRows(
  targets: Map<string, Totals>,
  rows: AsyncIterable<OutputRow> | Iterable<OutputRow>,
  { name, metric }: Pick<MetricOfChip, 'name' | 'metric'>,
): Promise<void> {
  for await (const row of rows) {
    const sample = sampleOf(row, name);
    if (sample) targets.set(row.qid, withSample(targets.get(row.qid) ?? noTotals, sample, metric));
  }
}

/** What all results of metrics come to. */
export function createTotals(db: Db, results: Results, page = PAGE) {
  const kept = db.collection<TotalsDocument>(COLLECTION);

  /** Brings what is kept of a metric up to `until`. */
  async function settled(
    of: MetricOfChip,
    until: Date,
  ): Promise<{ before: Date; targets: Map<string, Totals> }> {
    const { project_id, chip_id, kind, name, metric } = of;
    const _id = keyOf(project_id, chip_id, kind, name);
    const better_by = betterBy(metric);
    const earlier = await kept.findOne({ _id });
    const isUsable = earlier?.better_by === better_by;
    const targets = new Map(Object.entries(isUsable ? earlier.targets : {}));
    let seen = earlier && { began_before: earlier.began_before, better_by: earlier.better_by };
    let isAlone = true;
    let before = isUsable ? earlier.began_before : new Date(0);
    while (before < until) {
      const within = { from: before, before: until };
      const ofChip = { project_id, chip_id };
      let rows = await results.completedOutputs(ofChip, kind, name, { ...within, limit: page });
      const last = rows.at(-1)?.start_at;
      let next = until;
      if (rows.length === page && last) {
        // The next page begins with all that began at the moment at which this one ends.
        const whole = rows.filter(({ start_at }) => start_at && start_at < last);
        next = whole.length > 0 ? last : new Date(last.getTime() + 1);
        rows =
          whole.length > 0
            ? whole
            : await results.completedOutputs(ofChip, kind, name, { from: last, before: next });
      }
      await addRows(targets, rows, of);
      before = next;
      // Who finds that somebody else keeps these results too goes on for itself.
      if (rows.length === 0 || !isAlone) continue;
      const made = { _id, ...ofChip, began_before: before, better_by, targets: Object.fromEntries(targets) };
      isAlone = await write(made, seen);
      seen = { began_before: before, better_by };
    }
    return { before, targets };
  }

  /** @returns whether what is kept was still what `seen` says */
  async function write(
    { _id, ...fields }: TotalsDocument,
    seen: Pick<TotalsDocument, 'began_before' | 'better_by'> | null,
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

  /** Takes out what metrics leave out; where that is the best, the next best is looked for. */
  async function withoutLeftOut(
    of: MetricOfChip,
    { before, targets }: { before: Date; targets: Map<string, Totals> },
    leftOut: readonly LeftOutRow[],
  ): Promise<void> {
    const { project_id, chip_id, kind, name, metric } = of;
    const samples = new Map<string, Sample[]>();
    for (const row of leftOut) {
      const sample = row.task_type === kind ? sampleOf(row, name) : null;
      if (!sample || row.start_at === null || row.start_at >= before) continue;
      samples.set(row.qid, [...(samples.get(row.qid) ?? []), sample]);
    }
    for (const [qid, left] of samples) {
      const totals = targets.get(qid);
      if (!totals) continue;
      if (left.some(({ task_id }) => task_id === totals.best?.task_id)) {
        targets.delete(qid);
        const rest = results.countedOutputs({ project_id, chip_id, qid }, kind, name, { before });
        await addRows(targets, rest, { name, metric });
      } else {
        const values = left.map(({ value }) => value);
        targets.set(qid, withoutValues(totals, values));
      }
    }
  }

  return {
    /** Of each target of a chip that has results which metrics count: what they come to, metric by metric. */
    async ofAll(
      chip: { project_id: string; chip_id: string },
      asked: readonly Pick<MetricOfChip, 'kind' | 'name' | 'metric'>[],
      now: Date,
    ): Promise<Map<string, Totals>[]> {
      const [open, leftOut] = await Promise.all([results.oldestOpen(chip), results.leftOutOutputs(chip)]);
      const settledUntil = new Date(now.getTime() - SETTLED_AFTER_MS);
      const until = open && open < settledUntil ? open : settledUntil;
      const found: Map<string, Totals>[] = [];
      // One after the other: a metric may have hundreds of thousands of values.
      for (const each of asked) {
        const of = { ...chip, ...each };
        const older = await settled(of, until);
        await withoutLeftOut(of, older, leftOut);
        const newer = new Map<string, Totals>();
        await addRows(
          newer,
          results.countedOutputs(chip, each.kind, each.name, { from: older.before }),
          each,
        );
        for (const [qid, totals] of newer) {
          older.targets.set(qid, joined(older.targets.get(qid) ?? noTotals, totals, each.metric));
        }
        found.push(older.targets);
      }
      return found;
    },
  };
}
