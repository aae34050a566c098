import { sha256 } from '../../kernel/new-ids.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { type CopilotSettings, RULES_PROVIDER, type Usage } from '../language-models/model.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { createEvidence } from './evidence.ts';
import { hasNoValue, RULES_VERSION, refused, reviewByRules } from './fit-review-rules.ts';
import { type ReviewRunDocument, type Verdict, verdict } from './model.ts';
import { promptOf } from './prompting.ts';
import { shareUserOf } from './rules.ts';
import { aboutOutputs } from './verdict-rules.ts';

/** A verdict, and what it was made from. */
export interface Judged {
  verdict: Verdict;
  prompt_hash: string;
  knowledge_version: string;
  usage: Usage | null;
}

/** Judges results: by a language model, or by the built-in rules. */
export function createJudging({
  evidence,
  languageModels,
}: {
  evidence: ReturnType<typeof createEvidence>;
  languageModels: Pick<LanguageModels, 'config' | 'writeObject'>;
}) {
  /** Asks the language model for a verdict. */
  async function byModel({
    run,
    result,
    settings,
    signal,
  }: {
    run: ReviewRunDocument;
    result: TaskResultDocument;
    settings: CopilotSettings;
    signal: AbortSignal | undefined;
  }): Promise<Judged> {
    const { analysis } = settings;
    const { known, pictures, system, question } = await promptOf(evidence, result, {
      ...settings,
      instructions: analysis.system_prompt,
    });
    const answer = await languageModels.writeObject(
      {
        purpose: 'analysis',
        override: run.model_override,
        system,
        turns: [{ role: 'user', content: question, images: pictures.map(({ content }) => content) }],
        signal,
        share: { user: shareUserOf(run), project: run.project_id },
        // The workflow waits and retries, and shows for how long.
        retries: 0,
      },
      verdict,
    );
    return {
      verdict: aboutOutputs(answer.content, Object.keys(result.output_parameters)),
      prompt_hash: sha256(`${system}\n${question}`),
      knowledge_version: known.version,
      usage: answer.usage,
    };
  }

  /** The verdict on a result. */
  async function judge(
    run: ReviewRunDocument,
    result: TaskResultDocument,
    signal?: AbortSignal,
  ): Promise<Judged> {
    const [settings, known] = await Promise.all([languageModels.config(), evidence.knowledge(result, 0)]);
    const byRules = { prompt_hash: sha256(RULES_VERSION), knowledge_version: known.version, usage: null };
    // Without a value, a model has nothing to add.
    const task = findTask(result.name) ?? { name: result.name, r2Threshold: null, outputs: {} };
    if (hasNoValue({ task, result })) return { verdict: refused({ task, result }), ...byRules };
    if (run.model.provider !== RULES_PROVIDER) return byModel({ run, result, settings, signal });
    const [figure, history] = await Promise.all([evidence.figure(result), evidence.history(result)]);
    return { verdict: reviewByRules({ task, result, figure, history }), ...byRules };
  }

  return { judge };
}
