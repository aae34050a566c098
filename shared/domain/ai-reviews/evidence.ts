import { buffer } from 'node:stream/consumers';
import { isError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { type Figure, figure as figureSchema } from '../../science/figures/model.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Chips } from '../chips/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { TaskKnowledgePages } from '../task-knowledge/index.ts';
import type { TaskKnowledge } from '../task-knowledge/model.ts';

/** Maximum size in bytes of a picture or figure in a review. */
const FIGURE_LIMIT = 5 * 1024 * 1024;
/** Maximum number and age in days of the earlier results that a value is compared with. */
const EARLIER = 20;
const EARLIER_DAYS = 90;

/** A picture and what it shows. */
export interface NamedPicture {
  name: string;
  content: Uint8Array;
}

export interface EvidenceDependencies {
  artifacts: Pick<Artifacts, 'open'>;
  chips: Pick<Chips, 'readTarget'>;
  results: Pick<TaskResultStore, 'outputHistory'>;
  taskKnowledge: TaskKnowledgePages;
}

/** Evidence for judging a result: files, calibration state and history of its own project, and the knowledge about its task. */
export function createEvidence({ artifacts, chips, results, taskKnowledge }: EvidenceDependencies) {
  /** A file of the result's own project; null if it no longer exists or is too large. */
  async function fileOf(projectId: ProjectId, path: string, kind: string): Promise<Buffer | null> {
    try {
      const file = await artifacts.open(path, { kinds: [kind], project: projectId });
      if (file.size <= FIGURE_LIMIT) return await buffer(file.content());
      await file.handle.close();
      return null;
    } catch (thrown) {
      if (isError(thrown, 'not_found')) return null;
      throw thrown;
    }
  }

  return {
    /** The first readable figure of a result; marked figures come first. */
    async figure({ project_id, json_figure_path }: TaskResultDocument): Promise<Figure | null> {
      for (const path of json_figure_path) {
        const text = await fileOf(project_id, path, '.json');
        const read = text && figureSchema.safeParse(parsed(text.toString('utf8')));
        if (read?.success) return read.data;
      }
      return null;
    },

    /** Pictures of a result, named by what they show. */
    async pictures({ project_id, figure_path }: TaskResultDocument): Promise<NamedPicture[]> {
      const pictures: NamedPicture[] = [];
      for (const path of figure_path) {
        const content = await fileOf(project_id, path, '.png');
        const name = /_raw_\d+\.png$/.test(path)
          ? 'raw'
          : /_marked_\d+\.png$/.test(path)
            ? 'marked'
            : 'supporting';
        if (content) pictures.push({ name: `${name} figure of the result`, content });
      }
      return pictures;
    },

    /** Earlier values of each output on the same target, newest first. */
    async history(result: TaskResultDocument): Promise<Record<string, number[]>> {
      const { project_id, chip_id, qid, task_id, created_at } = result;
      const since = new Date(created_at.getTime() - EARLIER_DAYS * 86_400_000);
      const entries = await Promise.all(
        Object.keys(result.output_parameters).map(async (parameter) => {
          const found = await results.outputHistory(
            project_id,
            chip_id,
            { parameter, qid },
            { since, limit: EARLIER + 1, skip: 0 },
          );
          const earlier = found.flatMap((row) => {
            const value = row.output_parameters[parameter]?.value;
            const counts = row.task_id !== task_id && row.excluded !== true && row.name === result.name;
            return counts && typeof value === 'number' && row.created_at <= created_at ? [value] : [];
          });
          return [parameter, earlier.slice(0, EARLIER)] as const;
        }),
      );
      return Object.fromEntries(entries);
    },

    /** Calibration state of the target; empty for tasks of a whole chip. */
    async current({ project_id, chip_id, qid, task_type }: TaskResultDocument) {
      if (task_type !== 'qubit' && task_type !== 'coupling') return {};
      try {
        return (await chips.readTarget(task_type, project_id, chip_id, qid)).data;
      } catch (thrown) {
        if (isError(thrown, 'not_found')) return {};
        throw thrown;
      }
    },

    /** The knowledge about a task, its version, and up to `pictures` pictures of expected results. */
    async knowledge(
      { name: taskName, project_id }: Pick<TaskResultDocument, 'name' | 'project_id'>,
      pictures: number,
    ) {
      const known = await knowledgeOf(taskKnowledge, taskName, project_id);
      const text = known
        ? [known.review_prompt_text, ...known.cases.map(({ prompt_guidance }) => prompt_guidance)].join('\n')
        : taskName;
      const expected = [...(known?.images ?? []), ...(known?.review_images ?? [])]
        .filter(({ base64_data }) => base64_data !== '')
        .slice(0, pictures)
        .map(
          ({ base64_data, alt_text }): NamedPicture => ({
            name: `reference, what is expected: ${alt_text.slice(0, 80).replace(/[^\p{L}\p{N} .,-]/gu, ' ')}`,
            content: Buffer.from(base64_data, 'base64'),
          }),
        );
      return { text, version: sha256(text), expected };
    },
  };
}

/** Includes cases of this project only; other projects' cases are not shown. */
async function knowledgeOf(
  pages: TaskKnowledgePages,
  taskName: string,
  projectId: ProjectId,
): Promise<TaskKnowledge | null> {
  try {
    // Pictures of cases are not shown to models.
    return await pages.read(taskName, projectId, 0);
  } catch (thrown) {
    if (isError(thrown, 'not_found')) return null;
    throw thrown;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
