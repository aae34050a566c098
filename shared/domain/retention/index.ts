import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { CalibrationStateStore } from '../chips/index.ts';
import type { Executions } from '../executions/index.ts';
import type { Issues } from '../issues/index.ts';
import type { KnowledgeCases } from '../knowledge-cases/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { Retention, RetentionDocument, RetentionOutcome, RetentionRule } from './model.ts';
import { divided, type References } from './rules.ts';
import { retentionOf } from './wire.ts';

const DAY = 24 * 3600 * 1000;
const GIB = 1024 ** 3;
/** Milliseconds within which a round that was cut off is not repeated. */
const ROUND_AGAIN = 3_600_000;

interface Needs extends Kernel {
  chips: { state: Pick<CalibrationStateStore, 'taskIds'> };
  executions: Pick<Executions, 'store'>;
  results: Pick<TaskResultStore, 'filesOfExecution' | 'forgetFiles'>;
  knowledgeCases: Pick<KnowledgeCases, 'taskIds'>;
  issues: Pick<Issues, 'taskIds'>;
}

export type RetentionArea = ReturnType<typeof retention.create>;

/** Deletes figures and raw data of a project's old runs, by a rule that its owner sets. Results and values stay. */
export const retention = defineArea({
  name: 'retention',
  indexes: [
    {
      collection: 'retention_rules',
      indexes: [
        { name: 'by_project', key: { project_id: 1 } },
        { name: 'by_due', key: { due_at: 1 } },
      ],
    },
  ],
  create({ db, settings, log, chips, executions, results, knowledgeCases, issues }: Needs) {
    const rules = db.collection<RetentionDocument>('retention_rules');
    const { CALIB_DATA_PATH: root } = settings;

    async function referencesIn(projectId: ProjectId): Promise<References> {
      const [current, ofIssues, cases] = await Promise.all([
        chips.state.taskIds(projectId),
        issues.taskIds(projectId),
        knowledgeCases.taskIds(projectId),
      ]);
      return { current: new Set(current), issues: new Set(ofIssues), cases: new Set(cases) };
    }

    /**
     * Applies a rule to the runs of a project, oldest first.
     * @param isDry nothing is deleted
     */
    async function apply(
      projectId: ProjectId,
      { max_age_days, max_gib }: RetentionRule,
      { isDry, now }: { isDry: boolean; now: Date },
    ): Promise<RetentionOutcome> {
      const outcome = nothing();
      if (max_age_days === null && max_gib === null) return outcome;
      const cutoff = max_age_days === null ? null : new Date(now.getTime() - max_age_days * DAY);
      let excess = max_gib === null ? 0 : (await bytesBelow(join(root, projectId))) - max_gib * GIB;
      const references = await referencesIn(projectId);
      for await (const { execution_id, start_at, end_at } of executions.store.endedOldestFirst(projectId)) {
        const isOld = cutoff !== null && end_at !== null && end_at < cutoff;
        if (!isOld && excess <= 0) {
          // The runs after it are younger.
          if (cutoff === null || start_at >= cutoff) break;
          continue;
        }
        const { kept, deleted, files } = divided(
          await results.filesOfExecution(projectId, execution_id),
          references,
        );
        for (const [referrer, count] of kept) outcome.kept[referrer] += count;
        if (deleted.length === 0) continue;
        const sizes = await Promise.all(files.map((file) => sizeOf(projectId, file)));
        const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
        if (!isDry) {
          await results.forgetFiles(deleted);
          for (const file of files) await remove(projectId, file);
        }
        excess -= bytes;
        outcome.runs += 1;
        outcome.results += deleted.length;
        outcome.files += sizes.filter((size) => size !== null).length;
        outcome.bytes += bytes;
        outcome.oldest ??= start_at.toISOString();
        outcome.newest = start_at.toISOString();
      }
      return outcome;
    }

    /** The path of a file of a project; null if it is not in the project's directory. */
    function pathOf(projectId: ProjectId, file: string): string | null {
      const path = join(root, file);
      const inside = relative(join(root, projectId), path);
      return inside === '' || inside.startsWith('..') ? null : path;
    }

    async function sizeOf(projectId: ProjectId, file: string): Promise<number | null> {
      const path = pathOf(projectId, file);
      return path === null
        ? null
        : stat(path).then(
            ({ size }) => size,
            () => null,
          );
    }

    /** Removes a file, and the directory of its measurement if it was the last one there. */
    async function remove(projectId: ProjectId, file: string): Promise<void> {
      const path = pathOf(projectId, file);
      if (path === null) return;
      await rm(path, { force: true });
      const directory = dirname(path);
      if ((await readdir(directory).catch(() => ['gone'])).length === 0) {
        await rm(directory, { recursive: true, force: true });
      }
    }

    return {
      /** The rule of a project; without limits if none was set. */
      async get(projectId: ProjectId): Promise<Retention> {
        return retentionOf(await rules.findOne({ _id: projectId }));
      },

      /** Sets the rule of a project. Files are deleted by the next round, within an hour. */
      async set(projectId: ProjectId, rule: RetentionRule, username: string): Promise<Retention> {
        const now = new Date();
        const written = await rules.findOneAndUpdate(
          { _id: projectId },
          {
            $set: { ...rule, project_id: projectId, updated_by: username, updated_at: now, due_at: now },
            $setOnInsert: { last_round_at: null, last_outcome: null },
          },
          { upsert: true, returnDocument: 'after' },
        );
        return retentionOf(written);
      },

      /** What a rule would delete now. */
      preview: (projectId: ProjectId, rule: RetentionRule): Promise<RetentionOutcome> =>
        apply(projectId, rule, { isDry: true, now: new Date() }),

      /** Carries out the rules that are due. Several workers may call it at once. */
      async collect(now = new Date()): Promise<void> {
        for (;;) {
          const due = await rules.findOneAndUpdate(
            { due_at: { $lte: now } },
            { $set: { due_at: new Date(now.getTime() + ROUND_AGAIN) } },
            { sort: { due_at: 1 }, returnDocument: 'after' },
          );
          if (!due) return;
          const outcome = await apply(due.project_id, due, { isDry: false, now });
          if (outcome.files > 0) {
            const { runs, results: count, files, bytes } = outcome;
            log.info({ project_id: due.project_id, runs, results: count, files, bytes }, 'old files deleted');
          }
          await rules.updateOne(
            // Unless the rule was changed meanwhile.
            { _id: due._id, updated_at: due.updated_at },
            { $set: { due_at: new Date(now.getTime() + DAY), last_round_at: now, last_outcome: outcome } },
          );
        }
      },
    };
  },
});

function nothing(): RetentionOutcome {
  return {
    runs: 0,
    results: 0,
    files: 0,
    bytes: 0,
    oldest: null,
    newest: null,
    kept: { current_value: 0, note: 0, issue: 0, exclusion: 0, knowledge_case: 0 },
  };
}

/** Bytes of all files below a directory. */
async function bytesBelow(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(path);
    else if (entry.isFile())
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}
