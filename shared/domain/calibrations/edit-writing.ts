import type { Collection } from 'mongodb';
import { executionIdSchema, keyOf, type ProjectId, taskIdSchema, type UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';
import type { GivenValues, ValueOrigin } from '../chips/index.ts';
import type { TargetKind } from '../chips/model.ts';
import type { StoredParameters } from '../results/model.ts';
import type { EditDocument } from './model.ts';
import type { KnownParameters } from './rules.ts';

/** Task name under which provenance shows manual edits. */
export const EDIT_TASK = 'ManualParameterEdit';

/** Who edits values. */
export type Editor = { _id: UserId; username: string };

/** Stores manual edits, and writes their values. */
export function createEditWriting({
  edits,
  give,
}: {
  edits: Collection<EditDocument>;
  /** Writes values to targets. */
  give(
    chip: { project_id: ProjectId; chip_id: string; kind: TargetKind },
    values: GivenValues,
    origin: ValueOrigin,
  ): Promise<void>;
}) {
  /** Stores an edit and writes its values to the target. */
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

  /** A new edit as it is stored. */
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

  return { write, newEdit };
}
