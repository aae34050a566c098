import { describe, expect, test } from 'vitest';
import { estimateText } from '../../../../shared/science/fitting/estimate.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { calibratedPair, calibratePair, measurePair } from '../../../support/pairs.ts';
import { changed, failureOf, healthy, PAIR_SEED } from '../pair-failures.ts';

describe('the tomography refuses', () => {
  const tasks = ['CheckCrossResonance'];

  test.each([
    ['dead', /control: the prepared states do not differ/],
    ['low_contrast', /control: the prepared states do not differ/],
    ['short_t1', /the control does not keep its state/],
  ] as const)('a control that is %s', async (defect, reason) => {
    expect(await failureOf(healthy, tasks, ['0', defect])).toMatch(reason);
  });

  test('a target that does not answer', async () => {
    expect(await failureOf(healthy, tasks, ['2', 'dead'])).toMatch(
      /target: the prepared states do not differ/,
    );
  });

  test('a pair whose frequencies collide', async () => {
    const neighbour = calibratedPair(PAIR_SEED, '0', '1');
    const { value = 0 } = neighbour.target.qubit_frequency ?? {};
    const known = changed(neighbour, 'control', 'qubit_frequency', () => value + 0.001);
    const faults = { rules: [], defects: [{ qids: ['0'], defect: 'collision' as const }] };
    const { failure } = await calibratePair(PAIR_SEED, '0-1', known, { tasks, faults });
    expect(failure).toMatch(/the control does not keep its state .* may collide/);
  });

  test('a drive that misses the frequency of the target', async () => {
    const known = changed(healthy, 'target', 'qubit_frequency', (value) => value + 0.001);
    expect(await failureOf(known, tasks)).toMatch(
      /the drive is not at the frequency of the target: IZ is -1\.0/,
    );
  });

  test('steps that do not follow their tones', async () => {
    const measured = await measurePair('CheckCrossResonance', { seed: PAIR_SEED, qid: '0-2' }, healthy);
    const { cr_phase: phases } = measured.dataset.variables;
    if (phases === undefined) expect.fail('no phases');
    phases.values = phases.values.map((phase, step) => Number(phase) + (step === 2 ? 0.2 : 0));
    expect(gate(measured.task, analyse(measured))?.message).toMatch(/the steps contradict each other/);
  });

  test('readout at a wrong frequency', async () => {
    const known = changed(healthy, 'target', 'readout_frequency', (value) => value + 0.2);
    expect(await failureOf(known, tasks)).toMatch(/target: the prepared states do not differ/);
  });
});

test('the figure of the tomography shows the rate with the error of the output', async () => {
  const pair = { seed: PAIR_SEED, qid: '0-2' };
  const { outputs, figures } = analyse(await measurePair('CheckCrossResonance', pair, healthy));
  const { value, error } = outputs.zx_rotation_rate ?? expect.fail('no rate');
  const rate = estimateText({ value: 1000 * value, error: 1000 * error }, 'MHz');
  expect(figures[0]?.layout.title.text).toContain(`ZX = ${rate}`);
});
