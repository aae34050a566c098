import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import { calibrate } from '../../support/calibrating.ts';
import { at } from '../../support/measured.ts';

const chain = [
  'CheckChevron',
  'CheckRabi',
  'CheckRabi',
  'CreateHPIPulse',
  'CheckHPIPulse',
  'CheckT1',
  'CheckT2Echo',
  'CheckRamsey',
];

/** Coarse values as after spectroscopy, with errors of up to 3 MHz and 30 %. */
function coarseValues(seed: string, qid: string, offset: number): Record<string, number> {
  const simulator = createSimulator({ seed, now: () => at });
  const truth = simulator.truth('chip', qid, at);
  return {
    coarse_qubit_frequency: truth.f01 + 0.003 * offset,
    coarse_control_amplitude: (0.0125 / truth.maximumRabiFrequency) * (1 - 0.3 * offset),
    readout_frequency: truth.readoutFrequency + 0.0005 * offset,
    readout_amplitude: truth.readoutAmplitude * (1 + 0.1 * offset),
  };
}

describe('the chain from a coarse chevron to Ramsey', () => {
  test('ends with a qubit frequency within five standard errors of the truth, from coarse values', async () => {
    const deviations: number[] = [];
    for (let index = 0; index < 32; index++) {
      const [seed, qid] = [`chain-${index % 4}`, String(index % 16)];
      const offset = [-1, -0.4, 0.3, 1][Math.floor(index / 8)] ?? 0;
      const { failure, known } = await calibrate(chain, { seed, qid }, coarseValues(seed, qid, offset));
      expect(failure).toBeNull();
      const truth = createSimulator({ seed, now: () => at }).truth('chip', qid, at);
      const { value = 0, error = 0 } = known.qubit_frequency ?? {};
      deviations.push((value - truth.f01) / error);
      expect(error).toBeLessThan(2e-6);
      const hpi = 0.25 / (truth.maximumRabiFrequency * 20);
      expect(Math.abs((known.hpi_amplitude?.value ?? 0) / hpi - 1)).toBeLessThan(0.005);
    }
    expect(Math.max(...deviations.map(Math.abs))).toBeLessThan(5);
    expect(deviations.filter((deviation) => Math.abs(deviation) < 1).length).toBeGreaterThan(16);
  });

  test('stops with a reason if the coarse frequency is that of another qubit', async () => {
    const coarse = coarseValues('chain-0', '0', 0);
    const elsewhere = { ...coarse, coarse_qubit_frequency: (coarse.coarse_qubit_frequency ?? 0) + 0.4 };
    const { failure } = await calibrate(chain, { seed: 'chain-0', qid: '0' }, elsewhere);
    expect(failure).toMatch(/^CheckChevron: The fit of CheckChevron /);
  });
});
