import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { executionIdSchema, keyOf, type ProjectId, taskIdSchema, type UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { GivenValues, ValueOrigin } from '../chips/index.ts';
import type { TargetKind } from '../chips/model.ts';
import { activityId } from '../provenance/rules.ts';
import type { StoredParameters } from '../results/model.ts';
import type { Runs } from '../runs/index.ts';
import type { EditDocument, EditParameters, ManualEdit, SavedEdit, TargetEdits } from './model.ts';
import type { CatalogValue, KnownParameters } from './rules.ts';

export const editIndexes: CollectionIndexes = {
  collection: 'manual_edits',
  indexes: [
    { name: 'by_chip', key: { project_id: 1, chip_id: 1, edited_at: -1, edit_id: 1 } },
    { name: 'by_target', key: { project_id: 1, chip_id: 1, qid: 1, edited_at: -1, edit_id: 1 } },
  ],
};

/** Task name under which provenance shows manual edits. */
const EDIT_TASK = 'ManualParameterEdit';
/** Maximum number of edits of one target in the list without paging. */
const MAX_TARGET_EDITS = 200;

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

type Editor = { _id: UserId; username: string };

/** Manual edits of values. Each stores the previous value, so that it can be undone. */
export function createParameterEdits({ db, whileFree, known, values, give }: Dependencies) {
  const edits = db.collection<EditDocument>(editIndexes.collection);

  async function write(
    document: EditDocument,
    before: StoredParameters,
    { by, parameters, renew }: { by: Editor; parameters: KnownParameters; renew(): Promise<void> },
  ): Promise<void> {
    const { project_id, chip_id, target_type, qid, edit_id } = document;
    const given = document.changes.map(({ parameter_name, value, unit, error }) => {
      const { valueType = 'float', description = '' } = parameters.find(target_type, parameter_name) ?? {};
      const value_type = before[parameter_name]?.value_type || valueType;
      return [parameter_name, { value, unit, error, value_type, description }] as const;
    });
    await insertNew(edits, document);
    const origin = {
      task_name: EDIT_TASK,
      execution_id: edit_id,
      taskId: () => taskIdSchema.parse(edit_id),
      agent: { user_id: by._id, username: by.username },
      renew,
    };
    await give(
      { project_id, chip_id, kind: target_type },
      new Map([[qid, Object.fromEntries(given)]]),
      origin,
    );
  }

  function newEdit(
    projectId: ProjectId,
    of: Pick<EditDocument, 'chip_id' | 'qid' | 'target_type' | 'changes' | 'reason' | 'undo_of'>,
    by: Editor,
  ): EditDocument {
    const edit_id = executionIdSchema.parse(`manual-edit-${newId().replaceAll('-', '').slice(0, 8)}`);
    return {
      _id: keyOf(projectId, edit_id),
      project_id: projectId,
      edit_id,
      ...of,
      edited_by: by.username,
      edited_at: new Date(),
      undone_by: null,
      undone_at: null,
    };
  }

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

    /** The reason of an edit; null if the id is unknown, '' if no reason was given. */
    async reasonOf(projectId: ProjectId, editId: string): Promise<string | null> {
      const edit = await edits.findOne(
        { _id: keyOf(projectId, editId) },
        { projection: { _id: 0, reason: 1 } },
      );
      return edit?.reason ?? null;
    },

    /** The newest edits of one target, one entry per parameter. @throws not_found */
    async ofTarget(projectId: ProjectId, chipId: string, qid: string): Promise<TargetEdits> {
      await values(qid.includes('-') ? 'coupling' : 'qubit', projectId, chipId, qid);
      const found = await edits
        .find({ project_id: projectId, chip_id: chipId, qid })
        .sort({ edited_at: -1, edit_id: 1 })
        .limit(MAX_TARGET_EDITS)
        .toArray();
      return {
        qid,
        edits: found.flatMap(({ edit_id, edited_at, changes }) =>
          changes.map(({ parameter_name, value, unit }) => ({
            parameter_name,
            value,
            unit,
            edited_at: isoTime(edited_at),
            execution_id: edit_id,
          })),
        ),
      };
    },

    /** A page of the edits of a chip, or of one target, newest first. */
    async list(
      projectId: ProjectId,
      {
        chip_id,
        qid,
        skip,
        limit,
      }: { chip_id: string; qid?: string | undefined; skip: number; limit: number },
    ) {
      const filter = { project_id: projectId, chip_id, ...(qid === undefined ? {} : { qid }) };
      const [items, total] = await Promise.all([
        edits.find(filter).sort({ edited_at: -1, edit_id: 1 }).skip(skip).limit(limit).toArray(),
        edits.countDocuments(filter),
      ]);
      return { items: items.map(editOf), total, skip, limit };
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

function editOf({
  _id,
  project_id: _project,
  edited_at,
  undone_at,
  changes,
  ...edit
}: EditDocument): ManualEdit {
  return {
    ...edit,
    changes: changes.map(({ previous: _previous, ...change }) => change),
    edited_at: isoTime(edited_at),
    undone_at: isoTimeOrNull(undone_at),
  };
}
