import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  INLINE_DATASET_LIMIT,
  type MeasureRequest,
  measureResult,
} from '../../../../activities/backends/backend.ts';
import {
  createSimulator,
  type SimulatorOptions,
} from '../../../../activities/backends/simulator/simulator.ts';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import type { ResolvedParameters } from '../../../../shared/tasks/model.ts';
import { executionNamed, taskNamed } from '../../../support/ids.ts';
import { journalAt } from '../../../support/journal.ts';
import { at, quiet, requestOf, taskOf } from '../../../support/measured.ts';

const task = taskOf('CheckRabi');
const frozen: SimulatorOptions = { now: () => at };

let directory: string;
let journalPath: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'simulator-'));
  journalPath = join(directory, 'journal.jsonl');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A CheckRabi request with the start values of the given qubits' chip. */
function rabiRequest(changes: Partial<MeasureRequest> = {}): MeasureRequest {
  const start = createSimulator(frozen).startValues('chip', '0', at);
  const inputs: ResolvedParameters = {};
  for (const name of Object.keys(task.inputs)) inputs[name] = start[name] ?? expect.fail(`no ${name}`);
  return requestOf(task, '0', inputs, changes);
}

const journal = () => journalAt(journalPath)('project');

describe('the hidden device', () => {
  test('is the same for the same seed and another for another', () => {
    expect(trueQubit('a', '5', at)).toEqual(trueQubit('a', '5', at));
    expect(trueQubit('a', '5', at)).not.toEqual(trueQubit('b', '5', at));
    expect(trueQubit('a', '5', at)).not.toEqual(trueQubit('a', '6', at));
  });

  test('comes from the chip id unless a seed is given', () => {
    expect(createSimulator().truth('chip-1', '0', at)).toEqual(trueQubit('chip-1', '0', at));
    expect(createSimulator({ seed: 's' }).truth('chip-1', '0', at)).toEqual(trueQubit('s', '0', at));
  });

  test('lies in the ranges of the specification for every qubit of a large chip', () => {
    for (let index = 0; index < 1024; index++) {
      const qubit = trueQubit('ranges', String(index), at);
      const even = [0, 3].includes(index % 4);
      expect(qubit.f01).toBeGreaterThan(even ? 7.8 : 8.7);
      expect(qubit.f01).toBeLessThan(even ? 8.4 : 9.3);
      expect(qubit.t1).toBeGreaterThan(3);
      expect(qubit.t1).toBeLessThan(150);
      expect(qubit.t2Echo).toBeLessThanOrEqual(2.4 * qubit.t1);
      expect(qubit.t2Star).toBeLessThan(qubit.t2Echo);
      expect(qubit.maximumRabiFrequency).toBeGreaterThanOrEqual(0.1);
      expect(qubit.maximumRabiFrequency).toBeLessThanOrEqual(0.6);
      expect(qubit.resonatorGround).toBeGreaterThan(9.9);
      expect(qubit.resonatorGround).toBeLessThan(10.6);
    }
  });

  test('puts the lower frequency on even row + column, as the topologies direct', () => {
    for (let mux = 0; mux < 16; mux++) {
      const [topLeft, topRight, bottomLeft, bottomRight] = [0, 1, 2, 3].map(
        (place) => trueQubit('direction', String(4 * mux + place), at).f01,
      );
      const lower = Math.max(topLeft ?? 0, bottomRight ?? 0);
      const higher = Math.min(topRight ?? 0, bottomLeft ?? 0);
      expect(lower).toBeLessThan(higher);
    }
  });

  test('drifts slowly, and only with time', () => {
    const hour = 3_600_000;
    const frequencies = Array.from(
      { length: 200 },
      (_, hours) => trueQubit('drift', '3', new Date(at.getTime() + hours * hour)).f01,
    );
    const spread = Math.max(...frequencies) - Math.min(...frequencies);
    expect(spread).toBeGreaterThan(20e-6);
    expect(spread).toBeLessThan(500e-6);
    for (const [index, frequency] of frequencies.slice(1).entries()) {
      expect(Math.abs(frequency - (frequencies[index] ?? 0))).toBeLessThan(100e-6);
    }
  });

  test('names its qubits by number only', () => {
    for (const qid of ['', 'Q0', '-1', '1.5', '0-1', '01', ' 1', '1e3']) {
      expect(() => trueQubit('s', qid, at)).toThrow('has no qubit');
    }
  });
});

describe('start values', () => {
  test('are the truth with a small error, for every input of every task', () => {
    const simulator = createSimulator(frozen);
    const start = simulator.startValues('chip', '2', at);
    const truth = simulator.truth('chip', '2', at);
    expect(Object.keys(start)).toEqual([
      'qubit_frequency',
      'control_amplitude',
      'readout_frequency',
      'readout_amplitude',
      'readout_length',
      'hpi_amplitude',
      'hpi_length',
    ]);
    expect(Math.abs((start.qubit_frequency?.value ?? 0) - truth.f01)).toBeLessThan(0.25e-3);
    const rabi = (start.control_amplitude?.value ?? 0) * truth.maximumRabiFrequency;
    expect(rabi).toBeGreaterThan(0.0125 * 0.9);
    expect(rabi).toBeLessThan(0.0125 * 1.1);
    expect(simulator.startValues('chip', '2', at)).toEqual(start);
  });
});

describe('a measurement', () => {
  test('answers what the contract asks, small enough to travel inline', async () => {
    const result = measureResult.parse(await createSimulator(frozen).measure(rabiRequest(), quiet()));
    const dataset = result.targets['0']?.dataset;
    expect(dataset?.dims).toEqual({ time: 55 });
    expect(dataset?.coordinates.time?.unit).toBe('ns');
    expect(JSON.stringify(dataset).length).toBeLessThan(INLINE_DATASET_LIMIT / 2);
    expect(result.started_at).toBe(at.toISOString());
  });

  test('answers for all its targets', async () => {
    const request = rabiRequest({ targets: ['0', '1'] });
    const result = measureResult.parse(await createSimulator(frozen).measure(request, quiet()));
    expect(Object.keys(result.targets)).toEqual(['0', '1']);
  });

  const iqOf = async (options: SimulatorOptions, changes: Partial<MeasureRequest>) => {
    const request = rabiRequest(changes);
    const result = measureResult.parse(
      await createSimulator({ ...frozen, ...options }).measure(request, quiet()),
    );
    return result.targets[request.targets[0] ?? '']?.dataset?.variables.iq_re?.values;
  };

  test('is reproduced by the same request, and differs for another attempt, task, execution and target', async () => {
    const first = await iqOf({}, {});
    expect(await iqOf({}, {})).toEqual(first);
    const others = [
      { attempt: 2 },
      { task_id: taskNamed('x') },
      { execution_id: executionNamed('x') },
      { targets: ['1'] },
    ];
    for (const change of others) expect(await iqOf({}, change)).not.toEqual(first);
  });

  test('has the same noise in each task and execution where noise has a seed, and differs for another attempt and target', async () => {
    const options = { noiseSeed: 'demonstration' };
    const first = await iqOf(options, {});
    for (const change of [{ task_id: taskNamed('x') }, { execution_id: executionNamed('x') }])
      expect(await iqOf(options, change)).toEqual(first);
    for (const change of [{ attempt: 2 }, { targets: ['1'] }])
      expect(await iqOf(options, change)).not.toEqual(first);
    expect(await iqOf({ noiseSeed: 'another' }, {})).not.toEqual(first);
  });

  test('refuses an unknown task, an unknown qubit and missing parameters, naming them', async () => {
    const simulator = createSimulator(frozen);
    const request = rabiRequest();
    const { readout_frequency: _, ...incomplete } = request.input_parameters;
    await expect(simulator.measure(rabiRequest({ task_name: 'CheckNothing' }), quiet())).rejects.toThrow(
      'The simulator cannot measure CheckNothing.',
    );
    await expect(simulator.measure(rabiRequest({ targets: ['Q7'] }), quiet())).rejects.toThrow(
      'has no qubit "Q7"',
    );
    await expect(simulator.measure({ ...request, input_parameters: incomplete }, quiet())).rejects.toThrow(
      'The simulator needs the parameter readout_frequency.',
    );
    const empty = {
      ...request.run_parameters,
      time_range: { value: [0, 0, 1], value_type: 'range', unit: 'ns' },
    };
    await expect(simulator.measure({ ...request, run_parameters: empty }, quiet())).rejects.toThrow(
      'The simulator cannot use the parameter time_range: it has no points.',
    );
  });

  test('writes its start and its end to the journal', async () => {
    const simulator = createSimulator({ ...frozen, journalPath });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        simulator.measure(rabiRequest({ task_id: taskNamed(`task-${index}`) }), quiet()),
      ),
    );
    const entries = await journal();
    expect(entries).toHaveLength(80);
    expect(entries.filter(({ event }) => event === 'start')).toHaveLength(40);
    expect(entries.find(({ event }) => event === 'end')).toEqual({
      event: 'end',
      at: at.toISOString(),
      pid: process.pid,
      project_id: 'project',
      execution_id: '20260301-000',
      task_id: expect.stringMatching(/^task-/),
      attempt: 1,
      task_name: 'CheckRabi',
      targets: ['0'],
    });
  });

  test('takes the configured time, with heartbeats', async () => {
    let beats = 0;
    const began = performance.now();
    const control = { signal: new AbortController().signal, heartbeat: () => beats++ };
    await createSimulator({ timeScale: 1.2 }).measure(rabiRequest(), control);
    expect(performance.now() - began).toBeGreaterThan(1150);
    expect(beats).toBeGreaterThanOrEqual(2);
  });

  test('stops at once when aborted, with the reason, and says so in the journal', async () => {
    const abort = new AbortController();
    const simulator = createSimulator({ timeScale: 3600, journalPath });
    const measuring = simulator.measure(rabiRequest(), { signal: abort.signal, heartbeat: () => {} });
    setTimeout(() => abort.abort(new Error('cancelled by the operator')), 50);
    await expect(measuring).rejects.toThrow('cancelled by the operator');
    expect((await journal()).map(({ event }) => event)).toEqual(['start', 'abort']);
  });

  test('does not begin when it is aborted already', async () => {
    const control = { signal: AbortSignal.abort(new Error('too late')), heartbeat: () => {} };
    await expect(createSimulator({ journalPath }).measure(rabiRequest(), control)).rejects.toThrow(
      'too late',
    );
    expect(await journal()).toEqual([]);
  });
});

describe('random numbers', () => {
  test('are uniform and normal as they should be', () => {
    const random = randomFrom('statistics');
    const uniform = Array.from({ length: 20_000 }, () => random.uniform());
    const normal = Array.from({ length: 20_000 }, () => random.normal());
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.min(...uniform)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...uniform)).toBeLessThan(1);
    expect(mean(uniform)).toBeCloseTo(0.5, 1);
    expect(mean(normal)).toBeCloseTo(0, 1);
    expect(mean(normal.map((value) => value ** 2))).toBeCloseTo(1, 1);
    expect(normal.filter((value) => Math.abs(value) < 1).length / normal.length).toBeCloseTo(0.683, 1);
  });

  test('keep parts of their key apart', () => {
    expect(randomFrom('ab', 'c').uniform()).not.toBe(randomFrom('a', 'bc').uniform());
    expect(randomFrom('a', 1).uniform()).toBe(randomFrom('a', '1').uniform());
  });
});
