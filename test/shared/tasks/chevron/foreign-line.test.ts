import { describe, expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { MAX_PASSES, type NextPassSettings, runOfNextPass } from '../../../../shared/tasks/next-pass.ts';
import { resolveRunParameters } from '../../../../shared/tasks/run-parameters.ts';
import { qubitSimulation } from '../../../../shared/tasks/simulations.ts';
import { at, taskOf } from '../../../support/measured.ts';

/** A chevron with the line of another qubit, at the given distance in GHz and with the given relative strength. */
function measured(
  name: string,
  seed: string,
  {
    again,
    pass = 1,
    ...foreign
  }: { by: number; share: number; again?: NextPassSettings | undefined; pass?: number },
) {
  const own = trueQubit(seed, '3', at);
  const qubit = { ...own, foreignLine: { f01: own.f01 + foreign.by, share: foreign.share } };
  const task = taskOf(name);
  const value = (of: number, unit: string) => ({ value: of, unit, value_type: 'float', error: null });
  const inputs = {
    coarse_qubit_frequency: value(own.f01 + 0.5e-3, 'GHz'),
    qubit_frequency: value(own.f01 + 0.1e-3, 'GHz'),
    coarse_control_amplitude: value(0.0125 / own.maximumRabiFrequency, 'a.u.'),
    control_amplitude: value(0.0125 / own.maximumRabiFrequency, 'a.u.'),
    readout_frequency: value(own.readoutFrequency, 'GHz'),
    readout_amplitude: value(own.readoutAmplitude, 'a.u.'),
    readout_length: value(own.readoutLengthNs, 'ns'),
  };
  const { parameters: usual } = resolveRunParameters(task, [{}]);
  const runParameters = again === undefined ? usual : runOfNextPass(usual, again);
  const simulation = qubitSimulation(name) ?? expect.fail(`${name} is not simulated`);
  const dataset = simulation.measure({
    ...{ qid: '3', qubit, muxMates: () => [qubit], neighbours: () => [] },
    ...{
      inputs,
      run: runParameters,
      noise: pass === 1 ? randomFrom(seed, name) : randomFrom(seed, name, pass),
    },
  });
  const analysis = analyse({ task, qid: '3', dataset, inputs, runParameters });
  /** The same data in response to a request for other settings. */
  const unchangedFor = (asked: NextPassSettings) =>
    analyse({ task, qid: '3', dataset, inputs, runParameters: runOfNextPass(runParameters, asked) });
  return { own, task, analysis, unchangedFor };
}

/** The last of the passes that a chevron asks for, and whether it asked for any. */
function measuredInPasses(name: string, seed: string, foreign: { by: number; share: number }) {
  let last = measured(name, seed, foreign);
  const asked = last.analysis.again !== undefined;
  for (let pass = 2; last.analysis.again !== undefined && pass <= MAX_PASSES; pass++) {
    last = measured(name, seed, { ...foreign, again: last.analysis.again, pass });
  }
  return { ...last, asked };
}

/** Whether a message names a line within 4 MHz of a frequency. */
const names = (message: string | undefined, frequency: number) =>
  [...(message ?? '').matchAll(/([\d.]+) GHz/g)].some(
    ([, told]) => Math.abs(Number(told) - frequency) < 4e-3,
  );

describe('a chevron with the line of another qubit', () => {
  test.each(['CheckChevron', 'CheckCoarseChevron'])('%s names both lines if they are equal', (name) => {
    for (const [index, by] of [0.032, -0.041].entries()) {
      const { own, task, analysis } = measured(name, `equal-${index}`, { by, share: 1 });
      expect(names(analysis.refused, own.f01)).toBe(true);
      expect(names(analysis.refused, own.f01 + by)).toBe(true);
      expect(gate(task, analysis)?.rule).toMatch(/^(r2|fit)$/);
    }
  });

  test('CheckChevron finds its qubit next to a weaker line, and names that line', () => {
    const { own, task, analysis } = measured('CheckChevron', 'weaker', { by: 0.036, share: 0.2 });
    expect(gate(task, analysis)).toBeNull();
    const { value = 0, error = 0 } = analysis.outputs.qubit_frequency ?? {};
    expect(Math.abs(value - own.f01)).toBeLessThan(5 * error);
    expect(analysis.notes).toHaveLength(1);
    expect(names(analysis.notes?.[0], own.f01 + 0.036)).toBe(true);
  });

  test.each([0.005, -0.008])('CheckCoarseChevron refuses two equal lines %s GHz apart', (by) => {
    const { task, analysis } = measured('CheckCoarseChevron', 'near', { by, share: 1 });
    expect(gate(task, analysis)).not.toBeNull();
  });

  test.each(['CheckChevron', 'CheckCoarseChevron', 'CheckFineChevron', 'CheckQubitFrequency'])(
    '%s gives no frequency between two lines that form one pattern',
    (name) => {
      for (const [by, share] of [
        [0.003, 0.5],
        [-0.006, 0.4],
        [0.005, 0.8],
      ] as const) {
        const { own, task, analysis } = measured(name, `hidden-${by}`, { by, share });
        const { value = own.f01, error = 0 } = analysis.outputs.qubit_frequency ?? {};
        const isRight = Math.abs(value - own.f01) < 5 * error;
        expect(gate(task, analysis) !== null || isRight).toBe(true);
      }
    },
  );

  test.each([0.9, 0])(
    'CheckQubitFrequency requests longer pulses if a line of share %s may be hidden',
    (share) => {
      let asked = 0;
      for (let index = 0; index < 12; index++) {
        const last = measuredInPasses('CheckQubitFrequency', `longer-${index}`, { by: 1.6e-3, share });
        if (last.asked) asked += 1;
        const { own, task, analysis } = last;
        expect(gate(task, analysis) === null).toBe(share === 0);
        const { value = own.f01, error = 0 } = analysis.outputs.qubit_frequency ?? {};
        expect(Math.abs(value - own.f01)).toBeLessThanOrEqual(5 * error);
      }
      expect(asked).toBeGreaterThan(share === 0 ? -1 : 0);
      expect(asked).toBeLessThan(share === 0 ? 8 : 13);
    },
  );

  test.each([1.1e-3, -1.4e-3])(
    'CheckCoarseChevron seldom takes a value that a line %s GHz beside it moved',
    (by) => {
      const taken = Array.from({ length: 24 }, (_, index) =>
        measuredInPasses('CheckCoarseChevron', `longer-${index}`, { by, share: 0.9 }),
      ).filter(({ task, analysis }) => gate(task, analysis) === null);
      expect(taken.length).toBeLessThanOrEqual(4);
    },
  );

  test('CheckCoarseChevron keeps a good value, with longer pulses or from a backend without them', () => {
    let asked = 0;
    for (let index = 0; index < 60; index++) {
      const alone = { by: 0.03, share: 0 };
      const { analysis, unchangedFor } = measured('CheckCoarseChevron', `fixed-${index}`, alone);
      const { again } = analysis;
      if (again === undefined) continue;
      asked += 1;
      const longer = measuredInPasses('CheckCoarseChevron', `fixed-${index}`, alone);
      expect(gate(longer.task, longer.analysis)).toBeNull();
      const stubborn = unchangedFor(again);
      expect(stubborn.again).toBeUndefined();
      expect(stubborn.outputs.qubit_frequency).toBeDefined();
    }
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(30);
  });

  test.each(['CheckChevron', 'CheckCoarseChevron', 'CheckFineChevron'])(
    '%s names no line if there is none',
    (name) => {
      for (let index = 0; index < 4; index++) {
        const { task, analysis } = measuredInPasses(name, `alone-${index}`, { by: 0.03, share: 0 });
        expect(gate(task, analysis)).toBeNull();
        expect(analysis.notes ?? []).toEqual([]);
      }
    },
  );
});
