import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { findTask } from '../../tasks/catalog.ts';
import { hasNoValue, refused, reviewByRules } from '../ai-reviews/fit-review-rules.ts';
import type { AiReviews } from '../ai-reviews/index.ts';
import { reviewPrompt } from '../ai-reviews/prompt-rules.ts';
import { ModelError } from '../language-models/errors.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { RULES_PROVIDER } from '../language-models/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { type Analysis, type AnalyzeBody, analysis } from './model.ts';
import { analysisSystem } from './prompt-rules.ts';
import { type Asker, type Following, ownImage } from './requests.ts';
import { analysisOf } from './rules.ts';

export interface ExplainingDependencies {
  languageModels: Pick<LanguageModels, 'config' | 'choose' | 'writeObject'>;
  evidence: AiReviews['evidence'];
  results: Pick<TaskResultStore, 'get'>;
}

/** Explains results of tasks. */
export function createExplaining({ languageModels, evidence, results }: ExplainingDependencies) {
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
    throw new CalibronError('bad_request', 'This result belongs to another chip, target, task or execution.');
  }

  async function byRules(result: TaskResultDocument): Promise<Analysis> {
    const task = findTask(result.name) ?? { name: result.name, r2Threshold: null, outputs: {} };
    if (hasNoValue({ task, result })) return analysisOf(refused({ task, result }));
    const [figure, history] = await Promise.all([evidence.figure(result), evidence.history(result)]);
    return analysisOf(reviewByRules({ task, result, figure, history }));
  }

  return {
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
  };
}
