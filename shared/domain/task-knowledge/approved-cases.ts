import { CalibronError } from '../../kernel/errors.ts';
import type { Artifacts } from '../artifacts/index.ts';
import { CASES_OF_TASK, type KnowledgeCases } from '../knowledge-cases/index.ts';
import type { KnowledgeCaseDocument } from '../knowledge-cases/model.ts';
import { casePage } from '../knowledge-cases/page-rules.ts';
import { knowledgeCaseOf } from '../knowledge-cases/wire.ts';
import type { KnowledgeCase, KnowledgeImage } from './model.ts';

/** Bytes of one picture of a case, and of all that travel with a task. */
const MAX_IMAGE_BYTES = 1024 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;

/** An approved case, and its text for the page of its task. */
export interface ApprovedCase {
  shown: KnowledgeCase;
  text: string;
}

/** Approved cases of a project as parts of what is known of a task. */
export function createApprovedCases(needs: {
  knowledgeCases: Pick<KnowledgeCases, 'approvedOf' | 'approvedIds'>;
  artifacts: Pick<Artifacts, 'open'>;
}) {
  const { knowledgeCases, artifacts } = needs;

  /** A figure of the project's own calibration data; empty when it is gone, too large or another project's. */
  async function figure(project: string, path: string, room: number): Promise<string> {
    try {
      const { handle, size } = await artifacts.open(path, { kinds: ['.png'], project });
      try {
        return size <= Math.min(room, MAX_IMAGE_BYTES) ? (await handle.readFile()).toString('base64') : '';
      } finally {
        await handle.close();
      }
    } catch (thrown) {
      if (thrown instanceof CalibronError) return '';
      throw thrown;
    }
  }

  async function imagesOf(stored: KnowledgeCaseDocument, room: number): Promise<KnowledgeImage[]> {
    const alt_text = stored.title.replace(/[[\]\s]+/g, ' ').trim();
    const images: KnowledgeImage[] = [];
    let left = room;
    for (const path of stored.figure_paths) {
      const base64_data = await figure(stored.project_id, path, left);
      left -= base64_data.length;
      images.push({ alt_text, relative_path: path, section: 'case', base64_data });
    }
    const inThread = stored.thread_image_urls.map((url) => ({
      alt_text,
      relative_path: url,
      section: 'case',
      base64_data: '',
    }));
    return [...images, ...inThread];
  }

  return {
    /** How many cases `ofTask` gives of each task; without some that have pages. */
    async counted(projectId: string): Promise<(taskName: string, onPages: readonly string[]) => number> {
      const byTask = await knowledgeCases.approvedIds(projectId);
      return (taskName, onPages) => {
        const ids = byTask.get(taskName) ?? [];
        return Math.min(ids.filter((id) => !onPages.includes(id)).length, CASES_OF_TASK);
      };
    },

    /** The newest cases of a task, but those whose page is there already; as many as `counted` says. */
    async ofTask(projectId: string, taskName: string, onPages: readonly string[]): Promise<ApprovedCase[]> {
      const approved: ApprovedCase[] = [];
      let room = MAX_BYTES;
      for (const stored of await knowledgeCases.approvedOf(projectId, taskName, onPages)) {
        const images = await imagesOf(stored, room);
        room -= images.reduce((sum, { base64_data }) => sum + base64_data.length, 0);
        approved.push({ shown: caseOf(stored, images), text: casePage(knowledgeCaseOf(stored), 3) });
      }
      return approved;
    },
  };
}

function caseOf(stored: KnowledgeCaseDocument, images: KnowledgeImage[]): KnowledgeCase {
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
    images,
  };
}
