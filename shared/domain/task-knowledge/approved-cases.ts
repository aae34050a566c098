import type { ProjectId } from '../../kernel/ids.ts';
import { CASES_OF_TASK, type KnowledgeCases } from '../knowledge-cases/index.ts';
import type { KnowledgeCaseDocument } from '../knowledge-cases/model.ts';
import { casePage } from '../knowledge-cases/page-rules.ts';
import { knowledgeCaseOf } from '../knowledge-cases/wire.ts';
import type { CasePicture, createCasePictures } from './case-pictures.ts';
import type { KnowledgeCase } from './model.ts';

/** An approved case, with its text for the page of its task. */
export interface ApprovedCase {
  shown: KnowledgeCase;
  text: string;
}

/** A project's approved cases as part of the knowledge about a task. */
export function createApprovedCases(needs: {
  knowledgeCases: Pick<KnowledgeCases, 'approvedOf' | 'approvedIds'>;
  picturesOf: ReturnType<typeof createCasePictures>;
}) {
  const { knowledgeCases, picturesOf } = needs;

  return {
    /** Number of cases that `ofTask` returns for each task, without those that have pages. */
    async counted(projectId: ProjectId): Promise<(taskName: string, onPages: readonly string[]) => number> {
      const byTask = await knowledgeCases.approvedIds(projectId);
      return (taskName, onPages) => {
        const ids = byTask.get(taskName) ?? [];
        return Math.min(ids.filter((id) => !onPages.includes(id)).length, CASES_OF_TASK);
      };
    },

    /**
     * The newest cases of a task except those with pages; as many as `counted` returns.
     * @param room maximum bytes of all their pictures; the newest cases come first
     */
    async ofTask(
      projectId: ProjectId,
      taskName: string,
      onPages: readonly string[],
      room: number,
    ): Promise<ApprovedCase[]> {
      const approved: ApprovedCase[] = [];
      let left = room;
      for (const stored of await knowledgeCases.approvedOf(projectId, taskName, onPages)) {
        const pictures = await picturesOf(stored, left);
        left -= pictures.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
        approved.push({ shown: caseOf(stored, pictures), text: casePage(knowledgeCaseOf(stored), 3) });
      }
      return approved;
    },
  };
}

function caseOf(stored: KnowledgeCaseDocument, pictures: readonly CasePicture[]): KnowledgeCase {
  const alt_text = stored.title.replace(/[[\]\s]+/g, ' ').trim();
  const { title, date, severity, chip_id, qid, resolution_label, ...rest } = knowledgeCaseOf(stored);
  return {
    title,
    date,
    severity,
    chip_id,
    qid,
    status: rest.resolution_status,
    human_label: rest.human_label,
    failure_mode_labels: rest.failure_mode_labels,
    case_type: rest.case_type,
    model_error_type: rest.model_error_type,
    resolution_label,
    symptom: rest.symptom,
    model_prediction: rest.model_prediction,
    human_review_decision: rest.human_review_decision,
    root_cause: rest.root_cause,
    resolution: rest.resolution,
    boundary_criteria: rest.boundary_criteria,
    lesson_learned: rest.lesson_learned,
    applicability: rest.applicability,
    counterexample: rest.counterexample,
    prompt_guidance: rest.prompt_guidance,
    images: pictures.map(({ address, content }) => ({
      alt_text,
      relative_path: address,
      section: 'case',
      base64_data: content?.toString('base64') ?? '',
    })),
  };
}
