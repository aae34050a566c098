import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { measureResult, RESULT_LIMIT } from '../../activities/backends/backend.ts';
import { type FaultPlan, faultPlan, findFault } from '../../activities/backends/simulator/faults.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import type { ResolvedParameters } from '../../shared/tasks/model.ts';
import { at, quiet, requestOf, taskOf } from '../analysis/measured.ts';

const task = taskOf('CheckT1');
const inputs: ResolvedParameters = createSimulator().startValues('chip', '0', at);
const request = requestOf(task, '0', inputs);

function plan(...rules: unknown[]): FaultPlan {
  return faultPlan.parse({ rules });
}

function measureWith(...rules: unknown[]): Promise<unknown> {
  return createSimulator({ faults: plan(...rules) }).measure(request, quiet());
}

describe('a fault rule', () => {
  it('hits what matches all that it names, and the first rule counts', () => {
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

  it('hits its share of measurements, always the same ones', () => {
    const rules = plan({ match: { probability: 0.3 }, behaviour: 'error' });
    const hits = () =>
      Array.from({ length: 1000 }, (_, index) =>
        findFault(rules, { ...request, task_id: `task-${index}` }, 'seed') === undefined ? 0 : 1,
      );
    const first = hits();
    expect(hits()).toEqual(first);
    const share = first.reduce((sum: number, hit) => sum + hit, 0) / first.length;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  it('is refused when it is misspelt', () => {
    for (const rule of [
      { behaviour: 'explode' },
      { behaviour: 'noise', match: { qid: '0' } },
      { match: {} },
    ]) {
      expect(() => plan(rule)).toThrow();
    }
  });
});

describe('a faulty instrument', () => {
  it('gives noise without any signal', async () => {
    const result = measureResult.parse(await measureWith({ behaviour: 'noise' }));
    const values = result.targets['0']?.dataset?.variables.iq_re?.values ?? [];
    const half = values.length / 2;
    const mean = (part: (number | null)[]) =>
      part.reduce<number>((sum, value) => sum + (value ?? 0), 0) / part.length;
    expect(Math.abs(mean(values.slice(0, half)) - mean(values.slice(half)))).toBeLessThan(0.01);
  });

  it('puts a NaN into its data, which the contract refuses', async () => {
    expect(measureResult.safeParse(await measureWith({ behaviour: 'nan' })).success).toBe(false);
  });

  it('answers 10 MB', async () => {
    const result = await measureWith({ behaviour: 'oversize' });
    expect(measureResult.safeParse(result).success).toBe(true);
    expect(JSON.stringify(result).length).toBeGreaterThan(RESULT_LIMIT * 100);
  });

  it('answers garbage, which the contract refuses', async () => {
    for (let index = 0; index < 20; index++) {
      const simulator = createSimulator({ faults: plan({ behaviour: 'garbage' }) });
      const result = await simulator.measure({ ...request, task_id: `task-${index}` }, quiet());
      expect(measureResult.safeParse(result).success).toBe(false);
    }
  });

  it('reports an error, its own or the one it is given', async () => {
    await expect(measureWith({ behaviour: 'error', message: 'no pump signal' })).rejects.toThrow(
      'no pump signal',
    );
    await expect(measureWith({ behaviour: 'error' })).rejects.toThrow(
      'The simulated instrument reports an error.',
    );
  });

  it('takes its time and then measures', async () => {
    const began = performance.now();
    expect(measureResult.safeParse(await measureWith({ behaviour: 'slow', seconds: 0.3 })).success).toBe(
      true,
    );
    expect(performance.now() - began).toBeGreaterThan(280);
  });

  it('stalls with heartbeats until its deadline', async () => {
    let beats = 0;
    const simulator = createSimulator({ faults: plan({ behaviour: 'stall' }) });
    const soon = { ...request, deadline: new Date(Date.now() + 1300).toISOString() };
    const control = { signal: new AbortController().signal, heartbeat: () => beats++ };
    await expect(simulator.measure(soon, control)).rejects.toThrow('did not end before its deadline');
    expect(beats).toBeGreaterThanOrEqual(2);
  });

  it('keeps silent, without heartbeats, until it is aborted', async () => {
    let beats = 0;
    const abort = new AbortController();
    const simulator = createSimulator({ faults: plan({ behaviour: 'silent' }) });
    const measuring = simulator.measure(request, { signal: abort.signal, heartbeat: () => beats++ });
    setTimeout(() => abort.abort(new Error('given up')), 1200);
    await expect(measuring).rejects.toThrow('given up');
    expect(beats).toBe(0);
  });
});

describe('a fault plan in a file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'faults-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('is read again at each measurement, and an absent file plans nothing', async () => {
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

  it('fails the measurement when it is no fault plan', async () => {
    const faultsPath = join(directory, 'faults.json');
    await writeFile(faultsPath, '{"rules": [{"behaviour": "explode"}]}');
    await expect(createSimulator({ faultsPath }).measure(request, quiet())).rejects.toThrow();
  });
});
