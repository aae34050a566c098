import { expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
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

test('a line that is drowned in noise is refused, or found where it is: no start width fits noise as a resonator', () => {
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
