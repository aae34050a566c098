import { expect, test } from 'vitest';
import { projectBusy } from '../../../../shared/domain/runs/busy-rules.ts';
import { NO_EXECUTION } from '../../../../shared/kernel/ids.ts';
import { executionNamed } from '../../../support/ids.ts';

test('a busy project is refused with the name of its holder and what to do then', () => {
  const refused = projectBusy({ execution_id: executionNamed('20260102-003') }, 'start again');
  expect(refused).toMatchObject({
    code: 'project_busy',
    status: 409,
    message:
      'The project is held by execution 20260102-003. Wait for it to end or cancel it, then start again.',
  });
});

test('a holder that has no execution, or has left since, is another run', () => {
  for (const holder of [null, { execution_id: NO_EXECUTION }]) {
    expect(projectBusy(holder, 'delete the project').message).toMatch(
      /^The project is held by another run\. .* then delete the project\.$/,
    );
  }
});
