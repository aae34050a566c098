import { fileURLToPath } from 'node:url';
import { defineArea, type Kernel } from '../../kernel/area.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Configuration } from '../configuration/index.ts';
import type { ConfigurationSettings } from '../configuration/settings.ts';
import type { Images } from '../images/index.ts';
import type { KnowledgeCases } from '../knowledge-cases/index.ts';
import { type ApprovedCase, createApprovedCases } from './approved-cases.ts';
import { createCaseExport } from './case-export.ts';
import { createCasePictures } from './case-pictures.ts';
import { createExpectedFigures } from './expected-figures.ts';
import type { KnowledgeImage, TaskKnowledge, TaskKnowledgeList } from './model.ts';
import { promptText, withInlinedImages } from './page-rules.ts';
import { createPages, dataUriOf, type KnownTask, mediaTypeOf } from './pages.ts';
import { KNOWLEDGE_CATEGORIES, MAX_PICTURES_BYTES } from './rules.ts';
import type { TaskKnowledgeSettings } from './settings.ts';

interface Needs extends Kernel<TaskKnowledgeSettings & ConfigurationSettings> {
  configuration: Pick<Configuration, 'repository'>;
  knowledgeCases: KnowledgeCases;
  artifacts: Artifacts;
  images: Pick<Images, 'ofProject'>;
}

export type TaskKnowledgePages = ReturnType<typeof taskKnowledge.create>;

/**
 * Knowledge about tasks: shipped pages, pages that a lab adds to its configuration, and a project's approved cases. A
 * project's cases are never shown to other projects.
 */
export const taskKnowledge = defineArea({
  name: 'taskKnowledge',
  indexes: [],
  create({ engine, log, settings, configuration, knowledgeCases, artifacts, images }: Needs) {
    const folders = [settings.CONFIG_PATH, fileURLToPath(new URL('config', packageRoot))].map(
      (root) => `${root}/task-knowledge`,
    );
    const [, shipped = ''] = folders;
    const program = new URL('scripts/expected-figures.ts', packageRoot);
    const figures = createExpectedFigures({ folder: shipped, program, log });
    const readPages = createPages(folders);
    const pages = async () => {
      if (settings.TASK_PICTURES === 'on_request') await figures.drawn();
      return readPages();
    };
    const picturesOf = createCasePictures({ artifacts, images });
    const approved = createApprovedCases({ knowledgeCases, picturesOf });

    async function find(name: string): Promise<KnownTask> {
      const found = (await pages()).get(name);
      if (!found) throw new CalibronError('not_found', 'Nothing is written about a task of this name.');
      return found;
    }

    /** The page of a task, with a project's cases. @param room maximum bytes of the pictures of these cases */
    async function findWithCases(name: string, projectId: string | undefined, room = MAX_PICTURES_BYTES) {
      const known = await find(name);
      const cases: ApprovedCase[] =
        projectId === undefined ? [] : await approved.ofTask(projectId, name, known.caseIds, room);
      return { known, cases };
    }

    return {
      ...createCaseExport({ engine, log, settings, configuration, knowledgeCases, picturesOf }),

      /** All tasks with a page, by category and name. */
      async list(projectId?: string): Promise<TaskKnowledgeList> {
        const order = Object.keys(KNOWLEDGE_CATEGORIES);
        const casesOf = projectId === undefined ? () => 0 : await approved.counted(projectId);
        const items = [...(await pages()).values()]
          .map((known) => ({
            name: known.name,
            category: known.category,
            summary: known.summary,
            failure_mode_count: known.failure_modes.length,
            case_count: known.cases.length + casesOf(known.name, known.caseIds),
            image_count: known.images.length,
            has_analysis_guide: known.analysis_guide.length > 0,
            has_review_guide: known.review_markdown.trim() !== '',
          }))
          .sort(
            (a, b) => order.indexOf(a.category) - order.indexOf(b.category) || (a.name < b.name ? -1 : 1),
          );
        return { items, categories: { ...KNOWLEDGE_CATEGORIES } };
      },

      /** @param room maximum bytes of the pictures of a project's cases; 0 reads none. @throws not_found */
      async read(name: string, projectId?: string, room?: number): Promise<TaskKnowledge> {
        const { known, cases } = await findWithCases(name, projectId, room);
        const { page: _page, caseIds: _caseIds, ...shown } = known;
        if (cases.length === 0) return shown;
        const together = { ...shown, cases: [...known.cases, ...cases.map((each) => each.shown)] };
        return { ...together, prompt_text: promptText(together) };
      },

      mediaTypeOf,
      endDrawing: figures.close,

      /** The page of a task with its pictures inlined. @throws not_found */
      async markdown(name: string, projectId?: string): Promise<string> {
        const { known, cases } = await findWithCases(name, projectId);
        const { page, images, review_images } = known;
        const uris = new Map(
          images.flatMap((image) => withUri(image).map(({ uri }) => [image.relative_path, uri])),
        );
        const pastCases = [
          ...known.cases.flatMap(({ title, images: ofCase }) => under(`### ${title}`, inMarkdown(ofCase))),
          ...cases.flatMap(({ shown, text }) => [text, ...inMarkdown(shown.images)]),
        ];
        return withInlinedImages(page, uris, [
          ...under('## Reference figures', inMarkdown(review_images)),
          ...under('## Past cases', pastCases),
        ]);
      },
    };
  },
  close: ({ endDrawing }) => endDrawing(),
});

const under = (heading: string, parts: readonly string[]) => (parts.length === 0 ? [] : [heading, ...parts]);
const inMarkdown = (images: readonly KnowledgeImage[]) =>
  images.flatMap(withUri).map(({ alt_text, uri }) => `![${alt_text}](${uri})`);

function withUri(image: KnowledgeImage): { alt_text: string; uri: string }[] {
  const uri = dataUriOf(image);
  return uri === null ? [] : [{ alt_text: image.alt_text, uri }];
}
