import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId, taskIdSchema } from '../../kernel/ids.ts';
import type { GivenValues, ValueOrigin } from '../chips/index.ts';
import type { TargetKind } from '../chips/model.ts';
import { activityId } from '../provenance/rules.ts';
import type { StoredParameters } from '../results/model.ts';
import type { Runs } from '../runs/index.ts';
import { createEditLists, editOf } from './edit-lists.ts';
import { createEditWriting, EDIT_TASK, type Editor } from './edit-writing.ts';
import type { EditDocument, EditParameters, ManualEdit, SavedEdit } from './model.ts';
import type { CatalogValue, KnownParameters } from './rules.ts';

export const editIndexes: CollectionIndexes = {
  collection: 'manual_edits',
  indexes: [
    { name: 'by_chip', key: { project_id: 1, chip_id: 1, edited_at: -1, edit_id: 1 } },
    { name: 'by_target', key: { project_id: 1, chip_id: 1, qid: 1, edited_at: -1, edit_id: 1 } },
  ],
};

interface Dependencies {
  db: Db;
  whileFree: Runs['whileFree'];
  /** The parameters that tasks of a project find or need. */
  known(projectId: ProjectId): Promise<KnownParameters>;
  /** Parameters of a target. @throws not_found */
  values(kind: TargetKind, projectId: ProjectId, chipId: string, qid: string): Promise<StoredParameters>;
  give(
    chip: { project_id: ProjectId; chip_id: string; kind: TargetKind },
    values: GivenValues,
    origin: ValueOrigin,
  ): Promise<void>;
}

/** Manual edits of values. Each stores the previous value, so that it can be undone. */
export function createParameterEdits({ db, whileFree, known, values, give }: Dependencies) {
  const edits = db.collection<EditDocument>(editIndexes.collection);
  const { write, newEdit } = createEditWriting({ edits, give });

  return {
    /**
     * Changes values of one target. They must be within the same bounds as measured values, and are recorded in provenance.
     * @throws not_found, invalid_parameters, project_busy while a run holds the project
     */
    async edit(projectId: ProjectId, by: Editor, wanted: EditParameters): Promise<SavedEdit> {
      const { chip_id, qid, parameters } = wanted;
      const target_type = qid.includes('-') ? 'coupling' : 'qubit';
      // Reports an unknown target first. The current values are read again under the lease, when no other process writes.
      await values(target_type, projectId, chip_id, qid);
      const all = await known(projectId);
      const numbers = inKnownUnits(all, target_type, parameters);
      all.assertValues(target_type, Object.fromEntries(numbers.map(({ name, value }) => [name, value])));
      return whileFree(
        projectId,
        'change the values',
        async (renew) => {
          const before = await values(target_type, projectId, chip_id, qid);
          const changes = numbers.map(({ name, value, unit, error }) => ({
            parameter_name: name,
            previous_value: before[name]?.value ?? null,
            value,
            unit,
            error,
            previous: before[name] ?? null,
          }));
          const reason = wanted.reason ?? '';
          const document = newEdit(
            projectId,
            { chip_id, qid, target_type, changes, reason, undo_of: null },
            by,
          );
          await write(document, before, { by, parameters: all, renew });
          return {
            ...editOf(document),
            updated_count: changes.length,
            provenance_activity_id: activityId(
              EDIT_TASK,
              document.edit_id,
              taskIdSchema.parse(document.edit_id),
            ),
          };
        },
        { chipId: chip_id },
      );
    },

    ...createEditLists({ edits, values }),

    /**
     * Undoes an edit: writes the previous values of its target as a new edit.
     * @throws not_found; conflict when it was already undone, its values have changed since, or it gave a target its first value;
     * project_busy
     */
    async undo(projectId: ProjectId, by: Editor, editId: string): Promise<ManualEdit> {
      const _id = keyOf(projectId, editId);
      const edit = await edits.findOne({ _id });
      if (!edit) throw new CalibronError('not_found', 'There is no such edit in this project.');
      const { chip_id, qid, target_type } = edit;
      return whileFree(
        projectId,
        'take the edit back',
        async (renew) => {
          const now = await values(target_type, projectId, chip_id, qid);
          const changed = edit.changes.filter(
            ({ parameter_name }) => now[parameter_name]?.task_id !== editId,
          );
          if (changed.length > 0) {
            const names = changed.map(({ parameter_name }) => parameter_name).join(', ');
            throw new CalibronError(
              'conflict',
              `${names} changed since this edit. Edit the values again instead.`,
            );
          }
          const changes = edit.changes.map(({ parameter_name, value, previous }) => {
            if (typeof previous?.value !== 'number') {
              throw new CalibronError(
                'conflict',
                `${parameter_name} had no value before this edit, so none comes back.`,
              );
            }
            const { unit, error = null } = previous;
            return {
              parameter_name,
              previous_value: value,
              value: previous.value,
              unit,
              error,
              previous: now[parameter_name] ?? null,
            };
          });
          // The first request to mark the edit undoes it; later ones are refused.
          const marked = await edits.updateOne(
            { _id, undone_at: null },
            { $set: { undone_by: by.username, undone_at: new Date() } },
          );
          if (marked.modifiedCount === 0)
            throw new CalibronError('conflict', 'This edit was undone already.');
          const of = { chip_id, qid, target_type, changes, reason: `Undo of ${editId}`, undo_of: editId };
          const document = newEdit(projectId, of, by);
          await write(document, now, { by, parameters: await known(projectId), renew });
          return editOf(document);
        },
        { chipId: chip_id },
      );
    },
  };
}

/** The values in the units of their parameters. @throws invalid_parameters for units that cannot be converted */
function inKnownUnits(
  known: KnownParameters,
  kind: TargetKind,
  parameters: EditParameters['parameters'],
): (CatalogValue & { name: string })[] {
  const read = Object.entries(parameters).map(([name, given]) => ({
    name,
    found: known.inUnit(kind, name, typeof given === 'number' ? { value: given, unit: null } : given),
  }));
  const problems = read.flatMap(({ found }) => (typeof found === 'string' ? [found] : []));
  if (problems.length > 0) throw new CalibronError('invalid_parameters', `${problems.join('. ')}.`);
  return read.flatMap(({ name, found }) => (typeof found === 'string' ? [] : [{ name, ...found }]));
}
