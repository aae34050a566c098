import { type ArchiveEntry, entryOf, zipOf } from '../../kernel/files/archive.ts';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { LanguageModels } from '../language-models/index.ts';
import { shownCopilotOf } from '../language-models/wire.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { createEvidence } from './evidence.ts';
import { promptOf } from './prompting.ts';
import type { AiReviewStore } from './store.ts';

/** Version of the format of a bundle. */
const BUNDLE_VERSION = 1;

interface Dependencies {
  store: Pick<AiReviewStore, 'get'>;
  results: Pick<TaskResultStore, 'get'>;
  artifacts: Pick<Artifacts, 'bundle'>;
  evidence: ReturnType<typeof createEvidence>;
  languageModels: Pick<LanguageModels, 'config'>;
}

/** Exports reviews as files for archives. */
export function createReviewArchives({ store, results, artifacts, evidence, languageModels }: Dependencies) {
  /** Everything needed to repeat the review elsewhere, without addresses, keys or instructions of the operator. */
  async function bundleOf(result: TaskResultDocument): Promise<ArchiveEntry[]> {
    const { project_id, task_id, chip_id, qid, name, execution_id, ai_review } = result;
    const now = new Date();
    const settings = await languageModels.config();
    const [review, pictures, figures] = await Promise.all([
      store.get(project_id, ai_review?.review_run_id ?? '', task_id),
      filesOf(result, result.figure_path),
      filesOf(result, result.json_figure_path),
    ]);
    const {
      known,
      current,
      system,
      question,
      pictures: shown,
    } = await promptOf(evidence, result, {
      ...settings,
      instructions: '',
    });
    const prompt = `${system}\n${question}`;
    const inputs = [
      ...pictures.map((each) => ({ ...each, name: `experiment_images/${each.name}` })),
      ...known.expected.map(({ content }, index) =>
        entryOf(`expected_images/${index}${kindOf(content)}`, content, now),
      ),
      ...figures.map((each) => ({ ...each, name: `figures/${each.name}` })),
    ];
    const json = (file: string, content: unknown) => entryOf(file, JSON.stringify(content, null, 2), now);
    return [
      json('manifest.json', {
        schema_version: BUNDLE_VERSION,
        bundle_type: 'ai_review_replay',
        created_at: now.toISOString(),
        source: { project_id, chip_id, qid, task_name: name, task_id, execution_id, trigger: 'chip_page' },
        selected_model: review?.model ?? null,
        knowledge: { repo_url: '', commit: known.version, task_path: '', task_name: name },
        prompt_hash: sha256(prompt),
        reviewed_prompt_hash: review?.prompt_hash ?? '',
        reviewed_knowledge_version: review?.knowledge_version ?? '',
        inputs: inputs.map((each) => each.name),
      }),
      json('context.json', {
        output_parameters: result.output_parameters,
        input_parameters: result.input_parameters,
        run_parameters: result.run_parameters,
        quality_metrics: result.quality_metrics,
        calibration_state: current,
        scoring: settings.scoring,
        pictures: shown.map((each) => each.name),
      }),
      json('copilot_config.json', shownCopilotOf(settings)),
      entryOf('prompt.txt', prompt, now),
      ...inputs,
      json('metadata/task_result.json', {
        task_id,
        task_name: name,
        qid,
        chip_id,
        execution_id,
        status: result.status,
        message: result.message,
        start_at: result.start_at,
        end_at: result.end_at,
        tags: result.tags,
      }),
      json('metadata/ai_review.json', { state: ai_review ?? null, verdict: review?.verdict ?? null }),
    ];
  }

  async function filesOf({ project_id }: TaskResultDocument, paths: readonly string[]) {
    return (await artifacts.bundle(paths.map((path) => ({ path, project: project_id })))).entries;
  }

  async function found(projectId: ProjectId, taskIds: readonly TaskId[]): Promise<TaskResultDocument[]> {
    const each = await Promise.all([...new Set(taskIds)].map((taskId) => results.get(projectId, taskId)));
    return each.flatMap((result) => result ?? []);
  }

  return {
    /**
     * The reviews of these results as texts, and their evidence as an archive each. Results that do not exist, or have no review
     * when one is requested, are left out.
     */
    async files(
      projectId: ProjectId,
      { texts, bundles }: { texts: readonly TaskId[]; bundles: readonly TaskId[] },
    ): Promise<ArchiveEntry[]> {
      const entries: ArchiveEntry[] = [];
      for (const result of await found(projectId, texts)) {
        const note = result.ai_review_note;
        if (!note?.content) continue;
        const written = note.updated_at ? new Date(note.updated_at) : new Date();
        entries.push(entryOf(`ai_review/${stemOf(result)}.md`, `${note.content}\n`, written));
      }
      for (const result of await found(projectId, bundles)) {
        const files = await filesOf(result, [...result.figure_path, ...result.json_figure_path]);
        entries.push({
          name: `ai_review_bundle/${stemOf(result)}.zip`,
          size: files.reduce((sum, { size }) => sum + size, 0),
          modified: result.end_at ?? result.created_at,
          open: async () => zipOf(await bundleOf(result)),
        });
      }
      return entries;
    },
  };
}

/** Name of a file about a result, in characters that every file system accepts. */
function stemOf({ name, qid, task_id }: TaskResultDocument): string {
  return `${name}_${qid}_${task_id}`.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 200);
}

/** The file extension of a picture, from its first bytes. */
function kindOf(content: Uint8Array): string {
  const head = Buffer.from(content.subarray(0, 4)).toString('hex');
  if (head === '89504e47') return '.png';
  if (head.startsWith('ffd8ff')) return '.jpg';
  return head === '47494638' ? '.gif' : '.webp';
}
