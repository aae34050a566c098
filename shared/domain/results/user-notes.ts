import type { Collection } from 'mongodb';
import { keyOf } from '../../kernel/ids.ts';
import type { TaskResultDocument } from './model.ts';

type UserNote = NonNullable<TaskResultDocument['user_note']>;

/** What people write about task results. */
export function createUserNotes(tasks: Collection<TaskResultDocument>) {
  return {
    async setUserNote(projectId: string, taskId: string, note: UserNote): Promise<void> {
      await tasks.updateOne({ _id: keyOf(projectId, taskId) }, { $set: { user_note: note } });
    },

    /** Task results of a chip that have a note, the note written last first. */
    withUserNote(
      projectId: string,
      chipId: string,
      limit: number,
    ): Promise<Pick<TaskResultDocument, 'task_id' | 'qid' | 'user_note'>[]> {
      return tasks
        .find({ project_id: projectId, chip_id: chipId, 'user_note.updated_at': { $gt: '' } })
        .sort({ 'user_note.updated_at': -1, task_id: 1 })
        .limit(limit)
        .project<Pick<TaskResultDocument, 'task_id' | 'qid' | 'user_note'>>({
          _id: 0,
          task_id: 1,
          qid: 1,
          user_note: 1,
        })
        .toArray();
    },
  };
}
