import { expect, test } from 'vitest';
import { runAttributes } from '../../../../shared/domain/runs/search-attribute-rules.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { executionNamed, userNamed } from '../../../support/ids.ts';

test('operators find a run by project, execution, chip, flow, backend, user and trigger', () => {
  const project_id = newProjectId();
  const run = {
    project_id,
    execution_id: executionNamed('20260102-003'),
    chip_id: 'CHIP',
    name: 'daily',
    user_id: userNamed('usr_mia'),
    username: 'mia',
    backend: 'simulator',
    trigger: 'api' as const,
    tags: [],
  };
  expect(runAttributes(run).map(({ key, value }) => [key.name, value])).toEqual([
    ['ProjectId', project_id],
    ['ExecutionId', '20260102-003'],
    ['ChipId', 'CHIP'],
    ['FlowName', 'daily'],
    ['Backend', 'simulator'],
    ['Initiator', 'mia'],
    ['Trigger', 'api'],
  ]);
});
