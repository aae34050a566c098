import type { Collection, FindCursor } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { inParallel } from '../../kernel/in-parallel.ts';
import { isoTimeOrNull } from '../../kernel/time.ts';
import type { DoubtedValues, OutputSeries, StoredParameter, TaskResultDocument } from './model.ts';
import { parameterOf } from './wire.ts';

/** Maximum number of values of a time series: more would be tens of megabytes, which no chart shows. */
const SERIES_LIMIT = 200_000;
/** Maximum number of concurrent queries for single targets. */
const LOOKUPS = 16;

/** One output over time. */
export interface SeriesQuery {
  chip_id: string;
  parameter: string;
  /** Inclusive, like the end. */
  start_at: Date;
  end_at: Date;
  /** Only results of executions with this tag. */
  tag?: string | null | undefined;
  qid?: string | null | undefined;
}

/** A target of a chip within a cool-down; `cooldown_id` is null if no cool-down is recorded. */
export type TargetInCooldown = Pick<TaskResultDocument, 'project_id' | 'chip_id' | 'qid' | 'cooldown_id'>;

/** The fields of a result that give the value of one output. */
export type OutputRow = Pick<TaskResultDocument, 'task_id' | 'execution_id' | 'qid' | 'start_at'> & {
  output_parameters?: Record<string, StoredParameter>;
};

/** A completed result, including those that metrics exclude. */
export type CompletedRow = OutputRow &
  Pick<TaskResultDocument, 'closed_at' | 'excluded'> & { ai_review?: HeldBack };

/** Results whose end was written at or after `from` and before `before`. */
interface ClosedWithin {
  from: Date;
  before?: Date;
  limit?: number;
}

/** The chip whose results are requested. */
type OfChip = Pick<TaskResultDocument, 'project_id' | 'chip_id'>;
type TargetType = 'qubit' | 'coupling';
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

/** Filter for results that metrics include. */
const counted = {
  status: 'completed',
  excluded: { $ne: true },
  'ai_review.held_back': { $ne: true },
} as const;

/** Whether metrics exclude a completed result. */
export function isLeftOut({
  excluded,
  ai_review,
}: Pick<TaskResultDocument, 'excluded'> & { ai_review?: HeldBack }): boolean {
  return excluded === true || ai_review?.held_back === true;
}

const leftOutFields = { excluded: 1, 'ai_review.held_back': 1 } as const;
const rowFields = { _id: 0, task_id: 1, execution_id: 1, qid: 1, start_at: 1 } as const;

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

/** Output values of results. */
export function createOutputHistory(tasks: Collection<TaskResultDocument>) {
  /** The newest result with an output on a target that metrics include. */
  function newestCountedRow(
    ofChip: OfChip,
    parameter: string,
    of: { qid: string; task_type?: TargetType; start_at?: { $gte: Date } },
  ): Promise<OutputRow | null> {
    return tasks.findOne<OutputRow>(
      { ...ofChip, output_parameter_names: parameter, ...of, ...counted },
      {
        sort: { start_at: -1, task_id: -1 },
        projection: { ...rowFields, [`output_parameters.${parameter}`]: 1 },
      },
    );
  }

  return {
    /**
     * The records of one output in a time range, by target, oldest first, without results that metrics exclude.
     * @throws too_large for more values than a response may have
     */
    async series(projectId: ProjectId, query: SeriesQuery): Promise<OutputSeries> {
      const { chip_id, parameter, start_at, end_at, tag, qid } = query;
      const found = await tasks
        .find({
          project_id: projectId,
          chip_id,
          output_parameter_names: parameter,
          start_at: { $gte: start_at, $lte: end_at },
          excluded: { $ne: true },
          'ai_review.held_back': { $ne: true },
          ...(qid ? { qid } : {}),
          ...(tag ? { tags: tag } : {}),
        })
        .sort({ start_at: 1, task_id: 1 })
        .limit(SERIES_LIMIT + 1)
        .project<OutputRow & Pick<TaskResultDocument, 'end_at'>>({
          _id: 0,
          qid: 1,
          start_at: 1,
          end_at: 1,
          [`output_parameters.${parameter}`]: 1,
        })
        .toArray();
      if (found.length > SERIES_LIMIT) {
        throw new CalibronError(
          'too_large',
          `There are more than ${SERIES_LIMIT} values of ${parameter} in this time. Name a qubit, or a shorter time.`,
        );
      }
      const data: OutputSeries['data'] = {};
      for (const row of found) {
        const values = data[row.qid] ?? [];
        data[row.qid] = values;
        const stored = row.output_parameters?.[parameter];
        if (!stored) continue;
        const record = parameterOf(stored);
        record.calibrated_at ??= isoTimeOrNull(row.end_at ?? row.start_at);
        values.push(record);
      }
      return { data };
    },

    /** The newest value of an output on a target that metrics include, and its start; null if there is none. */
    async newestCounted(
      projectId: ProjectId,
      chipId: string,
      parameter: string,
      qid: string,
    ): Promise<{ value: StoredParameter; start_at: Date | null } | null> {
      const row = await newestCountedRow({ project_id: projectId, chip_id: chipId }, parameter, { qid });
      const value = row?.output_parameters?.[parameter];
      return value ? { value, start_at: row.start_at } : null;
    },

    /** The newest values of an output on a target in a cool-down that metrics include, newest first. */
    async recentValues(
      { project_id, chip_id, qid, cooldown_id }: TargetInCooldown,
      parameter: string,
      limit: number,
    ): Promise<StoredParameter[]> {
      const rows = await tasks
        .find({
          project_id,
          chip_id,
          output_parameter_names: parameter,
          qid,
          cooldown_id,
          ...counted,
        })
        .sort({ start_at: -1, task_id: -1 })
        .limit(limit)
        .project<OutputRow>({ _id: 0, [`output_parameters.${parameter}`]: 1 })
        .toArray();
      return rows.flatMap(({ output_parameters }) => output_parameters?.[parameter] ?? []);
    },

    /**
     * The doubted values of the newest result of a task on a target in a cool-down, and their time; null if it was not
     * doubted.
     */
    async lastDoubted(
      { project_id, chip_id, qid, cooldown_id }: TargetInCooldown,
      name: string,
    ): Promise<{ values: DoubtedValues; end_at: Date | null } | null> {
      const newest = await tasks.findOne(
        { project_id, chip_id, name, qid, status: { $in: ['completed', 'failed'] } },
        {
          sort: { start_at: -1, task_id: -1 },
          projection: { _id: 0, cooldown_id: 1, doubted: 1, end_at: 1 },
        },
      );
      if (newest?.cooldown_id !== cooldown_id || !newest.doubted) return null;
      return { values: newest.doubted, end_at: newest.end_at };
    },

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
          : await newestCountedRow(ofChip, parameter, { qid: row.qid, task_type: taskType, ...since });
        if (shown) rows.push(shown);
      });
      return rows;
    },

    /** Results with an output on a target since a given time, newest first, including excluded ones. */
    outputHistory(
      projectId: ProjectId,
      chipId: string,
      { parameter, qid }: { parameter: string; qid: string },
      { since, limit, skip }: { since: Date; limit: number; skip: number },
    ): Promise<TaskResultDocument[]> {
      return tasks
        .find({
          project_id: projectId,
          chip_id: chipId,
          output_parameter_names: parameter,
          qid,
          start_at: { $gte: since },
          [`output_parameters.${parameter}.value`]: { $ne: null },
        })
        .sort({ start_at: -1, task_id: -1 })
        .skip(skip)
        .limit(limit)
        .toArray();
    },
  };
}
