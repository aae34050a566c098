import { randomBytes } from 'node:crypto';
import { type CollectionIndexes, type Db, isDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import { isoTime } from '../../kernel/time.ts';
import type { Actor } from '../accounts/model.ts';
import { createCaseLists } from './case-lists.ts';
import type { CaseChange, KnowledgeCase, KnowledgeCaseDocument, NewCase } from './model.ts';
import { shownCaseOf } from './wire.ts';

export const knowledgeCaseIndexes: CollectionIndexes = {
  collection: 'knowledge_cases',
  indexes: [
    { name: 'by_case', key: { project_id: 1, case_id: 1 }, unique: true },
    { name: 'by_chip', key: { project_id: 1, chip_id: 1 } },
    { name: 'by_issue', key: { project_id: 1, issue_id: 1, number: -1 } },
    { name: 'by_time', key: { project_id: 1, created_at: -1, case_id: 1 } },
    { name: 'by_status', key: { project_id: 1, status: 1, created_at: -1, case_id: 1 } },
    { name: 'by_task', key: { project_id: 1, task_name: 1, created_at: -1, case_id: 1 } },
    {
      name: 'by_status_of_task',
      key: { project_id: 1, status: 1, task_name: 1, created_at: -1, case_id: 1 },
    },
  ],
};

/** Maximum number of attempts if other processes change the cases of the same issue concurrently. */
const DRAFT_ATTEMPTS = 20;
export type KnowledgeCaseStore = ReturnType<typeof createKnowledgeCaseStore>;

/** Knowledge cases. `root`: of the calibration data. */
export function createKnowledgeCaseStore(db: Db, root: string) {
  const cases = db.collection<KnowledgeCaseDocument>(knowledgeCaseIndexes.collection);
  /** One case. @throws not_found */
  async function mustFind(projectId: ProjectId, caseId: string): Promise<KnowledgeCaseDocument> {
    const found = await cases.findOne({ project_id: projectId, case_id: caseId });
    if (!found) throw new CalibronError('not_found', 'There is no such knowledge case in this project.');
    return found;
  }

  /** Changes a case that is still a draft. @throws not_found, bad_request if it is not a draft */
  async function changeDraft(
    projectId: ProjectId,
    caseId: string,
    fields: Partial<KnowledgeCaseDocument>,
  ): Promise<KnowledgeCaseDocument> {
    const changed = await cases.findOneAndUpdate(
      { project_id: projectId, case_id: caseId, status: 'draft' },
      { $set: { ...fields, updated_at: new Date() } },
      { returnDocument: 'after' },
    );
    if (changed) return changed;
    const { status } = await mustFind(projectId, caseId);
    throw new CalibronError(
      'bad_request',
      `This case is ${status}; only a draft can be changed, approved or rejected. Extract the issue again for another draft.`,
    );
  }

  async function review(
    projectId: ProjectId,
    caseId: string,
    status: 'approved' | 'rejected',
    { user_id, username }: Actor,
  ): Promise<KnowledgeCase> {
    const reviewed = { reviewed_by_user_id: user_id, reviewed_by: username, reviewed_at: new Date() };
    return shownCaseOf(root, await changeDraft(projectId, caseId, { status, ...reviewed }));
  }

  return {
    ...createCaseLists(cases, root),

    mustFind,

    /** One case. @throws not_found */
    async read(projectId: ProjectId, caseId: string): Promise<KnowledgeCase> {
      return shownCaseOf(root, await mustFind(projectId, caseId));
    },

    /** Stores a draft of an issue in place of its earlier draft; reviewed cases are kept. */
    async putDraft(projectId: ProjectId, extracted: NewCase): Promise<KnowledgeCase> {
      for (let attempt = 0; attempt < DRAFT_ATTEMPTS; attempt += 1) {
        const [last] = await cases
          .find({ project_id: projectId, issue_id: extracted.issue_id })
          .sort({ number: -1 })
          .limit(1)
          .toArray();
        const number = last === undefined ? 1 : last.status === 'draft' ? last.number : last.number + 1;
        const now = new Date();
        const draft: KnowledgeCaseDocument = {
          _id: keyOf(projectId, extracted.issue_id, number),
          project_id: projectId,
          number,
          case_id: randomBytes(12).toString('hex'),
          ...extracted,
          status: 'draft',
          date: isoTime(now).slice(0, 10),
          reviewed_by_user_id: null,
          reviewed_by: null,
          reviewed_at: null,
          pr_url: null,
          created_at: now,
          updated_at: now,
        };
        const { _id, ...content } = draft;
        try {
          await repeatLost(() =>
            cases.updateOne({ _id, status: 'draft' }, { $set: content }, { upsert: true }),
          );
          return shownCaseOf(root, draft);
        } catch (thrown) {
          // The draft with this number was reviewed meanwhile.
          if (!isDuplicateKey(thrown)) throw thrown;
        }
      }
      throw new CalibronError('conflict', 'Too many requests extract this issue at the moment; try again.');
    },

    /** Changes the given parts of a draft. @throws not_found, bad_request */
    async change(projectId: ProjectId, caseId: string, change: CaseChange): Promise<KnowledgeCase> {
      const given = Object.entries(change).filter(([, value]) => value !== null && value !== undefined);
      return shownCaseOf(root, await changeDraft(projectId, caseId, Object.fromEntries(given)));
    },

    /** Approves a draft: from now on the case counts as knowledge. @throws not_found, bad_request */
    approve: (projectId: ProjectId, caseId: string, actor: Actor) =>
      review(projectId, caseId, 'approved', actor),

    /** @throws not_found, bad_request */
    reject: (projectId: ProjectId, caseId: string, actor: Actor) =>
      review(projectId, caseId, 'rejected', actor),

    /** Stores the address of an exported case's review. */
    async noteAddress(projectId: ProjectId, caseId: string, pr_url: string | null): Promise<void> {
      await cases.updateOne({ project_id: projectId, case_id: caseId }, { $set: { pr_url } });
    },

    /** Removes a case, whatever its status. @throws not_found */
    async remove(projectId: ProjectId, caseId: string): Promise<void> {
      const found = await mustFind(projectId, caseId);
      await cases.deleteOne({ _id: found._id, case_id: caseId });
    },
  };
}
