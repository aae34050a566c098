import { defineArea, type Kernel } from '../../kernel/area.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { findTask } from '../../tasks/catalog.ts';
import { hasNoValue, refused, reviewByRules } from '../ai-reviews/fit-review-rules.ts';
import type { AiReviews } from '../ai-reviews/index.ts';
import { reviewPrompt } from '../ai-reviews/prompt-rules.ts';
import type { Chips } from '../chips/index.ts';
import type { Flows } from '../flows/index.ts';
import { formatOf } from '../image-processing/rules.ts';
import { ModelError } from '../language-models/errors.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { RULES_PROVIDER } from '../language-models/model.ts';
import { quotedData } from '../language-models/quoting-rules.ts';
import { shownCopilotOf } from '../language-models/wire.ts';
import type { Metrics } from '../metrics/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { TaskKnowledgePages } from '../task-knowledge/index.ts';
import { createDrafting } from './drafting.ts';
import { createLookups } from './lookups.ts';
import {
  type Analysis,
  type AnalyzeBody,
  analysis,
  type ChatAnswer,
  type ChatBody,
  type CopilotConfig,
} from './model.ts';
import { analysisSystem, chatSystem } from './prompt-rules.ts';
import { analysisOf } from './rules.ts';

export type Copilot = ReturnType<typeof copilot.create>;

/** Maximum number of results and qubits in the context of a chat about a chip. */
const RECENT = 20;
const QUBITS = 64;

/** The project of a request, and who it is for. */
interface Asker {
  projectId: ProjectId;
  /** The user whose share of the queues is used. */
  shareUserId: string;
}

/** Callbacks that follow an answer while it is created. */
interface Following {
  signal?: AbortSignal;
  onStep?: (
    step: 'load_context' | 'run_chat' | 'tool_call' | 'thinking',
    message: string,
    lookup?: { tool?: string; completed_tools: readonly string[] },
  ) => void;
  onText?: (piece: string) => void;
}

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

    async function resultFor(projectId: ProjectId, request: AnalyzeBody): Promise<TaskResultDocument> {
      const result = await results.get(projectId, request.task_id);
      if (!result) throw new CalibronError('not_found', 'There is no such task result in this project.');
      const { chip_id, qid, task_name, execution_id } = request;
      const named = [
        [chip_id, result.chip_id],
        [qid, result.qid],
        [task_name, result.name],
        [execution_id, result.execution_id],
      ];
      if (named.every(([given, stored]) => !given || given === stored)) return result;
      throw new CalibronError(
        'bad_request',
        'This result belongs to another chip, target, task or execution.',
      );
    }

    async function byRules(result: TaskResultDocument): Promise<Analysis> {
      const task = findTask(result.name) ?? { name: result.name, r2Threshold: null, outputs: {} };
      if (hasNoValue({ task, result })) return analysisOf(refused({ task, result }));
      const [figure, history] = await Promise.all([evidence.figure(result), evidence.history(result)]);
      return analysisOf(reviewByRules({ task, result, figure, history }));
    }

    /** Context about the chip of a chat; all of it from the same project. */
    async function chatContext(projectId: ProjectId, { chip_id, qid }: ChatBody): Promise<string[]> {
      if (!chip_id) return [];
      const page = { limit: QUBITS, offset: 0, qids: qid ? [qid] : [] };
      const [{ qubits }, recent] = await Promise.all([
        chips.listQubits(projectId, chip_id, page),
        results.list(projectId, { chip_id, ...(qid && { qid }) }, { skip: 0, limit: RECENT }),
      ]);
      const values = qubits.map((each) => ({
        qid: each.qid,
        status: each.status,
        values: Object.fromEntries(
          Object.entries(each.data).map(([name, { value, unit }]) => [name, `${value} ${unit}`] as const),
        ),
      }));
      const shown = recent.items.map(({ name, qid: target, status, message, start_at, user_note }) => ({
        task: name,
        target,
        status,
        message: message.slice(0, 300),
        start_at,
        ...(user_note?.content && { note: user_note.content.slice(0, 500) }),
      }));
      return [
        quotedData(`calibration state of chip ${chip_id}`, values, 40_000),
        quotedData('newest results', shown, 16_000),
      ];
    }

    return {
      ...createDrafting(needs),

      /** The part of the configuration that clients may see. */
      config: async (): Promise<CopilotConfig> => ({
        ...shownCopilotOf(await languageModels.config()),
        available: await languageModels.available(),
      }),

      /**
       * Explains a result with the requested model, the model for analyses, or the built-in rules.
       * @throws not_found, bad_request, ai_disabled, unknown_model, model_not_allowed, model_unavailable, model_failed
       */
      async analyze(
        { projectId, shareUserId }: Asker,
        request: AnalyzeBody,
        following: Following = {},
      ): Promise<Analysis> {
        const { signal, onStep } = following;
        const own = ownImage(request.image_base64);
        const settings = await languageModels.config();
        const chosen = { purpose: 'analysis' as const, override: request.model_override };
        const model = await languageModels.choose(chosen);
        if (!settings.analysis.enabled) {
          throw new ModelError('ai_disabled', 'Analyses are switched off in copilot.yaml.');
        }
        onStep?.('load_context', 'Loading the result.');
        const result = await resultFor(projectId, request);
        if (model.provider === RULES_PROVIDER) return byRules(result);
        const [known, pictures, current] = await Promise.all([
          evidence.knowledge(result, settings.analysis.max_expected_images),
          evidence.pictures(result),
          evidence.current(result),
        ]);
        const attached = [...pictures, ...known.expected];
        const { question } = reviewPrompt({
          result,
          current,
          knowledge: '',
          scoring: settings.scoring,
          pictures: attached.map(({ name }) => name),
          language: settings.response_language,
          instructions: '',
        });
        onStep?.('run_chat', 'The model answers.');
        const { response_language: language } = settings;
        const answer = await languageModels.writeObject(
          {
            ...chosen,
            system: analysisSystem(language, settings.analysis.system_prompt, known.text),
            turns: [
              ...(request.conversation_history ?? []),
              {
                role: 'user',
                content: `${question}\n${request.message ?? ''}`,
                images: [...own, ...attached.map(({ content }) => content)],
              },
            ],
            signal,
            share: { user: shareUserId, project: projectId },
          },
          analysis,
        );
        return answer.content;
      },

      /**
       * Answers in a chat, from the given context and the model's look-ups within the project.
       * @throws not_found, bad_request, ai_disabled, unknown_model, model_not_allowed, too_large, model_unavailable, model_failed
       */
      async chat(
        { projectId, shareUserId }: Asker,
        request: ChatBody,
        following: Following = {},
      ): Promise<ChatAnswer> {
        const { signal, onStep, onText } = following;
        const own = ownImage(request.image_base64);
        const chosen = { purpose: 'chat' as const, override: request.model_override };
        await languageModels.choose(chosen);
        const settings = await languageModels.config();
        onStep?.('load_context', 'Loading what the question is about.');
        const context = await chatContext(projectId, request);
        onStep?.('run_chat', 'The model answers.');
        const { content, model, usage } = await languageModels.writeText(
          {
            ...chosen,
            system: chatSystem(settings.response_language, settings.system_prompt),
            turns: [
              ...(request.conversation_history ?? []),
              {
                role: 'user',
                content: [...context, request.message].join('\n'),
                images: own,
              },
            ],
            signal,
            share: { user: shareUserId, project: projectId },
            lookups: {
              tools: lookups.of(projectId),
              onLookup: ({ tool, completed_tools, done }) =>
                done
                  ? onStep?.('thinking', 'The model reads what was found.', { completed_tools })
                  : onStep?.('tool_call', `Looking up: ${tool}.`, { tool, completed_tools }),
            },
          },
          onText,
        );
        const { calls: _calls, ...shown } = usage;
        return {
          blocks: [{ type: 'text', content }],
          message: content,
          model: `${model.provider}/${model.name}`,
          usage: shown,
        };
      },

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

/**
 * A picture from the request, with or without the header of a data URI.
 * @throws bad_request for a format that uploads do not accept either
 */
function ownImage(base64: string | null | undefined): Buffer[] {
  if (!base64) return [];
  const image = Buffer.from(base64.replace(/^data:[^,]*,/, ''), 'base64');
  if (formatOf(image) === null) {
    throw new CalibronError('bad_request', 'Send a PNG, JPEG, GIF or WebP image as image_base64.');
  }
  return [image];
}
