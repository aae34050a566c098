import { defineArea, type Kernel } from '../../kernel/area.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { AiReviews } from '../ai-reviews/index.ts';
import type { Chips } from '../chips/index.ts';
import type { Flows } from '../flows/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { shownCopilotOf } from '../language-models/wire.ts';
import type { Metrics } from '../metrics/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskKnowledgePages } from '../task-knowledge/index.ts';
import { createChatting } from './chatting.ts';
import { createDrafting } from './drafting.ts';
import { createExplaining } from './explaining.ts';
import { createLookups } from './lookups.ts';
import type { CopilotConfig } from './model.ts';

export type Copilot = ReturnType<typeof copilot.create>;

/** The assistant: it explains results, answers questions and drafts flows. It changes nothing. */
export const copilot = defineArea({
  name: 'copilot',
  indexes: [],
  create(
    needs: Kernel & {
      languageModels: LanguageModels;
      aiReviews: Pick<AiReviews, 'evidence'>;
      results: TaskResultStore;
      chips: Chips;
      flows: Flows;
      metrics: Metrics;
      taskKnowledge: TaskKnowledgePages;
    },
  ) {
    const { languageModels, aiReviews, results, chips, metrics, taskKnowledge, log } = needs;
    const { evidence } = aiReviews;
    const lookups = createLookups({ results, chips, metrics, evidence, log });

    return {
      ...createDrafting(needs),
      ...createExplaining({ languageModels, evidence, results }),
      ...createChatting({ languageModels, lookups, chips, results }),

      /** The part of the configuration that clients may see. */
      config: async (): Promise<CopilotConfig> => ({
        ...shownCopilotOf(await languageModels.config()),
        available: await languageModels.available(),
      }),

      /**
       * A picture of what a good result of a task looks like.
       * @throws not_found
       */
      async expectedImage(taskName: string, index: number): Promise<{ content: Buffer; mediaType: string }> {
        const { images, review_images } = await taskKnowledge.read(taskName);
        const shown = [...images, ...review_images].filter(({ base64_data }) => base64_data !== '');
        const image = shown[index];
        if (!image) throw new CalibronError('not_found', 'This task has no such picture.');
        return {
          content: Buffer.from(image.base64_data, 'base64'),
          mediaType: taskKnowledge.mediaTypeOf(image),
        };
      },
    };
  },
});
