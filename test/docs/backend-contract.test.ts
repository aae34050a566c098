import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { INLINE_DATASET_LIMIT, readMeasureResult } from '../../activities/backends/backend.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { backendContract, contractFile } from '../../scripts/backend-contract.ts';
import { RESULT_LIMIT } from '../../shared/domain/backends/answer-rules.ts';
import { heartbeatTimeoutsOf } from '../../shared/domain/backends/rules.ts';
import { type ResolvedParameters, SIMULATOR_BACKEND } from '../../shared/tasks/model.ts';
import { at, quiet, requestOf, taskOf } from '../support/measured.ts';

const shipped = readFileSync(contractFile, 'utf8');
const guide = readFileSync(fileURLToPath(new URL('../../docs/backend-contract.md', import.meta.url)), 'utf8');
const fits = new Ajv2020({ strict: false }).compile(
  z.record(z.string(), z.unknown()).parse(JSON.parse(shipped)),
);

/** A measurement of the simulator as it goes over the wire. */
async function exchange(): Promise<{ request: unknown; result: Record<string, unknown> }> {
  const task = taskOf('CheckRabi');
  const simulator = createSimulator({ now: () => at });
  const start = simulator.startValues('chip', '0', at);
  const inputs: ResolvedParameters = {};
  for (const name of Object.keys(task.inputs)) inputs[name] = start[name] ?? expect.fail(`no ${name}`);
  const request = requestOf(task, '0', inputs);
  const result = await simulator.measure(request, quiet());
  return JSON.parse(JSON.stringify({ request, result }));
}

test('the shipped contract is what the code has (npm run contract writes it)', () => {
  expect(shipped).toBe(backendContract());
});

test('a real exchange fits the shipped contract, and so does one with fields of a later version', async () => {
  const { request, result } = await exchange();
  expect(fits({ request, result }), JSON.stringify(fits.errors)).toBe(true);
  expect(fits({ request: { ...Object(request), mood: 'good' }, result: { ...result, mood: 'good' } })).toBe(
    true,
  );
  expect(readMeasureResult({ ...result, mood: 'good' })).toEqual(readMeasureResult(result));
});

test.each([
  ['no targets', {}],
  ['text in place of a number', { targets: { '0': { outputs: { t1: { value: '51.2' } } } } }],
  ['a dataset without coordinates', { targets: { '0': { dataset: { dims: { time: 1 }, variables: {} } } } }],
])('a result with %s fits neither the shipped contract nor the code', async (_, result) => {
  const { request } = await exchange();
  expect(fits({ request, result })).toBe(false);
  expect(readMeasureResult(result)).toMatch(/does not fit the contract/);
});

test('the guide for laboratories tells the limits that the code has', () => {
  expect(guide).toContain(`more than ${INLINE_DATASET_LIMIT / 1024} KB of JSON belongs into a file`);
  expect(guide).toContain(`more than ${RESULT_LIMIT / 1024} KB fails the task`);
  const defaultOf = (backend: string) => heartbeatTimeoutsOf({ backends: {} }, backend, undefined).longest;
  expect(guide.replaceAll('\n', ' ')).toContain(
    `\`MEASURE_HEARTBEAT_TIMEOUT\` counts, and without that ${defaultOf('fridge-1')} s (${defaultOf(SIMULATOR_BACKEND)} s for the simulator)`,
  );
});

test('an answer is read once, however many targets share it, and what was read is read', async () => {
  const { result } = await exchange();
  const read = readMeasureResult(result);
  expect(read).toEqual(result);
  expect(readMeasureResult(result)).toBe(read);
  expect(readMeasureResult(read)).toBe(read);
  const bad = { targets: 1 };
  expect(readMeasureResult(bad)).toMatch(/does not fit the contract/);
  expect(readMeasureResult(bad)).toBe(readMeasureResult({ ...bad }));
});
