import type { Share } from '../../kernel/fair-queue.ts';
import { taskNames } from '../../tasks/catalog.ts';
import type { Flows } from '../flows/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { quotedData } from '../language-models/quoting-rules.ts';
import { type DraftBody, type FlowDraft, writtenFlow } from './model.ts';
import { draftSystem } from './prompt-rules.ts';
import { unifiedDiff } from './rules.ts';

/** Maximum length in characters of a flow in a prompt, after quoting. */
const MAX_CODE = 120_000;

interface Dependencies {
  flows: Pick<Flows, 'check' | 'helpers'>;
  languageModels: Pick<LanguageModels, 'writeObject'>;
}

/** Drafts flows with a language model. Nothing that it writes is run or saved. */
export function createDrafting({ flows, languageModels }: Dependencies) {
  return {
    /**
     * Drafts a flow from a description. The draft is checked like a saved flow; if it has problems, the model gets one chance to
     * fix them.
     * @throws ai_disabled, unknown_model, model_not_allowed, too_large, model_unavailable, model_failed
     */
    async draft(
      share: Share,
      name: string,
      request: DraftBody,
      { signal, onStep }: { signal?: AbortSignal; onStep?: (message: string) => void } = {},
    ): Promise<FlowDraft> {
      const { code, prompt, context, model_override } = request;
      const functionName = request.flow_function_name || name;
      const declarations = await Promise.all(
        (await flows.helpers.list()).map((file) => flows.helpers.read(file)),
      );
      const system = draftSystem(declarations.join('\n'), taskNames());
      const question = [
        `The exported function is called ${functionName}. What is wanted: ${prompt}`,
        ...(code === '' ? [] : [quotedData('the flow so far', code, MAX_CODE)]),
        ...(context ? [quotedData('context', context, 20_000)] : []),
      ].join('\n');
      const turns = [{ role: 'user' as const, content: question }];
      const complete = (more: readonly { role: 'user' | 'assistant'; content: string }[]) =>
        languageModels.writeObject(
          { purpose: 'chat', override: model_override, system, turns: [...turns, ...more], signal },
          writtenFlow,
        );
      onStep?.('The model writes.');
      let { content } = await complete([]);
      let problems = await flows.check(share, content.code, functionName);
      if (problems.length > 0) {
        onStep?.('The draft has problems; the model mends it.');
        const problemTexts = problems.map(({ line, message }) => `Line ${line}: ${message}.`).join(' ');
        ({ content } = await complete([
          { role: 'assistant', content: JSON.stringify(content) },
          { role: 'user', content: `This flow was rejected: ${problemTexts} Rewrite it.` },
        ]));
        problems = await flows.check(share, content.code, functionName);
      }
      const diff = unifiedDiff(code, content.code, `${name}.ts`);
      return { code: content.code, summary: content.summary, diff, command: [], problems };
    },
  };
}
