import { randomBytes } from 'node:crypto';
import type { Db } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import type { NoteEvents } from './events.ts';
import type { ChipPlace, Comment, CommentDocument, NoteScope, NoteTarget, ScopeQuery } from './model.ts';
import { isShownIn } from './scope-rules.ts';
import type { Scopes } from './scopes.ts';
import { commentOf } from './wire.ts';

/** A user who may change comments of other authors. */
interface Editor extends Actor {
  isAdministrator: boolean;
}

interface TargetComment {
  target: NoteTarget;
  commentId: string;
}

/** Comments below the notes of targets. Each is a record of its own, so that concurrent writes do not overwrite each other. */
export function createComments(db: Db, needs: { chips: Chips; scopes: Scopes; events: NoteEvents }) {
  const { chips, scopes, events } = needs;
  const comments = db.collection<CommentDocument>('note_comments');

  async function note(
    stored: CommentDocument,
    { action, content }: { action: 'upsert' | 'delete'; content: string },
    actor: Actor,
    at: Date,
  ): Promise<void> {
    await events.add(
      {
        project_id: stored.project_id,
        chip_id: stored.chip_id,
        scope: stored.target_type,
        target_id: stored.target_id,
        metric_key: '',
        action,
        content,
        extra: {
          kind: 'comment',
          comment_id: stored.comment_id,
          scope_key: stored.scope_key,
          scope_type: stored.scope_type,
          cooldown_id: stored.cooldown_id ?? '',
        },
      },
      actor,
      at,
    );
  }

  /** The comment to change, after a permission check. @throws not_found, forbidden */
  async function ownComment(
    { projectId, chipId }: ChipPlace,
    { target, commentId }: TargetComment,
    editor: Editor,
  ): Promise<CommentDocument> {
    await chips.readTarget(target.kind, projectId, chipId, target.qid);
    const found = await comments.findOne({ _id: keyOf(projectId, commentId) });
    const isOfTarget =
      found?.chip_id === chipId && found.target_type === target.kind && found.target_id === target.qid;
    if (!found || !isOfTarget) throw unknownComment(target);
    if (found.created_by_user_id !== editor.user_id && !editor.isAdministrator) {
      throw new CalibronError('forbidden', 'Only its author may change a comment.');
    }
    return found;
  }

  return {
    /** Adds a comment to a target. @throws not_found for an unknown chip, target or cool-down */
    async create(
      place: ChipPlace,
      target: NoteTarget,
      query: ScopeQuery,
      { content, actor }: { content: string; actor: Actor },
    ): Promise<Comment> {
      const { projectId, chipId } = place;
      const scope = await scopes.resolve(place, query);
      await chips.readTarget(target.kind, projectId, chipId, target.qid);
      const at = new Date();
      const comment_id = randomBytes(16).toString('hex');
      const document: CommentDocument = {
        _id: keyOf(projectId, comment_id),
        project_id: projectId,
        chip_id: chipId,
        target_type: target.kind,
        target_id: target.qid,
        comment_id,
        content,
        created_by_user_id: actor.user_id,
        created_by: actor.username,
        created_at: at,
        updated_by: actor.username,
        updated_at: null,
        ...scope,
      };
      await insertNew(comments, document);
      await note(document, { action: 'upsert', content }, actor, at);
      return commentOf(document);
    },

    /**
     * Changes a comment, even if the chip is in another cool-down by now.
     * @throws not_found, forbidden, precondition_failed when it has changed since the caller read it
     */
    async change(
      place: ChipPlace,
      which: TargetComment,
      { content, precondition }: { content: string; precondition?: Precondition | undefined },
      editor: Editor,
    ): Promise<Comment> {
      const { _id } = await ownComment(place, which, editor);
      const at = new Date();
      const after = await saveIfMet(precondition, {
        read: () => ownComment(place, which, editor),
        tagOf: tagOfComment,
        write: (expected) =>
          comments.findOneAndUpdate(
            { _id, ...(expected && shownFieldsOf(expected)) },
            { $set: { content, updated_by: editor.username, updated_at: at } },
            { returnDocument: 'after' },
          ),
      });
      if (!after) throw unknownComment(which.target);
      await note(after, { action: 'upsert', content }, editor, at);
      return commentOf(after);
    },

    /** @throws not_found, forbidden, precondition_failed when it has changed since the caller read it */
    async remove(
      place: ChipPlace,
      which: TargetComment,
      editor: Editor,
      precondition?: Precondition,
    ): Promise<void> {
      const { _id } = await ownComment(place, which, editor);
      const removed = await saveIfMet(precondition, {
        read: () => ownComment(place, which, editor),
        tagOf: tagOfComment,
        write: (expected) => comments.findOneAndDelete({ _id, ...(expected && shownFieldsOf(expected)) }),
      });
      if (removed) await note(removed, { action: 'delete', content: '' }, editor, new Date());
    },

    /** All comments on targets of a chip that are displayed in a scope, oldest first. */
    async shownIn(projectId: string, chipId: string, scope: NoteScope): Promise<CommentDocument[]> {
      const found = await comments
        .find({ project_id: projectId, chip_id: chipId })
        .sort({ created_at: 1, comment_id: 1 })
        .toArray();
      return found.filter((each) => isShownIn(scope, each));
    },
  };
}

function tagOfComment(stored: CommentDocument): string {
  return entityTagOf(commentOf(stored));
}

/** Filter: a comment whose fields have not changed since its callers read them. */
function shownFieldsOf({ content, updated_by, updated_at }: CommentDocument) {
  return { content, updated_by, updated_at };
}

function unknownComment({ kind }: NoteTarget): CalibronError {
  return new CalibronError('not_found', `There is no such comment on this ${kind}.`);
}
