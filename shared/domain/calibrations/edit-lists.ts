import type { Collection } from 'mongodb';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { TargetKind } from '../chips/model.ts';
import type { StoredParameters } from '../results/model.ts';
import type { EditDocument, ManualEdit, TargetEdits } from './model.ts';

/** Maximum number of edits of one target in the list without paging. */
const MAX_TARGET_EDITS = 200;

/** An edit as clients see it. */
export function editOf({
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

/** Queries for manual edits of values. */
export function createEditLists({
  edits,
  values,
}: {
  /** Parameters of a target. @throws not_found */
  values(kind: TargetKind, projectId: ProjectId, chipId: string, qid: string): Promise<StoredParameters>;
  edits: Collection<EditDocument>;
}) {
  return {
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
