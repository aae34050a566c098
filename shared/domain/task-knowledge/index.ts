import { fileURLToPath } from 'node:url';
import { defineArea, type Kernel } from '../../kernel/area.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import type { KnowledgeImage, TaskKnowledge, TaskKnowledgeList } from './model.ts';
import { withInlinedImages } from './page-rules.ts';
import { createPages, dataUriOf, type KnownTask } from './pages.ts';
import { KNOWLEDGE_CATEGORIES } from './rules.ts';

export type TaskKnowledgePages = ReturnType<typeof taskKnowledge.create>;

/** What is known of tasks: shipped pages, and those that a lab adds to its configuration. */
export const taskKnowledge = defineArea({
  name: 'taskKnowledge',
  indexes: [],
  create({ settings }: Kernel) {
    const roots = [settings.CONFIG_PATH, fileURLToPath(new URL('config', packageRoot))];
    const pages = createPages(roots.map((root) => `${root}/task-knowledge`));

    async function find(name: string): Promise<KnownTask> {
      const found = (await pages()).get(name);
      if (!found) throw new CalibronError('not_found', 'Nothing is written about a task of this name.');
      return found;
    }

    return {
      /** Every task about which there is a page, by category and name. */
      async list(): Promise<TaskKnowledgeList> {
        const order = Object.keys(KNOWLEDGE_CATEGORIES);
        const items = [...(await pages()).values()]
          .map((known) => ({
            name: known.name,
            category: known.category,
            summary: known.summary,
            failure_mode_count: known.failure_modes.length,
            case_count: known.cases.length,
            image_count: known.images.length,
            has_analysis_guide: known.analysis_guide.length > 0,
            has_review_guide: known.review_markdown.trim() !== '',
          }))
          .sort(
            (a, b) => order.indexOf(a.category) - order.indexOf(b.category) || (a.name < b.name ? -1 : 1),
          );
        return { items, categories: { ...KNOWLEDGE_CATEGORIES } };
      },

      /** @throws not_found */
      async read(name: string): Promise<TaskKnowledge> {
        const { page: _page, ...known } = await find(name);
        return known;
      },

      /** The page of a task with its pictures in it. @throws not_found */
      async markdown(name: string): Promise<string> {
        const { page, images, cases, review_images } = await find(name);
        const uris = new Map(
          images.flatMap((image) => withUri(image).map(({ uri }) => [image.relative_path, uri])),
        );
        return withInlinedImages(page, uris, [
          { heading: '## Reference figures', images: review_images.flatMap(withUri) },
          ...cases.map(({ title, images: ofCase }, index) => ({
            heading: [...(index === 0 ? ['## Past cases'] : []), `### ${title}`].join('\n\n'),
            images: ofCase.flatMap(withUri),
          })),
        ]);
      },
    };
  },
});

function withUri(image: KnowledgeImage): { alt_text: string; uri: string }[] {
  const uri = dataUriOf(image);
  return uri === null ? [] : [{ alt_text: image.alt_text, uri }];
}
