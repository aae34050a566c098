import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../../../scripts/engines/processes.ts';
import { lockWorkflowId, stageWorkflowId } from '../../../../shared/kernel/engine/workflow-ids.ts';
import { type Laboratory, type OwnProcess, oneStage, openLaboratory } from '../../../support/laboratory.ts';
import { GATEWAY_NAME, makeCertificates, openGateway } from '../../../support/secured-gateway.ts';

const key = randomBytes(32).toString('base64');

let directory: string;
let gateway: Awaited<ReturnType<typeof openGateway>>;
let lab: Laboratory;
let direct: Connection;
let worker: OwnProcess;
let api: OwnProcess;
let apiPort: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-secured-'));
  const certificates = await makeCertificates(directory);
  const engine = process.env['CALIBRON_TEST_TEMPORAL'] ?? 'unset';
  gateway = await openGateway(engine, certificates);
  direct = await Connection.connect({ address: engine });
  apiPort = await freePort();
  lab = await openLaboratory({
    API_PORT: String(apiPort),
    ADMIN_PASSWORD: 'correct horse battery',
    TEMPORAL_ADDRESS: gateway.address,
    TEMPORAL_TLS_SERVER_NAME: GATEWAY_NAME,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.paths.authority,
    TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.paths.clientCert,
    TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.paths.clientKey,
    PAYLOAD_KEYS: `of-a-test:${key}`,
    LOG_LEVEL: 'TRACE',
  });
  [worker, api] = await Promise.all([lab.startWorker(), lab.startApi()]);
});
afterAll(async () => {
  await lab.close();
  await Promise.all([gateway.close(), direct.close()]);
  await rm(directory, { recursive: true, force: true });
});

const payload = z.object({ metadata: z.object({ encoding: z.instanceof(Uint8Array) }) });

/** How each payload in an answer of the engine is encoded, and where it is. */
function encodingsIn(value: unknown, at = ''): string[] {
  const found = payload.safeParse(value);
  if (found.success) return [`${Buffer.from(found.data.metadata.encoding)} at ${at}`];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.entries(value).flatMap(([name, part]) => encodingsIn(part, `${at}.${name}`));
}

test('a run over TLS with certificates goes its way, and what the engine keeps of it is encrypted', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0', '1']), { parameters: { mood: 'good' } });
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expect(await fetch(`http://127.0.0.1:${apiPort}/readyz`).then(({ status }) => status)).toBe(200);

  const encodings: string[] = [];
  for (const workflowId of [
    lockWorkflowId(place.projectId),
    stageWorkflowId(place.projectId, run.execution_id, 0),
  ]) {
    const whose = { namespace: lab.engine.namespace, execution: { workflowId } };
    encodings.push(
      ...encodingsIn(await direct.workflowService.getWorkflowExecutionHistory(whose)),
      ...encodingsIn(await direct.workflowService.describeWorkflowExecution(whose)),
    );
  }
  expect(encodings.length).toBeGreaterThan(20);
  const readable = encodings.filter((each) => !each.startsWith('binary/encrypted'));
  // The engine has to read the first, and the SDK writes the others: names of changes in our code and of local activities.
  const known = /\.searchAttributes\.|\.patch-data\.|\.markerRecordedEventAttributes\.details\.data\./;
  expect(readable.filter((each) => !known.test(each))).toEqual([]);
});

test('a start is known again by what its memo says, encrypted or not', async () => {
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'stall' }] });
  const code = oneStage(['CheckT1'], ['0']);
  const first = await lab.startFlow(place, code, { idempotencyKey: 'tonight' });
  await lab.measuring(place.projectId, first.execution_id);
  expect((await lab.startFlow(place, code, { idempotencyKey: 'tonight' })).execution_id).toBe(
    first.execution_id,
  );
  await expect(lab.startFlow(place, code)).rejects.toThrow(first.execution_id);
  await lab.runs.control.cancel(place.projectId, first.flow_run_id);
  expect((await lab.ended(place.projectId, first.execution_id)).status).toBe('cancelled');
});

test('no log contains a key', async () => {
  for (const log of [await worker.log(), await api.log()]) {
    expect(log).not.toContain(key);
    expect(log).not.toContain('PRIVATE KEY');
  }
});
