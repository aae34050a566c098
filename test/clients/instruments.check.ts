import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { type Laboratory, oneStage } from '../support/laboratory.ts';
import { pythonVersion } from '../support/python.ts';
import { pythonFolder, pythonForPackage } from '../support/python-package.ts';

const run = promisify(execFile);
const examples = join(pythonFolder, 'examples');
const PYTHONPATH = [join(pythonFolder, 'src'), examples].join(':');

let lab: Laboratory;
let interpreter: string;

beforeAll(async () => {
  const version = await pythonVersion();
  if (version === null) throw new Error('These checks need Python with pip.');
  interpreter = await pythonForPackage(version, 'examples');
  lab = await commonLaboratory();
}, 900_000);

/** Serves an example as a backend of the laboratory. */
async function serve(example: string) {
  const log = await open(join(lab.directory, `${example}.log`), 'a');
  const words = ['-m', 'calibron.command.main', 'backend', 'serve', `${example}:backend`];
  const env = {
    ...process.env,
    PYTHONPATH,
    TEMPORAL_ADDRESS: lab.settings.TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE: lab.settings.TEMPORAL_NAMESPACE,
  };
  const child = spawn(interpreter, words, { env, stdio: ['ignore', log.fd, log.fd] });
  await log.close();
  const exited = once(child, 'exit');
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
}

let stop: () => Promise<void>;
beforeAll(async () => {
  stop = await serve('qcodes_fridge');
});
afterAll(() => stop?.());

/** What a task finds on the instruments, by output. */
async function measured(task: string) {
  const place = await lab.newProject();
  const { execution_id } = await lab.startFlow(place, oneStage([task], ['0']), { backend: 'qcodes-fridge' });
  const ended = await lab.ended(place.projectId, execution_id, 120_000);
  const [result] = await lab.tasksOf(place.projectId, execution_id);
  expect(ended.status, result?.message).toBe('completed');
  return result ?? expect.fail('no result');
}

test('QCoDeS instruments measure the T1 that they have', async () => {
  const { output_parameters } = await measured('CheckT1');
  expect(Number(output_parameters['t1']?.value) / 42).toBeCloseTo(1, 0);
});

test('QCoDeS instruments measure the T2 that they have', async () => {
  const { output_parameters } = await measured('CheckT2Echo');
  expect(Number(output_parameters['t2_echo']?.value) / 55).toBeCloseTo(1, 0);
});

test('QCoDeS instruments measure by how much the qubit lies off', async () => {
  const { output_parameters, input_parameters } = await measured('CheckRamsey');
  const assumed = Number(input_parameters['qubit_frequency']?.value);
  expect((Number(output_parameters['qubit_frequency']?.value) - assumed) * 1e3).toBeCloseTo(0.4, 1);
});

test('the example with QCoDeS passes the conformance kit', async () => {
  const words = ['-m', 'calibron.command.main', 'backend', 'check', 'qcodes_fridge:backend'];
  const env = { ...process.env, PYTHONPATH };
  const { stdout } = await run(interpreter, words, { cwd: examples, env });
  expect(stdout).toContain('Nothing to fix.');
});
