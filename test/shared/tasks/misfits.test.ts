import { expect, test } from 'vitest';
import { faultPlan } from '../../../activities/backends/simulator/faults.ts';
import type { PhenomenonKind } from '../../../shared/science/device/phenomena.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import {
  driftOffset,
  keepOneQuadrature,
  loseGain,
  slipPoint,
  swapQuadratures,
} from '../../../shared/science/device/spoilt-data.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { efInputs, perfectInputs } from '../../support/drag-inputs.ts';
import { measure } from '../../support/measured.ts';

async function refusalOf(task: string, phenomenon: PhenomenonKind, seed: string) {
  const faults = faultPlan.parse({ phenomena: [{ phenomenon }] });
  const measured = await measure(task, seed, { faults, inputs: perfectInputs(seed) });
  return gate(measured.task, analyse(measured))?.message ?? 'accepted';
}

test.each<[string, PhenomenonKind]>([
  ['CheckFineChevron', 'offset_jump'],
  ['CheckFineChevron', 'falling_gain'],
  ['CheckQubitFrequency', 'offset_jump'],
  ['CreateHPIPulse', 'drifting_readout'],
  ['CreateDRAGHPIPulse', 'offset_jump'],
])('%s refuses a measurement with %s, even if its r2 is high', async (task, phenomenon) => {
  for (const seed of ['misfit-0', 'misfit-1', 'misfit-2']) {
    expect(await refusalOf(task, phenomenon, seed)).toMatch(
      /does not describe the data|moves across the axis|drifts along the sweep|not good enough|exceeds the noise|not resolved|outside/,
    );
  }
});

test.each(['CheckFineChevron', 'CreateHPIPulse', 'CreateDRAGHPIPulse'])(
  '%s accepts a healthy sweep',
  async (task) => {
    for (const seed of ['misfit-0', 'misfit-1', 'misfit-2']) {
      const measured = await measure(task, seed, { inputs: perfectInputs(seed) });
      expect(gate(measured.task, analyse(measured))).toBeNull();
    }
  },
);

test.each(['CreateDRAGHPIPulse', 'CheckAllXY'])(
  '%s refuses signals whose offset drifts while the population falls',
  async (task) => {
    for (let index = 0; index < 10; index++) {
      const seed = `drift-${index}`;
      const measured = await measure(task, seed, { inputs: perfectInputs(seed) });
      driftOffset(measured.dataset, randomFrom(seed));
      expect(gate(measured.task, analyse(measured))?.message).toMatch(
        /moves across the axis|does not describe the data|is beyond the/,
      );
    }
  },
);

test.each([
  ['CreateHPIPulse', 'a gain that falls', loseGain],
  ['CheckT2Echo', 'an offset that drifts', driftOffset],
  ['LeakageRandomizedBenchmarking', 'a gain that falls', loseGain],
  ['LeakageRandomizedBenchmarking', 'swapped quadratures', swapQuadratures],
  ['CheckT1', 'points that slip by one', slipPoint],
  ['CheckFineChevron', 'points that slip by one', slipPoint],
])('%s refuses almost all measurements with %s', async (task, _, spoil) => {
  let refused = 0;
  for (let index = 0; index < 8; index++) {
    const seed = `spoilt-${index}`;
    const measured = await measure(task, seed, { inputs: efInputs(seed) });
    spoil(measured.dataset, randomFrom(seed));
    const { refused: reason } = analyse(measured);
    if (reason !== undefined) refused += 1;
  }
  expect(refused).toBeGreaterThanOrEqual(7);
});

test.each([
  ['CheckEFSpectroscopy', 'ef_frequency'],
  ['CheckFineAmplitude', 'drag_hpi_amplitude'],
  ['CheckT1', 't1'],
])(
  '%s accepts a signal with a single recorded quadrature, with errors that are not smaller for the missing noise',
  async (task, output) => {
    const measured = await measure(task, 'one-quadrature', { inputs: efInputs('one-quadrature') });
    const whole = analyse(measured).outputs[output];
    keepOneQuadrature(measured.dataset);
    const half = analyse(measured);
    expect(gate(measured.task, half)).toBeNull();
    expect(half.outputs[output]?.error).toBeGreaterThan(0.7 * (whole?.error ?? Number.NaN));
  },
);

test.each(['CheckQubitFrequencies', 'CheckQubitSpectroscopy'])(
  '%s, which finds the qubit in the phase, finds none if a single quadrature is recorded',
  async (task) => {
    const measured = await measure(task, 'one-quadrature', { inputs: perfectInputs('one-quadrature') });
    expect(gate(measured.task, analyse(measured))).toBeNull();
    keepOneQuadrature(measured.dataset);
    expect(gate(measured.task, analyse(measured))?.message).toContain('takes both quadratures');
  },
);
