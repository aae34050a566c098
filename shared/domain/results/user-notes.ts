import type { Collection } from 'mongodb';
import { keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { revised } from './changes.ts';
import type { TaskResultDocument } from './model.ts';

type UserNote = NonNullable<TaskResultDocument['user_note']>;

/** A result with the notes of users and reviews. */
type NotedResult = Pick<TaskResultDocument, 'task_id' | 'qid' | 'user_note' | 'ai_review_note'>;

/** Users' notes on task results. */
export function createUserNotes(tasks: Collection<TaskResultDocument>) {
  return {
    /**
     * @param expected the stored note required for the write
     * @returns whether it was written
     */
    async setUserNote(
      { projectId, taskId }: { projectId: ProjectId; taskId: TaskId },
      note: UserNote,
      expected?: UserNote,
    ): Promise<boolean> {
      const condition = expected && {
        'user_note.content': expected.content,
        'user_note.updated_by': expected.updated_by,
        'user_note.updated_at': expected.updated_at,
      };
      const written = await tasks.updateOne(
        { _id: keyOf(projectId, taskId), ...condition },
        revised({ $set: { user_note: note } }),
      );
      return written.matchedCount === 1;
    },

    /** Task results of a chip with a user's or a review's note, the last edited note first. */
    async withNote(projectId: ProjectId, chipId: string, limit: number): Promise<NotedResult[]> {
      const withTime = (field: 'user_note' | 'ai_review_note') =>
        tasks
          .find({ project_id: projectId, chip_id: chipId, [`${field}.updated_at`]: { $gt: '' } })
          .sort({ [`${field}.updated_at`]: -1, task_id: 1 })
          .limit(limit)
          .project<NotedResult>({ _id: 0, task_id: 1, qid: 1, user_note: 1, ai_review_note: 1 })
          .toArray();
      const found = [...(await withTime('user_note')), ...(await withTime('ai_review_note'))];
      const each = [...new Map(found.map((result) => [result.task_id, result])).values()];
      const writtenAt = ({ user_note, ai_review_note }: NotedResult) =>
        [user_note?.updated_at ?? '', ai_review_note?.updated_at ?? ''].sort()[1] ?? '';
      return each.sort((a, b) => (writtenAt(a) > writtenAt(b) ? -1 : 1)).slice(0, limit);
    },
  };
}
