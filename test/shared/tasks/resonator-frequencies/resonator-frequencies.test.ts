import { expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { MAX_PASSES } from '../../../../shared/tasks/next-pass.ts';
import { resonatorFrequenciesSimulation } from '../../../../shared/tasks/resonator-frequencies/simulation.ts';
import { at, taskOf } from '../../../support/measured.ts';
import { describeContinuousWave } from '../continuous-wave.ts';
import { allOfWidth, readoutLine } from '../readout-line.ts';

const task = taskOf('CheckResonatorFrequencies');

describeContinuousWave(task.name, {
  truths: { coarse_resonator_frequency: (qubit) => qubit.resonatorGround },
});

test.each([
  ['0.5 MHz, a quarter of the distance of the points', 0.0005],
  ['1 MHz', 0.001],
  ['12 MHz', 0.012],
])('all resonators of a multiplexer of %s are fitted', (_, kappa) => {
  for (const seed of ['width-a', 'width-b']) {
    const input = readoutLine(
      { name: task.name, simulation: resonatorFrequenciesSimulation },
      seed,
      allOfWidth(kappa),
    );
    for (const qid of ['0', '1', '2', '3']) {
      const analysis = analyse(input(qid));
      expect(gate(task, analysis)).toBeNull();
      const { value = 0, error = 0 } = analysis.outputs.coarse_resonator_frequency ?? {};
      expect(Math.abs(value - trueQubit(seed, qid, at).resonatorGround) / error).toBeLessThan(5);
    }
  }
});

test('a resonator of 0.3 MHz is found in the finer sweep that is requested if the usual one does not resolve it', () => {
  const simulation = resonatorFrequenciesSimulation;
  let finer = 0;
  for (const seed of ['finer-a', 'finer-b', 'finer-c']) {
    for (const qid of ['0', '2']) {
      let run: Record<string, unknown> = {};
      const measured = () =>
        analyse(readoutLine({ name: task.name, simulation }, seed, allOfWidth(0.3e-3), run)(qid));
      let analysis = measured();
      for (let pass = 1; pass < MAX_PASSES && gate(task, analysis) !== null; pass++) {
        run = Object.fromEntries(
          Object.entries(analysis.again?.run ?? expect.fail('no finer sweep is requested')),
        );
        analysis = measured();
        finer += 1;
      }
      expect(gate(task, analysis)).toBeNull();
      const { value = 0, error = 0 } = analysis.outputs.coarse_resonator_frequency ?? {};
      expect(Math.abs(value - trueQubit(seed, qid, at).resonatorGround) / error).toBeLessThan(5);
    }
  }
  expect(finer).toBeGreaterThan(0);
});

test('a missing resonator causes a finer sweep only if the noise of the phase may hide a narrow one', () => {
  const simulation = resonatorFrequenciesSimulation;
  const without = (noise: number) =>
    analyse(
      readoutLine({ name: task.name, simulation }, 'gone', (mates) =>
        mates.slice(1).map((mate) => ({ ...mate, lineNoise: noise })),
      )('0'),
    );
  const [quiet, noisy] = [without(0.0002), without(0.0012)];
  for (const { refused } of [quiet, noisy]) expect(refused).toMatch(/the one of qubit 0 is missing$/);
  expect(quiet.again).toBeUndefined();
  expect(noisy.again?.run).toHaveProperty('frequency_range');
});

test('a line in strong noise is refused or found at its frequency: no start width fits noise as a resonator', () => {
  const simulation = resonatorFrequenciesSimulation;
  for (const seed of ['drowned-a', 'drowned-b', 'drowned-c', 'drowned-d', 'drowned-e']) {
    const input = readoutLine({ name: task.name, simulation }, seed, (mates) =>
      allOfWidth(0.005)(mates).map((mate) => ({ ...mate, lineNoise: 8 * mate.lineNoise })),
    );
    for (const qid of ['0', '1', '2', '3']) {
      const { outputs, refused } = analyse(input(qid));
      if (refused !== undefined) continue;
      const { value = 0, error = 0 } = outputs.coarse_resonator_frequency ?? {};
      expect(Math.abs(value - trueQubit(seed, qid, at).resonatorGround) / error).toBeLessThan(5);
    }
  }
});
