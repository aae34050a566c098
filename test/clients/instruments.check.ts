import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commonLaboratory } from '../support/common-laboratory.ts';
import type { Laboratory } from '../support/laboratory.ts';
import { pythonVersion } from '../support/python.ts';
import { pythonFolder, pythonForPackage } from '../support/python-package.ts';

const run = promisify(execFile);
const examples = join(pythonFolder, 'examples');
const PYTHONPATH = [join(pythonFolder, 'src'), examples].join(':');

/** Milliseconds: the emulator solves two hundred pulses on a slow machine. */
const SOLVES_WITHIN = 1_200_000;

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

const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  stops.push(
    await serve('qcodes_fridge'),
    await serve('qibolab_emulator'),
    await serve('readout_spectroscopy'),
    await serve('qibolab_readout'),
  );
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
});

type Overrides = Parameters<Laboratory['startTask']>[3];

/** What a task finds on the instruments of a backend. */
async function measured(backend: string, task: string, overrides: Overrides = {}) {
  const place = await lab.newProject();
  const { execution_id } = await lab.startTask(place, task, '0', { backend, ...overrides });
  const ended = await lab.ended(place.projectId, execution_id, SOLVES_WITHIN);
  const [result] = await lab.tasksOf(place.projectId, execution_id);
  expect(ended.status, result?.message).toBe('completed');
  const found = result ?? expect.fail('no result');
  const value = (name: string) => Number(found.output_parameters[name]?.value);
  return { value, assumed: Number(found.input_parameters['qubit_frequency']?.value) };
}

test('QCoDeS instruments measure the relaxation and the coherence that they have', async () => {
  const t1 = await measured('qcodes-fridge', 'CheckT1');
  expect(t1.value('t1') / 42).toBeCloseTo(1, 0);
  const t2 = await measured('qcodes-fridge', 'CheckT2Echo');
  expect(t2.value('t2_echo') / 55).toBeCloseTo(1, 0);
});

test('QCoDeS instruments measure by how much the qubit lies off', async () => {
  const { value, assumed } = await measured('qcodes-fridge', 'CheckRamsey');
  expect((value('qubit_frequency') - assumed) * 1e3).toBeCloseTo(0.4, 1);
});

test('a network analyser finds the resonator, its rates, and by how much the qubit shifts it', async () => {
  const input_overrides = { readout_frequency: 6.5, qubit_frequency: 5 };
  const reflection = await measured('readout-spectroscopy', 'CheckReflectionCoefficient', {
    input_overrides,
  });
  expect((reflection.value('resonator_frequency') - 6.5) * 1e3).toBeCloseTo(1.5, 1);
  expect(reflection.value('kappa_external')).toBeCloseTo(3, 0);
  const shifted = await measured('readout-spectroscopy', 'CheckDispersiveShift', { input_overrides });
  expect(shifted.value('dispersive_shift')).toBeCloseTo(-0.6, 1);
});

test("Qibolab's emulator drives its qubit as fast as it is told to", async () => {
  const { value } = await measured('qibolab-emulator', 'CheckRabi', {
    input_overrides: { qubit_frequency: 2.6, control_amplitude: 0.0125 },
  });
  expect(value('rabi_frequency')).toBeCloseTo(12.5, 0);
});

test("Qibolab's emulator measures the T1 that it has", async () => {
  const { value } = await measured('qibolab-emulator', 'CheckT1', {
    input_overrides: { qubit_frequency: 2.6 },
    run_overrides: { time_range: [1.3, 3.8, 31] },
  });
  expect(value('t1') / 1.5).toBeCloseTo(1, 0);
});

test("Qibolab's emulator measures by how much its qubit lies off", async () => {
  const { value } = await measured('qibolab-emulator', 'CheckRamsey', {
    input_overrides: { qubit_frequency: 2.5996 },
    run_overrides: { time_range: [0, 2000, 50], detuning: 0.004 },
  });
  expect((value('qubit_frequency') - 2.5996) * 1e3).toBeCloseTo(0.4, 1);
});

test(
  "Qibolab's pulses find a resonator and its rates",
  async () => {
    const { value } = await measured('qibolab-readout', 'CheckReflectionCoefficient', {
      input_overrides: { readout_frequency: 4.998 },
      run_overrides: { frequency_width: 0.05, frequency_step: 0.0025, shots: 4096 },
    });
    expect((value('resonator_frequency') - 4.998) * 1e3).toBeCloseTo(2, 0);
    expect(value('kappa_external') / 8).toBeCloseTo(1, 0);
  },
  SOLVES_WITHIN,
);

test('the example with QCoDeS passes the conformance kit', async () => {
  const words = ['-m', 'calibron.command.main', 'backend', 'check', 'qcodes_fridge:backend'];
  const env = { ...process.env, PYTHONPATH };
  const { stdout } = await run(interpreter, words, { cwd: examples, env });
  expect(stdout).toContain('Nothing to fix.');
});
