import { isError } from '../../kernel/errors.ts';
import type { Actor } from '../accounts/model.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { cut } from '../language-models/quoting-rules.ts';
import { threadPrompt, turnsOfThread } from '../language-models/thread-rules.ts';
import { withoutAiMention } from '../notifications/rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskKnowledgePages } from '../task-knowledge/index.ts';
import type { Issue, IssueDocument } from './model.ts';
import { inOrder } from './wire.ts';

/** Maximum number of characters stored of a reply. */
const MAX_REPLY = 8000;

/** Callbacks that follow a reply while it is generated. */
export interface ReplyProgress {
  step(
    step: 'load_issue' | 'build_history' | 'load_context' | 'run_chat' | 'save_reply' | 'complete',
    message: string,
  ): void;
  text(piece: string): void;
  signal: AbortSignal;
}

export interface ModelReplyDependencies {
  /** An issue with its replies. @throws not_found */
  thread(projectId: string, issueId: string): Promise<IssueDocument>;
  addModelReply(
    projectId: string,
    issueId: string,
    content: string,
    askedBy: Pick<Actor, 'user_id'>,
  ): Promise<Issue>;
  results: Pick<TaskResultStore, 'get'>;
  taskKnowledge: Pick<TaskKnowledgePages, 'read'>;
  languageModels: Pick<LanguageModels, 'choose' | 'config' | 'writeText'>;
}

/** Language model replies in issues. */
export function createModelReply(needs: ModelReplyDependencies) {
  const { thread: readThread, addModelReply, results, taskKnowledge, languageModels } = needs;

  /** Context about the result and its task, all from this project. */
  async function contextOf({ project_id, task_id }: IssueDocument) {
    const task = await results.get(project_id, task_id);
    if (!task) return [];
    const { name, chip_id, qid, status, message, output_parameters, quality_metrics, run_parameters } = task;
    const outputs = Object.fromEntries(
      Object.entries(output_parameters).map(([output, { value, unit, error }]) => [
        output,
        { value, unit, error },
      ]),
    );
    const known = await taskKnowledge.read(name, project_id, 0).catch((thrown) => {
      if (isError(thrown, 'not_found')) return null;
      throw thrown;
    });
    const settings = Object.fromEntries(
      Object.entries(run_parameters).map(([parameter, { value, unit }]) => [parameter, { value, unit }]),
    );
    return [
      {
        source: 'task result',
        content: { name, chip_id, qid, status, message, outputs, quality_metrics, settings },
      },
      ...(known ? [{ source: `knowledge of ${name}`, content: known.prompt_text }] : []),
    ];
  }

  /**
   * Generates a language model's reply in an issue, open or closed.
   * @throws not_found, ai_disabled, too_large, model_unavailable, model_failed, quota_exceeded
   */
  return async function replyByModel(
    { projectId, issueId }: { projectId: string; issueId: string },
    question: string,
    askedBy: Pick<Actor, 'user_id'>,
    { step, text, signal }: ReplyProgress,
  ): Promise<Issue> {
    await languageModels.choose({ purpose: 'chat' });
    step('load_issue', 'Reading the issue.');
    const thread = await readThread(projectId, issueId);
    step('build_history', 'Reading the replies.');
    const opening = {
      username: thread.username,
      content: `${thread.title}\n\n${thread.content}`,
      is_ai_reply: false,
    };
    const posts = [opening, ...inOrder(thread.replies)];
    step('load_context', 'Reading the result and what is known of its task.');
    const context = await contextOf(thread);
    const turns = turnsOfThread(posts, question, {
      withoutMention: withoutAiMention,
      context,
    });
    step('run_chat', 'Asking the language model.');
    const system = threadPrompt(await languageModels.config(), 'an issue on the result of a measurement');
    const answer = await languageModels.writeText({ purpose: 'chat', system, turns, signal }, text);
    step('save_reply', 'Keeping the reply.');
    const saved = await addModelReply(projectId, issueId, cut(answer.content.trim(), MAX_REPLY), askedBy);
    step('complete', 'Done.');
    return saved;
  };
}
