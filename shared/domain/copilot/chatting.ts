import type { ProjectId } from '../../kernel/ids.ts';
import type { Chips } from '../chips/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { quotedData } from '../language-models/quoting-rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { createLookups } from './lookups.ts';
import type { ChatAnswer, ChatBody } from './model.ts';
import { chatSystem } from './prompt-rules.ts';
import { type Asker, type Following, ownImage } from './requests.ts';

/** Maximum number of results and qubits in the context of a chat about a chip. */
const RECENT = 20;
const QUBITS = 64;

export interface ChattingDependencies {
  languageModels: Pick<LanguageModels, 'config' | 'choose' | 'writeText'>;
  lookups: ReturnType<typeof createLookups>;
  chips: Pick<Chips, 'listQubits'>;
  results: Pick<TaskResultStore, 'list'>;
}

/** Answers questions in chats. */
export function createChatting({ languageModels, lookups, chips, results }: ChattingDependencies) {
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
  };
}
