import { expect, test } from 'vitest';
import { candidateApply } from '../../shared/domain/agent-sessions/workflow-model.ts';
import { aiReviewBatch } from '../../shared/domain/ai-reviews/workflow-model.ts';
import { backendDescription } from '../../shared/domain/backend-workers/workflow-model.ts';
import { chatDelivery } from '../../shared/domain/chat/workflow-model.ts';
import { projectDeletion } from '../../shared/domain/projects/workflow-model.ts';
import { ownAnalysis } from '../../shared/domain/reanalysis/workflow-model.ts';
import { calibrationRun, singleTaskRun } from '../../shared/domain/runs/workflow-model.ts';
import { scheduledStart } from '../../shared/domain/schedules/workflow-model.ts';
import { installationLook, systemUpdate } from '../../shared/domain/system-updates/workflow-model.ts';
import { knowledgeExport } from '../../shared/domain/task-knowledge/workflow-model.ts';
import type { WorkflowOf } from '../../shared/kernel/engine/workflow-contract.ts';
import * as workflows from '../../workflows/index.ts';
import * as updaterWorkflows from '../../workflows/updater.ts';

const contracts = {
  aiReviewBatch,
  backendDescription,
  calibrationRun,
  candidateApply,
  chatDelivery,
  installationLook,
  knowledgeExport,
  ownAnalysis,
  projectDeletion,
  scheduledStart,
  singleTaskRun,
  systemUpdate,
};

/** The type check compares each workflow with its contract. */
const implemented: { [Name in keyof typeof contracts]: WorkflowOf<(typeof contracts)[Name]> } = {
  ...workflows,
  ...updaterWorkflows,
};

test('each workflow that a process starts is exported under the name of its contract', () => {
  for (const [name, contract] of Object.entries(contracts)) expect(contract.name).toBe(name);
  const exported = Object.keys(implemented).sort();
  // The run starts its stages itself.
  expect(exported).toEqual([...Object.keys(contracts), 'stage'].sort());
});
