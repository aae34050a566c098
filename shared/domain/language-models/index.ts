import type { z } from 'zod';
import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Share } from '../../kernel/fair-queue.ts';
import { settingOf } from '../../kernel/secret-files.ts';
import type { Configuration } from '../configuration/index.ts';
import type { ImageProcessing } from '../image-processing/index.ts';
import type { Call } from './asking.ts';
import { copilotFile } from './copilot-file.ts';
import { endpointOf } from './endpoint-rules.ts';
import { ModelError } from './errors.ts';
import { withFittingImages } from './images.ts';
import type { CopilotSettings, ModelAnswer, ModelSettings, Question, Turn } from './model.ts';
import { chosenModel, defaultModel, fittingTurns, joinedTurns, roomBeside } from './rules.ts';
import type { LanguageModelSettings } from './settings.ts';

/** Share for pictures that belong to no user's request. */
const THE_SERVICE: Share = { user: '' };

export type LanguageModels = ReturnType<typeof languageModels.create>;

/**
 * The language models of an installation. `copilot.yaml` lists the models; only the setting AI_ENDPOINTS determines their
 * allowed addresses and the environment variables with their keys.
 */
export const languageModels = defineArea({
  name: 'languageModels',
  indexes: [],
  create({
    settings,
    log,
    configuration,
    imageProcessing,
  }: Pick<Kernel<LanguageModelSettings>, 'settings' | 'log'> & {
    configuration: Pick<Configuration, 'follow'>;
    imageProcessing: Pick<ImageProcessing, 'fitTo'>;
  }) {
    const endpoints = settings.AI_ENDPOINTS;
    const file = copilotFile(endpoints);
    const config = configuration.follow(file, () => file.read(settings.CONFIG_PATH));

    /** Keys are read when needed and never stored. */
    const keyFrom = (variable: string | null) =>
      variable === null ? undefined : settingOf(process.env, variable);

    function isReachable(model: ModelSettings | null): boolean {
      const endpoint = model && endpointOf(model, endpoints);
      return endpoint ? endpoint.keyVariable === null || Boolean(keyFrom(endpoint.keyVariable)) : false;
    }

    async function choose(question: Pick<Question, 'purpose' | 'override'>): Promise<ModelSettings> {
      const content = await config();
      const model = chosenModel(content, question, endpoints);
      if (content.enabled) return model;
      throw new ModelError('ai_disabled', 'The assistant is switched off in copilot.yaml.');
    }

    async function callOf(question: Question): Promise<Call> {
      const model = await choose(question);
      const endpoint = endpointOf(model, endpoints);
      if (model.provider === 'rules' || !endpoint) {
        throw new ModelError(
          'ai_disabled',
          'No language model is configured; an operator names one in copilot.yaml.',
        );
      }
      const key = keyFrom(endpoint.keyVariable);
      if (endpoint.keyVariable !== null && !key) {
        throw new ModelError(
          'ai_disabled',
          `The environment variable ${endpoint.keyVariable} with the model's key is not set; an operator sets it.`,
        );
      }
      const timeout = AbortSignal.timeout(model.timeout * 1000);
      const signal = question.signal ? AbortSignal.any([question.signal, timeout]) : timeout;
      const share = question.share ?? THE_SERVICE;
      const turns = joinedTurns(fittingTurns(model, question.system, question.turns));
      return {
        settings: model,
        endpoint,
        key,
        system: question.system,
        turns: await withFittingImages(imageProcessing, turns, { model, share, signal }).catch(
          (thrown: unknown) => {
            if (!timeout.aborted || question.signal?.aborted) throw thrown;
            throw new ModelError(
              'model_unavailable',
              'Preparing the pictures took longer than the timeout of the model; try again with smaller ones.',
            );
          },
        ),
        retries: question.retries ?? model.retries,
        lookups: boundLookups(question, model, { turns, limits: (await config()).chat }),
        signal,
      };
    }

    function boundLookups(
      { lookups, system }: Question,
      model: ModelSettings,
      { turns, limits }: { turns: readonly Turn[]; limits: CopilotSettings['chat'] },
    ): Call['lookups'] {
      if (!lookups || !model.tools || limits.max_tool_calls === 0) return undefined;
      return { ...lookups, limits, room: roomBeside(model, system, turns) };
    }

    /** Logs the usage of an answer, but neither the question nor the answer, which are private. */
    function noted<Content>(question: Question, answer: ModelAnswer<Content>): ModelAnswer<Content> {
      log.info(
        { model: answer.model, purpose: question.purpose, ...answer.usage },
        'language model answered',
      );
      return answer;
    }

    return {
      /** `copilot.yaml` as of its last reload. */
      config,

      /** Whether chat has a model and the model's key is set. */
      async available(): Promise<boolean> {
        const content: CopilotSettings = await config();
        return content.enabled && isReachable(defaultModel(content, 'chat'));
      },

      /** The model that would answer a question. @throws ai_disabled, unknown_model, model_not_allowed */
      choose,

      /**
       * Gets an answer in free text.
       * @param onText called with each piece as it arrives
       * @throws ai_disabled, unknown_model, model_not_allowed, too_large, model_unavailable, model_failed
       */
      async writeText(question: Question, onText?: (piece: string) => void): Promise<ModelAnswer<string>> {
        const call = await callOf(question);
        const { askForText } = await import('./asking.ts');
        return noted(question, await askForText(call, onText));
      },

      /** Gets an answer of a given shape, with one repair. @throws as `writeText` */
      async writeObject<Content>(
        question: Question,
        schema: z.ZodType<Content>,
      ): Promise<ModelAnswer<Content>> {
        const call = await callOf(question);
        const { askForObject } = await import('./asking.ts');
        return noted(question, await askForObject(call, schema));
      },
    };
  },
});
