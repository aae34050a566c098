import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import { entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { Actor } from '../accounts/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { NoteEvents } from './events.ts';
import type { Note } from './model.ts';

/** Users' notes on task results. */
export function createTaskNotes(results: Pick<TaskResultStore, 'get' | 'setUserNote'>, events: NoteEvents) {
  async function mustFind(projectId: ProjectId, taskId: TaskId): Promise<TaskResultDocument> {
    const found = await results.get(projectId, taskId);
    if (!found) throw new CalibronError('not_found', 'There is no such task result in this project.');
    return found;
  }

  async function write(
    task: TaskResultDocument,
    { action, content, actor }: { action: 'upsert' | 'delete'; content: string; actor: Actor },
    precondition?: Precondition,
  ): Promise<Note> {
    const at = new Date();
    const note = { content, updated_by: actor.username, updated_at: at.toISOString() };
    const { project_id, task_id } = task;
    const place = { projectId: project_id, taskId: task_id };
    await saveIfMet(precondition, {
      read: async () => (await mustFind(project_id, task_id)).user_note ?? null,
      tagOf: (current) => (current && current.updated_at !== null ? entityTagOf(current) : null),
      write: async (expected) => (await results.setUserNote(place, note, expected ?? undefined)) || null,
    });
    await events.add(
      {
        project_id: task.project_id,
        chip_id: task.chip_id,
        scope: 'task_result',
        target_id: task.task_id,
        metric_key: '',
        action,
        content,
        extra: { qid: task.qid, task_name: task.name },
      },
      actor,
      at,
    );
    return note;
  }

  function written(task: TaskResultDocument): Note {
    const { user_note } = task;
    if (!user_note || user_note.updated_at === null) {
      throw new CalibronError('not_found', 'This task result has no note.');
    }
    return user_note;
  }

  return {
    /** @throws not_found for an unknown task, or if it has no note */
    async read(projectId: ProjectId, taskId: TaskId): Promise<Note> {
      return written(await mustFind(projectId, taskId));
    },

    /** @throws not_found, precondition_failed */
    async put(
      { projectId, taskId }: { projectId: ProjectId; taskId: TaskId },
      content: string,
      actor: Actor,
      precondition?: Precondition,
    ): Promise<Note> {
      return write(await mustFind(projectId, taskId), { action: 'upsert', content, actor }, precondition);
    },

    /**
     * Clears the note, which keeps its time.
     * @throws not_found for an unknown task, or if it has no note; precondition_failed
     */
    async remove(
      projectId: ProjectId,
      taskId: TaskId,
      actor: Actor,
      precondition?: Precondition,
    ): Promise<void> {
      const task = await mustFind(projectId, taskId);
      written(task);
      await write(task, { action: 'delete', content: '', actor }, precondition);
    },
  };
}
