import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { KnowledgeCases } from '../knowledge-cases/index.ts';
import type { CaseContent, KnowledgeCase } from '../knowledge-cases/model.ts';
import type { LanguageModels } from '../language-models/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import {
  boundedContent,
  contentWithoutModel,
  extractedShape,
  extractionPrompt,
  extractionQuestion,
  imageUrlsOf,
} from './extraction-rules.ts';
import type { IssueDocument } from './model.ts';

export interface ExtractionDependencies {
  /** The issue with this id, or the issue that contains the reply with this id, with its replies. @throws not_found */
  threadOf(projectId: ProjectId, id: string): Promise<IssueDocument>;
  results: Pick<TaskResultStore, 'get'>;
  knowledgeCases: Pick<KnowledgeCases, 'assertRoom' | 'putDraft'>;
  languageModels: Pick<LanguageModels, 'available' | 'writeObject'>;
}

/** Extracts knowledge cases from issues. */
export function createExtraction(needs: ExtractionDependencies) {
  const { threadOf, results, knowledgeCases, languageModels } = needs;

  async function contentOf(
    thread: IssueDocument,
    target: Parameters<typeof extractionQuestion>[1],
  ): Promise<CaseContent> {
    if (!(await languageModels.available())) return contentWithoutModel(thread);
    const answer = await languageModels.writeObject(
      {
        purpose: 'chat',
        system: extractionPrompt,
        turns: [{ role: 'user', content: extractionQuestion(thread, target) }],
      },
      extractedShape,
    );
    return boundedContent(answer.content, thread);
  }

  /**
   * Extracts a draft case from a closed issue, with the language model if there is one. It replaces the earlier draft,
   * which is removed only after the new one is made. The id of a reply selects the issue that contains it.
   * @throws not_found, conflict for an open issue, quota_exceeded, model_unavailable, model_failed
   */
  return async function extractKnowledge(projectId: ProjectId, id: string): Promise<KnowledgeCase> {
    const thread = await threadOf(projectId, id);
    if (!thread.is_closed) {
      throw new CalibronError(
        'conflict',
        'This issue is open; close it when it is resolved, then extract it.',
      );
    }
    const task = await results.get(projectId, thread.task_id);
    if (!task) throw new CalibronError('not_found', 'The task result that this issue is about is gone.');
    // Checked before calling the language model, which costs money.
    await knowledgeCases.assertRoom(projectId, thread.issue_id);
    const content = await contentOf(thread, task);
    return knowledgeCases.putDraft(projectId, {
      ...content,
      issue_id: thread.issue_id,
      task_id: thread.task_id,
      task_name: task.name,
      chip_id: task.chip_id,
      qid: task.qid,
      figure_paths: task.figure_path,
      thread_image_urls: imageUrlsOf(thread),
    });
  };
}
