import { execFileSync } from 'node:child_process';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knowledgeExportWorkflowId } from '../../shared/domain/task-knowledge/workflow-model.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import type { RunningWorkers } from '../../workers/workers.ts';
import { historyOf, replay } from '../support/histories.ts';
import { projectNamed, taskNamed, userNamed } from '../support/ids.ts';
import { eventually, type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { startOwnWorkers } from '../support/own-workers.ts';
import { ada } from '../support/run-starts.ts';

let directory: string;
let bare: string;
let lab: Laboratory;
let workers: RunningWorkers;

const author = ['-c', 'user.name=colleague', '-c', 'user.email=colleague@example.org'];
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', [...author, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-export-'));
  bare = join(directory, 'bare.git');
  const colleague = join(directory, 'colleague');
  git(directory, 'init', '--quiet', '--bare', '--initial-branch=lab', bare);
  git(directory, 'clone', '--quiet', bare, colleague);
  git(colleague, 'checkout', '--quiet', '-b', 'lab');
  git(colleague, 'commit', '--quiet', '--allow-empty', '-m', 'Begin');
  git(colleague, 'push', '--quiet', '--set-upstream', 'origin', 'lab');
  lab = await openLaboratory({ KNOWLEDGE_EXPORT: 'branch', CONFIG_REPO_URL: `file://${bare}` });
  await lab.areas.configuration.repository.pull();
  workers = await startOwnWorkers(lab);
});
afterAll(async () => {
  await workers.stop();
  await lab.close();
  await rm(directory, { recursive: true });
});

test('a worker exports an approved case as soon as the repository is there, by a history that replays', async () => {
  const { knowledgeCases, taskKnowledge } = lab.areas;
  const project = projectNamed(newId());
  const text = {
    human_label: '',
    model_error_type: '',
    resolution_label: '',
    symptom: 'Short T1.',
    model_prediction: '',
    human_review_decision: '',
    root_cause: '',
    resolution: '',
    boundary_criteria: '',
    applicability: '',
    counterexample: '',
    prompt_guidance: '',
  };
  const draft = await knowledgeCases.putDraft(project, {
    ...text,
    title: 'A cold day',
    severity: 'warning',
    failure_mode_labels: [],
    case_type: [],
    lesson_learned: [],
    issue_id: 'f'.repeat(24),
    task_id: taskNamed('T1'),
    task_name: 'CheckT1',
    chip_id: 'CHIP',
    qid: '3',
    figure_paths: [],
    thread_image_urls: [],
  });
  await rename(bare, `${bare}.away`);
  await taskKnowledge.approveCase(project, draft.id, { user_id: userNamed(ada._id), username: ada.username });
  const workflow = lab.engine.client.workflow.getHandle(knowledgeExportWorkflowId(project, draft.id));
  await eventually(async () => {
    const { raw } = await workflow.describe();
    return raw.pendingActivities?.some(({ attempt }) => Number(attempt) > 1);
  });
  await rename(`${bare}.away`, bare);
  await workflow.result();
  expect(git(bare, 'branch', '--list', 'knowledge/*', '--format=%(refname:short)')).toMatch(
    new RegExp(`^knowledge/CheckT1/\\d{8}-\\d{6}-${draft.id.slice(0, 8)}$`),
  );
  const histories = await historyOf(lab, 'knowledge-export', workflow.workflowId);
  expect(await replay({ codePath: await workflowBundle(lab.cache) }, histories)).toEqual([]);
});
