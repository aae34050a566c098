import type { Kernel } from '../../kernel/area.ts';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { shareOfUser } from '../../kernel/engine/shares.ts';
import { isEngineUnavailable, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError, isError } from '../../kernel/errors.ts';
import { writeInside } from '../../kernel/files/atomic-write.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { Actor } from '../accounts/model.ts';
import type { Configuration } from '../configuration/index.ts';
import type { ConfigurationSettings } from '../configuration/settings.ts';
import type { KnowledgeCases } from '../knowledge-cases/index.ts';
import type { ExportedCase, KnowledgeCase } from '../knowledge-cases/model.ts';
import { knowledgeCaseOf } from '../knowledge-cases/wire.ts';
import type { createCasePictures } from './case-pictures.ts';
import { branchAddress, branchOfCase, filesOfCase } from './export-rules.ts';
import { MAX_PICTURES_BYTES } from './rules.ts';
import type { TaskKnowledgeSettings } from './settings.ts';
import { knowledgeExport, knowledgeExportWorkflowId } from './workflow-model.ts';

export interface CaseExportDependencies
  extends Pick<Kernel<TaskKnowledgeSettings & ConfigurationSettings>, 'engine' | 'settings' | 'log'> {
  knowledgeCases: Pick<KnowledgeCases, 'approve' | 'mustFind' | 'noteAddress'>;
  configuration: Pick<Configuration, 'repository'>;
  picturesOf: ReturnType<typeof createCasePictures>;
}

/** Exports approved cases as pages among the files of the configuration, as the setting KNOWLEDGE_EXPORT selects. */
export function createCaseExport(needs: CaseExportDependencies) {
  const { engine, settings, log, knowledgeCases, configuration, picturesOf } = needs;
  const { KNOWLEDGE_EXPORT: kind, CONFIG_PATH, CONFIG_REPO_URL } = settings;

  /** Starts the export of a case by a worker, which retries while the repository is unavailable. Repeated calls start it once. */
  async function begin(exported: ExportedCase, userId: UserId): Promise<void> {
    await withinDeadline(engine, () =>
      startWorkflow(engine, knowledgeExport, {
        workflowId: knowledgeExportWorkflowId(exported.project_id, exported.case_id),
        taskQueue: CALIBRATION_QUEUE,
        priority: shareOfUser(userId),
        workflowIdConflictPolicy: 'USE_EXISTING',
        typedSearchAttributes: searchAttributes({ ProjectId: exported.project_id }),
        staticSummary: `Export of knowledge case ${exported.case_id}`,
        args: [exported],
      }),
    );
  }

  return {
    /** Approves a case and starts its export. @throws not_found, bad_request */
    async approveCase(projectId: ProjectId, caseId: string, actor: Actor): Promise<KnowledgeCase> {
      const approved = await knowledgeCases.approve(projectId, caseId, actor);
      if (kind === 'off') return approved;
      try {
        await begin({ project_id: projectId, case_id: caseId }, actor.user_id);
      } catch (thrown) {
        // The case is approved; its export can be requested again.
        if (!isEngineUnavailable(thrown)) throw thrown;
        log.warn({ err: thrown, project_id: projectId, case_id: caseId }, 'knowledge case not exported yet');
      }
      return approved;
    },

    /** Exports an approved case that has not been exported. @throws not_found, conflict, engine_unavailable */
    async exportCase(projectId: ProjectId, caseId: string, userId: UserId): Promise<void> {
      const { status } = await knowledgeCases.mustFind(projectId, caseId);
      if (kind === 'off') {
        throw new CalibronError(
          'conflict',
          'Cases are not exported here; the setting KNOWLEDGE_EXPORT says so.',
        );
      }
      if (status !== 'approved') {
        throw new CalibronError('conflict', `This case is ${status}; only approved ones are exported.`);
      }
      await begin({ project_id: projectId, case_id: caseId }, userId);
    },

    /**
     * Writes the page of a case and its pictures; idempotent. A case that is deleted or not approved gets no page.
     * @throws conflict, repository_unavailable
     */
    async writePage({ project_id, case_id }: ExportedCase): Promise<void> {
      const stored = await knowledgeCases.mustFind(project_id, case_id).catch((thrown) => {
        if (isError(thrown, 'not_found')) return null;
        throw thrown;
      });
      if (stored?.status !== 'approved') return;
      const written = knowledgeCaseOf(stored);
      if (kind === 'off') return;
      const files = filesOfCase(written, await picturesOf(stored, MAX_PICTURES_BYTES));
      if (kind === 'folder') {
        for (const { path, content } of files) {
          const problem = await writeInside(CONFIG_PATH, path, content);
          if (problem) throw new CalibronError('conflict', `The case cannot be written to ${path}.`);
        }
        configuration.repository.forgetStatus();
      }
      if (kind === 'branch') {
        const branch = branchOfCase(written, stored.reviewed_at ?? stored.updated_at);
        const author = { username: stored.reviewed_by ?? 'calibron' };
        const message = `Knowledge case: ${written.title.replace(/[\s\p{Control}]+/gu, ' ').trim()}`;
        await configuration.repository.pushBranch(branch, files, message, author);
        await knowledgeCases.noteAddress(project_id, case_id, branchAddress(CONFIG_REPO_URL ?? '', branch));
      }
    },
  };
}
