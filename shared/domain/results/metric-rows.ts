import type { Collection, FindCursor } from 'mongodb';
import { inParallel } from '../../kernel/in-parallel.ts';
import type { TaskResultDocument } from './model.ts';
import {
  counted,
  newestCountedRow,
  type OfChip,
  type OutputRow,
  rowFields,
  type TargetType,
} from './output-rows.ts';

/** Maximum number of concurrent queries for single targets. */
const LOOKUPS = 16;

/** A completed result, including those that metrics exclude. */
export type CompletedRow = OutputRow &
  Pick<TaskResultDocument, 'closed_at' | 'excluded'> & { ai_review?: HeldBack };

/** Results whose end was written at or after `from` and before `before`. */
interface ClosedWithin {
  from: Date;
  before?: Date;
  limit?: number;
}

interface HeldBack {
  held_back?: boolean;
}

/** Results that started at or after `from` and at or before `to`; null is unbounded. */
interface Within {
  from: Date | null;
  to: Date | null;
}

function startedWithin({ from, to }: Within) {
  const bounds = { ...(from && { $gte: from }), ...(to && { $lte: to }) };
  return Object.keys(bounds).length > 0 ? { start_at: bounds } : {};
}

/** Whether metrics exclude a completed result. */
export function isLeftOut({
  excluded,
  ai_review,
}: Pick<TaskResultDocument, 'excluded'> & { ai_review?: HeldBack }): boolean {
  return excluded === true || ai_review?.held_back === true;
}

const leftOutFields = { excluded: 1, 'ai_review.held_back': 1 } as const;
const valueFieldsOf = (parameter: string) =>
  Object.fromEntries(
    ['value', 'error', 'task_id'].map((field) => [`output_parameters.${parameter}.${field}`, 1] as const),
  );

const completedFieldsOf = (parameter: string) => ({
  ...rowFields,
  closed_at: 1,
  ...leftOutFields,
  ...valueFieldsOf(parameter),
});

/** Results from which the metrics of a chip are computed. */
export function createMetricRows(tasks: Collection<TaskResultDocument>) {
  return {
    /** The results of a chip with an output that metrics include, oldest first. */
    countedOutputs(
      ofChip: OfChip,
      taskType: TargetType,
      parameter: string,
      within: Within,
    ): AsyncIterable<OutputRow> {
      return tasks
        .find({
          ...ofChip,
          output_parameter_names: parameter,
          task_type: taskType,
          ...counted,
          ...startedWithin(within),
        })
        .sort({ start_at: 1, task_id: 1 })
        .project<OutputRow>({ ...rowFields, ...valueFieldsOf(parameter) });
    },

    /**
     * Completed results of a chip with an output, including excluded ones, in the order in which their ends were written.
     * With null it returns those without a recorded time.
     */
    completedOutputs(
      ofChip: OfChip,
      taskType: TargetType,
      parameter: string,
      closed: ClosedWithin | null,
    ): FindCursor<CompletedRow> {
      return tasks
        .find({
          ...ofChip,
          output_parameter_names: parameter,
          task_type: taskType,
          status: 'completed',
          closed_at: closed && { $gte: closed.from, ...(closed.before && { $lt: closed.before }) },
        })
        .sort({ closed_at: 1, task_id: 1 })
        .limit(closed?.limit ?? 0)
        .project<CompletedRow>(completedFieldsOf(parameter));
    },

    /** Completed results of a target with an output whose end was written before a given time, including excluded ones. */
    completedOutputsOfTarget(
      ofTarget: OfChip & { qid: string },
      taskType: TargetType,
      parameter: string,
      before: Date,
    ): AsyncIterable<CompletedRow> {
      return tasks
        .find({
          ...ofTarget,
          output_parameter_names: parameter,
          task_type: taskType,
          status: 'completed',
          closed_at: { $lt: before },
        })
        .sort({ start_at: 1, task_id: 1 })
        .project<CompletedRow>(completedFieldsOf(parameter));
    },

    /**
     * The newest result with an output that metrics include, for each target of a chip. The cost does not depend on the
     * number of older results. Results that started before `from` are left out.
     */
    async latestCounted(
      ofChip: OfChip,
      taskType: TargetType,
      parameter: string,
      from: Date | null,
    ): Promise<OutputRow[]> {
      const newest = await tasks
        .aggregate<{ id: string }>([
          { $match: { ...ofChip, output_parameter_names: parameter } },
          { $sort: { qid: 1, start_at: -1, task_id: -1 } },
          { $group: { _id: '$qid', id: { $first: '$_id' } } },
        ])
        .toArray();
      // A chip has results for only a few of the metrics.
      if (newest.length === 0) return [];
      const found = await tasks
        .find({ _id: { $in: newest.map(({ id }) => id) } })
        .project<
          OutputRow & Pick<TaskResultDocument, 'task_type' | 'status' | 'excluded'> & { ai_review?: HeldBack }
        >({
          ...rowFields,
          ...valueFieldsOf(parameter),
          ...leftOutFields,
          task_type: 1,
          status: 1,
        })
        .toArray();
      const isLate = ({ start_at }: Pick<OutputRow, 'start_at'>) =>
        from === null || (start_at !== null && start_at >= from);
      const rows: OutputRow[] = [];
      const since = from && { start_at: { $gte: from } };
      // An excluded result is replaced by the newest included one. Each needs a query of its own; usually these are few, but
      // not after many exclusions.
      await inParallel(LOOKUPS, found.filter(isLate), async (row) => {
        const isCounted = row.task_type === taskType && row.status === 'completed' && !isLeftOut(row);
        const shown = isCounted
          ? row
          : await newestCountedRow(tasks, ofChip, parameter, { qid: row.qid, task_type: taskType, ...since });
        if (shown) rows.push(shown);
      });
      return rows;
    },
  };
}
