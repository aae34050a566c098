import type { Collection } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { isoTimeOrNull } from '../../kernel/time.ts';
import type { DoubtedValues, OutputSeries, StoredParameter, TaskResultDocument } from './model.ts';
import { counted, newestCountedRow, type OutputRow } from './output-rows.ts';
import { parameterOf } from './wire.ts';

/** Maximum number of values of a time series: more would be tens of megabytes, which no chart shows. */
const SERIES_LIMIT = 200_000;

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

/** Values of one output of a target or chip over time. */
export function createOutputHistory(tasks: Collection<TaskResultDocument>) {
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
      const row = await newestCountedRow(tasks, { project_id: projectId, chip_id: chipId }, parameter, {
        qid,
      });
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
