import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { measureResult, type TargetResult } from '../../../../activities/backends/backend.ts';
import {
  type FaultPlan,
  faultPlan,
  faultRule,
  findFault,
} from '../../../../activities/backends/simulator/faults.ts';
import { createSimulator, type Simulator } from '../../../../activities/backends/simulator/simulator.ts';
import { readFinishedValues } from '../../../../activities/record/finished-values.ts';
import { RESULT_LIMIT } from '../../../../shared/domain/backends/answer-rules.ts';
import { defectKind } from '../../../../shared/science/device/defects.ts';
import { incidentKind } from '../../../../shared/science/device/incidents.ts';
import { phenomenonKind } from '../../../../shared/science/device/phenomena.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import type { ResolvedParameters, TaskDefinition } from '../../../../shared/tasks/model.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { taskNamed } from '../../../support/ids.ts';
import { at, measure, quiet, requestOf, taskOf } from '../../../support/measured.ts';

const task = taskOf('CheckT1');
const inputs: ResolvedParameters = createSimulator().startValues('chip', '0', at);
const request = requestOf(task, '0', inputs);

function plan(...rules: unknown[]): FaultPlan {
  return faultPlan.parse({ rules });
}

/** The values of an answer as they are judged. */
function finished(answer: TargetResult | undefined, { outputs }: TaskDefinition) {
  const read = readFinishedValues(answer ?? {}, outputs);
  return typeof read === 'string' ? expect.fail(read) : read;
}

function measureWith(...rules: unknown[]): Promise<unknown> {
  return createSimulator({ faults: plan(...rules) }).measure(request, quiet());
}

describe('a fault rule', () => {
  test('hits what matches all that it names, and the first rule counts', () => {
    const rules = plan(
      { match: { project_id: 'other' }, behaviour: 'error' },
      { match: { task_name: 'CheckRabi' }, behaviour: 'error' },
      { match: { targets: ['1', '2'] }, behaviour: 'error' },
      { match: { project_id: 'project', task_name: 'CheckT1', targets: ['0', '9'] }, behaviour: 'noise' },
      { behaviour: 'error' },
    );
    expect(findFault(rules, request, 'seed')?.behaviour).toBe('noise');
    expect(findFault(plan(), request, 'seed')).toBeUndefined();
  });

  test('hits its share of measurements, always the same ones', () => {
    const rules = plan({ match: { probability: 0.3 }, behaviour: 'error' });
    const hits = () =>
      Array.from({ length: 1000 }, (_, index) =>
        findFault(rules, { ...request, task_id: taskNamed(`task-${index}`) }, 'seed') === undefined ? 0 : 1,
      );
    const first = hits();
    expect(hits()).toEqual(first);
    const share = first.reduce((sum: number, hit) => sum + hit, 0) / first.length;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  test('applies to the first attempt only, if configured so', () => {
    const rules = plan({ match: { attempt: 1 }, behaviour: 'error' });
    expect(findFault(rules, request, 'seed')?.behaviour).toBe('error');
    expect(findFault(rules, { ...request, attempt: 2 }, 'seed')).toBeUndefined();
  });

  test.each([
    ['an unknown behaviour', { behaviour: 'explode' }],
    ['none', { match: {} }],
    ['an unknown key', { behaviour: 'noise', match: { qid: '0' } }],
    ['an option of another behaviour', { behaviour: 'noise', seconds: 3 }],
    ['a lie that it does not know', { behaviour: 'lie', lie: { faktor: 2 } }],
    ['a lost network that never comes back', { behaviour: 'disconnect' }],
    ['a probability above 1', { behaviour: 'error', match: { probability: 2 } }],
  ])('is refused with %s', (_, rule) => {
    expect(faultPlan.safeParse({ rules: [rule] }).success).toBe(false);
  });
});

describe('a faulty instrument', () => {
  test('gives noise without any signal', async () => {
    const result = measureResult.parse(await measureWith({ behaviour: 'noise' }));
    const values = result.targets['0']?.dataset?.variables.iq_re?.values ?? [];
    const half = values.length / 2;
    const mean = (part: (number | null)[]) =>
      part.reduce<number>((sum, value) => sum + (value ?? 0), 0) / part.length;
    expect(Math.abs(mean(values.slice(0, half)) - mean(values.slice(half)))).toBeLessThan(0.01);
  });

  test('puts a NaN into its data, which the contract refuses', async () => {
    expect(measureResult.safeParse(await measureWith({ behaviour: 'nan' })).success).toBe(false);
  });

  test('answers 10 MB', async () => {
    const result = await measureWith({ behaviour: 'oversize' });
    expect(measureResult.safeParse(result).success).toBe(true);
    expect(JSON.stringify(result).length).toBeGreaterThan(RESULT_LIMIT * 100);
  });

  test('answers garbage, which the contract refuses', async () => {
    for (let index = 0; index < 20; index++) {
      const simulator = createSimulator({ faults: plan({ behaviour: 'garbage' }) });
      const result = await simulator.measure({ ...request, task_id: taskNamed(`task-${index}`) }, quiet());
      expect(measureResult.safeParse(result).success).toBe(false);
    }
  });

  test('reports an error, its own or the one it is given', async () => {
    await expect(measureWith({ behaviour: 'error', message: 'no pump signal' })).rejects.toThrow(
      'no pump signal',
    );
    await expect(measureWith({ behaviour: 'error' })).rejects.toThrow(
      'The simulated instrument reports an error.',
    );
  });

  test('takes its time and then measures', async () => {
    const began = performance.now();
    expect(measureResult.safeParse(await measureWith({ behaviour: 'slow', seconds: 0.3 })).success).toBe(
      true,
    );
    expect(performance.now() - began).toBeGreaterThan(280);
  });

  test('stops its heartbeats once it has lost the network, and answers too late', async () => {
    let beats = 0;
    const simulator = createSimulator({
      faults: plan({ behaviour: 'disconnect', seconds: 1.5 }),
      timeScale: 0.2,
    });
    const control = { signal: new AbortController().signal, heartbeat: () => beats++ };
    const began = performance.now();
    expect(measureResult.safeParse(await simulator.measure(request, control)).success).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(1580);
    // One at its start; two more would have been due.
    expect(beats).toBe(1);
  });

  test('stalls with heartbeats until its deadline', async () => {
    let beats = 0;
    const simulator = createSimulator({ faults: plan({ behaviour: 'stall' }) });
    const soon = { ...request, deadline: new Date(Date.now() + 1300).toISOString() };
    const control = { signal: new AbortController().signal, heartbeat: () => beats++ };
    await expect(simulator.measure(soon, control)).rejects.toThrow('did not end before its deadline');
    expect(beats).toBeGreaterThanOrEqual(2);
  });

  test('keeps silent, without heartbeats, until it is aborted', async () => {
    let beats = 0;
    const abort = new AbortController();
    const simulator = createSimulator({ faults: plan({ behaviour: 'silent' }) });
    const measuring = simulator.measure(request, { signal: abort.signal, heartbeat: () => beats++ });
    setTimeout(() => abort.abort(new Error('given up')), 1200);
    await expect(measuring).rejects.toThrow('given up');
    expect(beats).toBe(0);
  });
});

describe('an instrument that fits by itself and lies', () => {
  const honest = async () => {
    const result = measureResult.parse(await createSimulator().measure(request, quiet()));
    const dataset = result.targets['0']?.dataset ?? expect.fail('no dataset');
    return analyse({ task, qid: '0', dataset, inputs, runParameters: request.run_parameters }).outputs;
  };
  const told = async (lie: object) =>
    measureResult.parse(await measureWith({ behaviour: 'lie', lie })).targets['0'];

  test('returns what a correct fit finds, times its factor, with an r2 that no gate refuses', async () => {
    const { t1 } = await honest();
    const answer = await told({ factor: 2 });
    expect(answer?.dataset).toBeUndefined();
    expect(answer?.outputs?.t1?.value).toBeCloseTo(2 * (t1?.value ?? 0), 2);
    expect(answer?.outputs?.t1?.error).toBeCloseTo(t1?.error ?? 0, 2);
    expect(gate(task, finished(answer, task))).toBeNull();
  });

  test('leaves out errors and r2 if it is configured so', async () => {
    const answer = await told({ errors: false, r2: null });
    expect(answer?.outputs?.t1).not.toHaveProperty('error');
    expect(answer?.quality).toEqual({ r2: null });
    expect(gate(task, finished(answer, task))?.rule).toBe('r2');
  });

  test('is caught by the gates when its fidelity is above 1', async () => {
    const { task: reading, request: asked } = await measure('ReadoutClassification', 'chip', {
      inputs: perfectInputs('chip'),
    });
    const simulator = createSimulator({ faults: plan({ behaviour: 'lie', lie: { factor: 1.2 } }) });
    const answer = measureResult.parse(await simulator.measure(asked, quiet())).targets['0'];
    const failure = gate(reading, finished(answer, reading));
    expect(failure?.rule).toBe('fidelity');
  });
});

describe('a defect of the device', () => {
  const wrong = (defect: string, qids = ['1']) =>
    createSimulator({ faults: faultPlan.parse({ defects: [{ qids, defect }] }) });
  const whole = createSimulator();
  const truth = (simulator: Simulator, qid: string) => simulator.truth('chip', qid, at);

  test('changes the qubits it names, on the chip it names, and no other', () => {
    for (const defect of defectKind.options) {
      const simulator = wrong(defect);
      expect(truth(simulator, '0')).toEqual(truth(whole, '0'));
      expect(truth(simulator, '1')).not.toEqual(truth(whole, '1'));
    }
    const elsewhere = faultPlan.parse({ defects: [{ chip_id: 'other', qids: ['1'], defect: 'dead' }] });
    const simulator = createSimulator({ faults: elsewhere });
    expect(truth(simulator, '1')).toEqual(truth(whole, '1'));
    expect(simulator.truth('other', '1', at)).not.toEqual(whole.truth('other', '1', at));
  });

  test('leaves start values as they were, which a dead qubit would not give', () => {
    expect(wrong('dead').startValues('chip', '1', at)).toEqual(whole.startValues('chip', '1', at));
  });

  test('can be a T1 of 1 us, which is found', async () => {
    const {
      dataset,
      task: t1Task,
      inputs: given,
      runParameters,
    } = await measure('CheckT1', 'chip', {
      qid: '1',
      faults: faultPlan.parse({ defects: [{ qids: ['1'], defect: 'short_t1' }] }),
    });
    const { t1 } = analyse({ task: t1Task, qid: '1', dataset, inputs: given, runParameters }).outputs;
    expect(t1?.value).toBeGreaterThan(0.5);
    expect(t1?.value).toBeLessThan(2);
  });

  test('can be the frequency of a neighbour', () => {
    const [lower, upper] = [truth(wrong('collision'), '1'), truth(whole, '0')];
    expect(Math.abs(lower.f01 - upper.f01)).toBeLessThan(0.002);
  });

  test('can be resonators in another order', () => {
    const bare = (simulator: Simulator, qid: string) => truth(simulator, qid).resonatorBare;
    const swapped = wrong('swapped_resonator', ['0', '1', '2', '3']);
    const rising = ['0', '1', '2', '3'].sort((a, b) => bare(swapped, a) - bare(swapped, b));
    expect(rising).toEqual(['0', '3', '1', '2']);
  });

  test('can be a resonator 5 MHz above the next one', () => {
    const distance = truth(wrong('close_resonator'), '1').resonatorGround - truth(whole, '2').resonatorGround;
    expect(distance).toBeGreaterThan(0.003);
    expect(distance).toBeLessThan(0.007);
  });

  test.each([
    ['dead', 'CheckRabi', {}],
    ['low_contrast', 'CheckRabi', {}],
    ['no_resonator', 'CheckRabi', {}],
    ['no_resonator', 'CheckReflectionCoefficient', {}],
  ])('%s makes %s fail with a message', async (defect, name, given) => {
    const faults = faultPlan.parse({ defects: [{ qids: ['1'], defect }] });
    const measured = await measure(name, 'chip', { qid: '1', faults, inputs: given });
    const failure = gate(measured.task, analyse(measured));
    expect(failure?.message).toMatch(/\.$/);
  });

  test('of an unknown kind or without qubits is refused', () => {
    for (const defect of [
      { qids: ['1'], defect: 'tired' },
      { qids: [], defect: 'dead' },
      { defect: 'dead' },
    ]) {
      expect(faultPlan.safeParse({ defects: [defect] }).success).toBe(false);
    }
  });
});

describe('the page about faults', () => {
  const page = readFileSync(new URL('../../../../docs/simulator.md', import.meta.url), 'utf8');

  test('names every defect, phenomenon, incident and behaviour', () => {
    const behaviours = faultRule.options.map((option) => option.shape.behaviour.value);
    const kinds = [...defectKind.options, ...phenomenonKind.options, ...incidentKind.options];
    for (const name of [...kinds, ...behaviours]) {
      expect(page).toContain(`| \`${name}\` |`);
    }
  });

  test('shows a plan that can be used', () => {
    const [, example = ''] = page.match(/```json\n([\s\S]*?)```/) ?? [];
    expect(faultPlan.parse(JSON.parse(example)).rules).toHaveLength(3);
  });
});

describe('a fault plan in a file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'faults-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test('is read again at each measurement, and an absent file plans nothing', async () => {
    const faultsPath = join(directory, 'faults.json');
    const journalPath = join(directory, 'journal.jsonl');
    const simulator = createSimulator({ faultsPath, journalPath });
    await simulator.measure(request, quiet());
    await writeFile(faultsPath, JSON.stringify(plan({ behaviour: 'error', message: 'broken' })));
    await expect(simulator.measure(request, quiet())).rejects.toThrow('broken');
    await writeFile(faultsPath, '{"rules": []}');
    await simulator.measure(request, quiet());
    const events = (await readFile(journalPath, 'utf8')).trimEnd().split('\n');
    expect(events.map((line) => JSON.parse(line).event)).toEqual([
      'start',
      'end',
      'start',
      'end',
      'start',
      'end',
    ]);
  });

  test('fails the measurement when it is not a fault plan', async () => {
    const faultsPath = join(directory, 'faults.json');
    await writeFile(faultsPath, '{"rules": [{"behaviour": "explode"}]}');
    const measuring = () => createSimulator({ faultsPath }).measure(request, quiet());
    await expect(measuring()).rejects.toThrow(/^The simulator's fault plan cannot be used: rules\.0\./);
    await writeFile(faultsPath, '{"rules": [');
    await expect(measuring()).rejects.toThrow("The simulator's fault plan cannot be used: it is not JSON.");
  });
});
