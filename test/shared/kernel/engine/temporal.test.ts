import { afterAll, expect, test } from 'vitest';
import { readSettings } from '../../../../shared/domain/settings.ts';
import {
  connectEngine,
  engineAccess,
  isEngineUnavailable,
  withOneRetry,
} from '../../../../shared/kernel/engine/temporal.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';

const engine = connectEngine(
  await engineAccess(
    readSettings({ TEMPORAL_ADDRESS: process.env.CALIBRON_TEST_TEMPORAL, TEMPORAL_NAMESPACE: 'default' }),
  ),
);
afterAll(() => engine.close());

/** A question that the engine has nobody to answer: no worker takes workflows of this queue. */
async function unanswered() {
  const handle = await engine.client.workflow.start('nobody', { taskQueue: newId(), workflowId: newId() });
  return { ask: () => handle.query('state'), end: () => handle.terminate() };
}

test('a question that the engine lost is asked again', async () => {
  const lost = await unanswered();
  const asked: string[] = [];
  const answer = await withOneRetry(engine, async () => {
    asked.push(asked.length === 0 ? 'lost' : 'answered');
    if (asked.length === 1) await lost.ask();
    return (await engine.connection.workflowService.getSystemInfo({})).serverVersion;
  });
  expect(answer).toMatch(/^\d/);
  expect(asked).toEqual(['lost', 'answered']);
  await lost.end();
});

test('a query without an answer after two tries reports that the engine is unavailable', async () => {
  const lost = await unanswered();
  let asked = 0;
  const thrown = await withOneRetry(engine, async () => {
    asked += 1;
    return lost.ask();
  }).catch((error: unknown) => error);
  expect(isEngineUnavailable(thrown)).toBe(true);
  expect(asked).toBe(2);
  await lost.end();
});

test('what the engine refuses is not asked again', async () => {
  let asked = 0;
  const answer = withOneRetry(engine, async () => {
    asked += 1;
    return engine.client.workflow.getHandle(newId()).describe();
  });
  await expect(answer).rejects.toThrow('not found');
  expect(asked).toBe(1);
});

test.each([
  ['CANCELLED, as a deadline that passed', 1, '', true],
  ['DEADLINE_EXCEEDED', 4, '', true],
  ['UNAVAILABLE', 14, '', true],
  [
    'INTERNAL of a call that was cut off',
    13,
    'Received RST_STREAM with code 2 (Internal server error)',
    true,
  ],
  ['UNKNOWN', 2, 'sql: database is closed', true],
  ['NOT_FOUND', 5, 'workflow not found', false],
  ['INVALID_ARGUMENT', 3, '', false],
])('%s says that the engine is away: code %i, "%s", %s', (_, code, details, away) => {
  const grpc = Object.assign(new Error('call'), { code, details, metadata: {} });
  expect(isEngineUnavailable(new Error('Failed to describe schedule', { cause: grpc }))).toBe(away);
});
